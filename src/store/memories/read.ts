import type { Scope } from "../../model/identity.ts";
import type { OwedDebt, Stored, ValueName } from "../../model/changes.ts";
import type { Listing, LookUp, Storage, ValuePage } from "../../model/storage.ts";
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
import type { TermIndex } from "../sqlite/term-index.ts";
import { type WordSearch, wordSearch } from "./word-search.ts";

/** All that reads memories. Scope numbers are part of every statement. */
export function memoryReader(desk: Desk, index: TermIndex, scopes: Scopes) {
  const rows = memoryRows(desk, scopes);
  const words: WordSearch = wordSearch(rows, index, scopes);
  return {
    find: finder(rows),
    ...listings(rows, scopes),
    count: counter(desk, scopes),
    words,
    note: desk.value<string>("select text from note where name = ?"),
    debts: desk.rows<OwedDebt>("select id, kind, scope, at, text from debt order by id"),
  };
}

/** By id, by key, by what is said: a row or none; or in an order. */
const finder = ({ visibleTo, ordered }: MemoryRows): Answering<Storage, "find">["find"] => {
  function lookUp({ scopes, past = false, id, key, source, same }: LookUp): Stored[] {
    const named = Object.entries({ id, key, source, same }).filter(
      ([, value]) => value !== undefined,
    );
    if (named.length === 0) return [];
    const where = allOf(
      ...named.map(([name, value = ""]): Condition => [`m.${name} = ?`, value]),
      !past && ["m.valid_to is null"],
    );
    const found = visibleTo(scopes, where).sort((one, other) => one.row - other.row);
    // The newest value of each id is written last.
    return past
      ? [...new Map(found.map((row) => [row.id, toStored(row)])).values()]
      : found.map(toStored);
  }

  function list({ scopes, limit, after, origins, order, ...rest }: Listing): Stored[] {
    const where = allOf(
      narrowed(rest),
      // A bound that is always met would have SQLite read the scope whole, by the index of that
      // bound.
      after !== undefined && ["m.updated_at > ?", after],
      origins !== undefined && [`m.origin in (${marks(origins)})`, ...origins],
    );
    return ordered(scopes, order, where, limit).map(toStored);
  }

  return (which) => ("order" in which ? list(which) : lookUp(which));
};

const FIRST: ValueName = { id: "", version: 0 };

const listings = ({ all }: MemoryRows, scopes: Scopes): Answering<Storage, "values"> => ({
  values({ scopes: visible, ids, after = FIRST, limit }: ValuePage) {
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
});

const counter = ({ value }: Desk, scopes: Scopes) => {
  // Reads every current memory of the scopes, so nothing asks it every day.
  const count = value<number>(
    `select count(*) from memory where valid_to is null
      and (expires_at is null or expires_at > ?) and scope in (select value from json_each(?))`,
  );
  return (visible: readonly Scope[], now: number): number =>
    count(now, scopes.numbers(visible)) ?? 0;
};
