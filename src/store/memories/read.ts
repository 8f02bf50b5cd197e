import { type Scope } from "../../model/identity.ts";
import {
  type KeptValue,
  type Listing,
  type Narrowing,
  type Stored,
  type Target,
  type ValueName,
} from "../../model/store.ts";
import { type Connection, valuesOf, marks } from "../sqlite/database.ts";
import { narrowed, toStored } from "../sqlite/memory-rows.ts";
import { type Scopes } from "../sqlite/scopes.ts";
import { inside, memoryRows, type Rows, SELECT } from "./rows.ts";
import { type TermIndex } from "./term-index.ts";
import { containing, wordSearch } from "./word-search.ts";

const ORDERS = {
  updated: "updated_at",
  stated: "stated_at",
  importance: "importance",
  used: "uses",
} as const;

/** All that reads memories. Scope numbers are part of every statement. */
export function memoryReader(database: Connection, index: TermIndex, scopes: Scopes) {
  const rows = memoryRows(database, scopes);
  return {
    ...lookUps(rows),
    ...listings(rows, database, scopes),
    ...wordSearch(rows, index, scopes),
    containing: (query: Narrowing & { text: string }) => containing(rows, scopes, query),
  };
}

/** By id, by key, by what is said: a row or none. */
const lookUps = ({ visibleTo }: Rows) => ({
  get: (id: string, visible: readonly Scope[]): Stored | undefined =>
    visibleTo(visible, { sql: "m.id = ? and m.valid_to is null", values: [id] }).map(toStored)[0],

  byKey: (key: string, scope: Scope, asOf?: number): Stored | undefined =>
    (asOf === undefined
      ? visibleTo([scope], { sql: "m.key = ? and m.valid_to is null", values: [key] })
      : visibleTo(
          [scope],
          {
            sql: "m.key = ? and m.valid_from <= ? and (m.valid_to is null or m.valid_to > ?)",
            values: [key, asOf, asOf],
          },
          " order by m.row desc limit 1",
        )
    ).map(toStored)[0],

  same: (digest: string, visible: readonly Scope[]): Stored[] =>
    visibleTo(visible, { sql: "m.same = ? and m.valid_to is null", values: [digest] })
      .sort((one, other) => one.row - other.row)
      .map(toStored),

  find({ scopes: visible, id, key, source }: Target): Stored[] {
    const asked = Object.entries({ id, key, source }).filter(([, value]) => value !== undefined);
    if (asked.length === 0) return [];
    const found = visibleTo(
      visible,
      {
        sql: asked.map(([column]) => `m.${column} = ?`).join(" and "),
        values: asked.map(([, value]) => value ?? ""),
      },
      " order by m.row",
    );
    // Ordered by row: the newest value of each id is written last.
    return [...new Map(found.map((row) => [row.id, toStored(row)])).values()];
  },
});

const listings = ({ all, ordered }: Rows, database: Connection, scopes: Scopes) => ({
  values({
    scopes: asked,
    ids,
    after,
    limit,
  }: {
    scopes?: readonly Scope[];
    ids?: readonly string[];
    after?: ValueName;
    limit: number;
  }): KeptValue[] {
    const numbers = asked === undefined ? [] : scopes.numbers(asked);
    const where = [
      ...(asked === undefined ? [] : [inside(numbers)]),
      ...(ids === undefined ? [] : ["m.id in (select value from json_each(?))"]),
      ...(after === undefined ? [] : ["(m.id, m.version) > (?, ?)"]),
    ];
    const found = all({
      sql: `${SELECT}${where.length === 0 ? "" : ` where ${where.join(" and ")}`} order by m.id, m.version limit ?`,
      values: [
        ...numbers,
        ...(ids === undefined ? [] : [JSON.stringify(ids)]),
        ...(after === undefined ? [] : [after.id, after.version]),
        limit,
      ],
    });
    return found.map((row) => ({
      stored: toStored(row),
      until: row.valid_to ?? undefined,
    }));
  },

  list({ scopes: visible, limit, after, origins, order = "updated", ...rest }: Listing): Stored[] {
    const { sql, values } = narrowed(rest);
    // A bound that is always met would have SQLite read the scope whole, by the index of that bound.
    const since = after === undefined ? "" : " and m.updated_at > ?";
    const from = origins === undefined ? "" : ` and m.origin in (${marks(origins)})`;
    const where = {
      sql: `${sql}${since}${from}`,
      values: [...values, ...(after === undefined ? [] : [after]), ...(origins ?? [])],
    };
    return ordered(visible, ORDERS[order], where, limit).map(toStored);
  },

  expired: (visible: readonly Scope[], now: number): string[] =>
    // Of every scope there is, which may be more than a statement takes values.
    valuesOf(
      database,
      "select id from memory where expires_at <= ? and valid_to is null and scope in (select value from json_each(?))",
      now,
      JSON.stringify(scopes.numbers(visible)),
    ),

  /** The housekeeper's view: every scope there is. */
  everyScope: (): Scope[] => valuesOf(database, "select name from scope"),

  counts(
    visible: readonly Scope[],
    now: number,
  ): { memories: number; expired: number; superseded: number } {
    const numbers = scopes.numbers(visible);
    if (numbers.length === 0) return { memories: 0, expired: 0, superseded: 0 };
    return database
      .prepare(
        `select count(*) filter (where valid_to is null and (expires_at is null or expires_at > ?)) as memories,
         count(*) filter (where valid_to is null and expires_at <= ?) as expired, count(*) filter (where valid_to is not null) as superseded
         from memory m where ${inside(numbers)}`,
      )
      .get(now, now, ...numbers) as { memories: number; expired: number; superseded: number };
  },
});
