import type { Scope } from "../../model/identity.ts";
import type { Listing, MemoryValues, OwedDebt, Target, ValueName } from "../../model/store.ts";
import type { Answering } from "../sqlite/busy.ts";
import { type Desk, marks } from "../sqlite/database.ts";
import {
  allOf,
  type Condition,
  inside,
  memoryRows,
  narrowed,
  type MemoryRows,
  SELECT,
  toStored,
} from "../sqlite/memory-rows.ts";
import type { Scopes } from "../sqlite/scopes.ts";
import type { TermIndex } from "./term-index.ts";
import { containing, wordSearch } from "./word-search.ts";

type MemoryNote = (name: string) => string | undefined;

/** All that reads memories. Scope numbers are part of every statement. */
export function memoryReader(desk: Desk, index: TermIndex, scopes: Scopes) {
  const rows = memoryRows(desk, scopes);
  return {
    ...lookUps(rows),
    ...listings(rows, scopes),
    ...housekeeping(desk, scopes),
    ...wordSearch(rows, index, scopes),
    containing: containing(rows, scopes),
    note: desk.value<string>("select text from note where name = ?") as MemoryNote,
    debts: desk.rows<OwedDebt>("select id, kind, scope, at, text from debt order by id"),
  };
}

/** By id, by key, by what is said: a row or none. */
const lookUps = ({
  visibleTo,
}: MemoryRows): Answering<MemoryValues, "get" | "byKey" | "same" | "find"> => ({
  get: (id, visible) =>
    visibleTo(visible, ["m.id = ? and m.valid_to is null", id]).map(toStored)[0],

  byKey: (key, scope) =>
    visibleTo([scope], ["m.key = ? and m.valid_to is null", key]).map(toStored)[0],

  same: (digest, visible) =>
    visibleTo(visible, ["m.same = ? and m.valid_to is null", digest])
      .sort((one, other) => one.row - other.row)
      .map(toStored),

  find({ scopes, id, key, source }: Target) {
    const named = Object.entries({ id, key, source }).filter(([, value]) => value !== undefined);
    if (named.length === 0) return [];
    const where = allOf(...named.map(([name, value = ""]): Condition => [`m.${name} = ?`, value]));
    // Ordered by row: the newest value of each id is written last.
    const found = visibleTo(scopes, where, " order by m.row");
    return [...new Map(found.map((row) => [row.id, toStored(row)])).values()];
  },
});

const FIRST: ValueName = { id: "", version: 0 };

const listings = (
  { all, ordered }: MemoryRows,
  scopes: Scopes,
): Answering<MemoryValues, "values" | "list"> => ({
  values({ scopes: visible, ids, after = FIRST, limit }) {
    const numbers = visible && scopes.numbers(visible);
    const [where, ...values] = allOf(
      numbers !== undefined && [inside(numbers), ...numbers],
      ids !== undefined && ["m.id in (select value from json_each(?))", ids],
      ["(m.id, m.version) > (?, ?)", after.id, after.version],
    );
    const found = all(
      `${SELECT} where ${where} order by m.id, m.version limit ?`,
      ...values,
      limit,
    );
    return found.map((row) => ({ stored: toStored(row), until: row.validTo ?? undefined }));
  },

  list({ scopes: visible, limit, after, origins, order = "updated", ...rest }: Listing) {
    const where = allOf(
      narrowed(rest),
      // A bound that is always met would have SQLite read the scope whole, by the index of that
      // bound.
      after !== undefined && ["m.updated_at > ?", after],
      origins !== undefined && [`m.origin in (${marks(origins)})`, ...origins],
    );
    return ordered(visible, order, where, limit).map(toStored);
  },
});

/** Tidying and figures ask these. */
const housekeeping = ({ value, values }: Desk, scopes: Scopes) => {
  // Reads every current memory of the scopes, so nothing asks it every day.
  const count = value<number>(
    `select count(*) from memory where valid_to is null
      and (expires_at is null or expires_at > ?) and scope in (select value from json_each(?))`,
  );
  return {
    expired: values<string>("select id from memory where expires_at <= ? and valid_to is null"),
    count: (visible: readonly Scope[], now: number) => count(now, scopes.numbers(visible)) ?? 0,
  };
};
