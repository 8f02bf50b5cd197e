import { defined } from "../../base/guards.ts";
import { type Scope } from "../../model/identity.ts";
import {
  type Candidate,
  type CandidateQuery,
  type Frequencies,
  type KeptValue,
  type Listing,
  type Narrowing,
  type Stored,
  type Target,
  type ValueName,
} from "../../model/store.ts";
import { breathe } from "../../base/async.ts";
import { type Connection } from "../sqlite/database.ts";
import { type MemoryRow, toCandidate, toStored } from "../sqlite/memory-rows.ts";
import { type Scopes } from "../sqlite/scopes.ts";
import { literally, statements } from "../sqlite/statements.ts";
import { type TermIndex } from "./term-index.ts";

const SELECT = "select m.*, s.name as scope_name from memory m join scope s on s.number = m.scope";
/** For look-ups that find a row or none: where there is none, a join takes ten times as long, and so does an order. */
const LOOK =
  "select m.*, (select name from scope where number = m.scope) as scope_name from memory m";
/** Rows named by number, in the order named: "cross join" keeps the planner from reading a whole scope to find them. */
const BY_ROW =
  "select m.*, s.name as scope_name from json_each(?) named cross join memory m on m.row = named.value cross join scope s on s.number = m.scope";
const ORDERS = {
  updated: "updated_at",
  stated: "stated_at",
  importance: "importance",
  used: "uses",
} as const;

/** Texts read between two breaths: 3 to 6 ms. */
const PAGE = 2_000;
type Place = Pick<MemoryRow, "updated_at" | "id">;

/** All that reads memories. Scope numbers are part of every statement. */
export function memoryReader(database: Connection, index: TermIndex, scopes: Scopes) {
  type Values = (string | number)[];
  const prepare = statements(database);

  // Bound, not written out: a statement for each reader would be compiled anew with each.
  const inside = (numbers: readonly number[]): string =>
    `m.scope in (${numbers.map(() => "?").join(", ")})`;

  /** What holds at the moment asked about: current and unexpired, or valid and unexpired then. */
  function narrowed({ now, asOf, category, kind }: Omit<Narrowing, "scopes" | "limit">): {
    sql: string;
    values: Values;
  } {
    const held =
      asOf === undefined
        ? "m.valid_to is null"
        : "m.valid_from <= ? and (m.valid_to is null or m.valid_to > ?)";
    return {
      sql: `${held} and (m.expires_at is null or m.expires_at > ?)${category === undefined ? "" : " and m.category = ?"}${kind === undefined ? "" : " and m.kind = ?"}`,
      values: [
        ...(asOf === undefined ? [now] : [asOf, asOf, asOf]),
        ...[category, kind].filter((value) => value !== undefined),
      ],
    };
  }

  const owners = (numbers: readonly number[], past: boolean): string[] =>
    numbers.flatMap((number) => (past ? [`${number}`, `${number}p`] : [`${number}`]));

  const all = ({ sql, values }: { sql: string; values: Values }): MemoryRow[] =>
    prepare(sql).all(...values) as MemoryRow[];

  /** No scope of the reader's holds anything: no statement, no rows. */
  function rows(
    visible: readonly Scope[],
    build: (numbers: number[]) => { sql: string; values: Values } | undefined,
  ): MemoryRow[] {
    const numbers = scopes.numbers(visible);
    const statement = numbers.length === 0 ? undefined : build(numbers);
    return statement === undefined ? [] : all(statement);
  }

  /** Highest first. One scope after the other, so that each is read in the order of its index and no further than `limit`. */
  function ordered(
    visible: readonly Scope[],
    column: (typeof ORDERS)[keyof typeof ORDERS],
    where: { sql: string; values: Values },
    limit: number,
  ): MemoryRow[] {
    const found = scopes.numbers(visible).flatMap((number) =>
      all({
        sql: `${SELECT} where m.scope = ? and ${where.sql} order by m.${column} desc, m.id limit ?`,
        values: [number, ...where.values, limit],
      }),
    );
    return found
      .sort((one, other) => other[column] - one[column] || (one.id < other.id ? -1 : 1))
      .slice(0, limit);
  }

  return {
    get: (id: string, visible: readonly Scope[]): Stored | undefined =>
      rows(visible, (numbers) => ({
        sql: `${LOOK} where m.id = ? and m.valid_to is null and ${inside(numbers)}`,
        values: [id, ...numbers],
      })).map(toStored)[0],

    byKey: (key: string, scope: Scope, asOf?: number): Stored | undefined =>
      rows([scope], (numbers) =>
        asOf === undefined
          ? {
              sql: `${LOOK} where m.key = ? and m.valid_to is null and ${inside(numbers)}`,
              values: [key, ...numbers],
            }
          : {
              sql: `${LOOK} where m.key = ? and ${inside(numbers)} and m.valid_from <= ? and (m.valid_to is null or m.valid_to > ?) order by m.row desc limit 1`,
              values: [key, ...numbers, asOf, asOf],
            },
      ).map(toStored)[0],

    values({
      scopes: asked,
      after,
      limit,
    }: {
      scopes?: readonly Scope[];
      after?: ValueName;
      limit: number;
    }): KeptValue[] {
      const numbers = asked === undefined ? [] : scopes.numbers(asked);
      const where = [
        ...(asked === undefined ? [] : [inside(numbers)]),
        ...(after === undefined ? [] : ["(m.id, m.version) > (?, ?)"]),
      ];
      const found = all({
        sql: `${SELECT}${where.length === 0 ? "" : ` where ${where.join(" and ")}`} order by m.id, m.version limit ?`,
        values: [...numbers, ...(after === undefined ? [] : [after.id, after.version]), limit],
      });
      return found.map((row) => ({
        stored: toStored(row),
        ...defined({ until: row.valid_to === null ? undefined : row.valid_to }),
      }));
    },

    same: (digest: string, visible: readonly Scope[]): Stored[] =>
      rows(visible, (numbers) => ({
        sql: `${LOOK} where m.same = ? and m.valid_to is null and ${inside(numbers)}`,
        values: [digest, ...numbers],
      }))
        .sort((one, other) => one.row - other.row)
        .map(toStored),

    find({ scopes: visible, id, key, source }: Target): Stored[] {
      const asked = Object.entries({ id, key, source }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      );
      if (asked.length === 0) return [];
      const found = rows(visible, (numbers) => ({
        sql: `${LOOK} where ${asked.map(([column]) => `m.${column} = ?`).join(" and ")} and ${inside(numbers)} order by m.row`,
        values: [...asked.map(([, value]) => value), ...numbers],
      }));
      // Ordered by row: the newest value of each id is written last.
      return [...new Map(found.map((row) => [row.id, toStored(row)])).values()];
    },

    list({
      scopes: visible,
      limit,
      after,
      origins,
      order = "updated",
      ...rest
    }: Listing): Stored[] {
      const { sql, values } = narrowed(rest);
      const later = after === undefined ? "" : " and m.updated_at > ?";
      const trusted =
        origins === undefined ? "" : ` and m.origin in (${origins.map(() => "?").join(", ")})`;
      return ordered(
        visible,
        ORDERS[order],
        {
          sql: sql + later + trusted,
          values: [...values, ...(after === undefined ? [] : [after]), ...(origins ?? [])],
        },
        limit,
      ).map(toStored);
    },

    async frequencies(
      visible: readonly Scope[],
      terms: readonly string[],
      past = false,
    ): Promise<Frequencies> {
      const numbers = scopes.numbers(visible);
      const documents = scopes.memories(numbers);
      return { documents, holding: await index.holding(owners(numbers, past), terms, documents) };
    },

    beginning: (visible: readonly Scope[], start: string, limit: number): string[] =>
      [...new Set(index.beginning(owners(scopes.numbers(visible), false), start, limit))]
        .sort()
        .slice(0, limit),

    async candidates({
      scopes: visible,
      terms,
      together = [],
      least = 0,
      limit,
      ...rest
    }: CandidateQuery): Promise<Candidate[]> {
      const numbers = scopes.numbers(visible);
      const order = await index.weighed(owners(numbers, rest.asOf !== undefined), {
        terms,
        together,
        least,
      });
      const { sql, values } = narrowed(rest);
      const found: Candidate[] = [];
      // What is narrowed away leaves room for others: more are read until there are enough, or none.
      for (let size = limit; found.length < limit; size *= 2) {
        const named = order.next(size);
        if (named.length === 0) break;
        found.push(
          ...all({
            sql: `${BY_ROW} where ${inside(numbers)} and ${sql}`,
            values: [JSON.stringify(named), ...numbers, ...values],
          }).map(toCandidate),
        );
      }
      return found.slice(0, limit);
    },

    async containing({
      scopes: visible,
      text,
      limit,
      ...rest
    }: Narrowing & { text: string }): Promise<Candidate[]> {
      const { sql, values } = narrowed(rest);
      const found: MemoryRow[] = [];
      for (const number of scopes.numbers(visible)) {
        let room = limit;
        // Texts are read one by one, the newest first: a page at a time, or a million of them would hold up everything else.
        for (let last: Place | undefined; room > 0;) {
          const behind =
            last === undefined ? "" : " and m.updated_at <= ? and (m.updated_at < ? or m.id > ?)";
          const page: Values = [
            number,
            ...(last === undefined ? [] : [last.updated_at, last.updated_at, last.id]),
          ];
          const end = prepare(
            `select m.updated_at, m.id from memory m where m.scope = ? and m.valid_to is null${behind} order by m.updated_at desc, m.id limit 1 offset ${PAGE - 1}`,
          ).get(...page) as Place | undefined;
          const upTo =
            end === undefined ? "" : " and m.updated_at >= ? and (m.updated_at > ? or m.id <= ?)";
          const until: Values = end === undefined ? [] : [end.updated_at, end.updated_at, end.id];
          const rows = all({
            sql: `${SELECT} where m.scope = ?${behind}${upTo} and ${sql} and m.content like ? escape '\\' order by m.updated_at desc, m.id limit ?`,
            values: [...page, ...until, ...values, literally(text), room],
          });
          found.push(...rows);
          room -= rows.length;
          if (end === undefined) break;
          last = end;
          await breathe();
        }
      }
      return found
        .sort((one, other) => other.updated_at - one.updated_at || (one.id < other.id ? -1 : 1))
        .slice(0, limit)
        .map(toCandidate);
    },

    expired: (visible: readonly Scope[], now: number): string[] =>
      // Of every scope there is, which may be more than a statement takes values.
      rows(visible, (numbers) => ({
        sql: `${LOOK} where m.expires_at <= ? and m.valid_to is null and m.scope in (select value from json_each(?))`,
        values: [now, JSON.stringify(numbers)],
      })).map((row) => row.id),

    /** The housekeeper's view: every scope there is. */
    everyScope: (): Scope[] => database.prepare("select name from scope").pluck().all() as Scope[],

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
  };
}
