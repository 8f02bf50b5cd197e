import type { Category, OwedDebt, Stored, ValueName } from "../../core/memory.ts";
import type { Answers, WordSearch } from "../methods.ts";
import type { LookUp, Storage, ValuePage } from "../port.ts";
import { categoryWords, lookedUp, MEMBERS, toCandidate, toStored } from "../rows.ts";
import type { Candidate, Counted, Listing } from "../search-index.ts";

import {
  allOf,
  COLUMNS,
  type Condition,
  inside,
  type MemoryRow,
  memoryRows,
  type MemoryRows,
  narrowed,
  type Scopes,
  SELECT,
} from "./memory-rows.ts";
import type { Answering } from "./shared-file.ts";
import { marks, type Sql } from "./sql.ts";
import { holdingAll, type TermIndex } from "./term-index.ts";

/**
 * Rows named by number, in the order named: "cross join" keeps the planner from reading a whole
 * scope to find them.
 */
const BY_ROW = `select ${COLUMNS}, s.name as scope from json_each(?) named
  cross join memory m on m.row = named.value cross join scope s on s.number = m.scope`;
const owners = (numbers: readonly number[], past = false): string[] =>
  numbers.flatMap((number) => (past ? [`${number}`, `${number}p`] : [`${number}`]));

/** By the words that memories hold, through the index of terms. */
const wordSearch = (
  rows: MemoryRows,
  index: TermIndex,
  scopes: Scopes,
): Omit<WordSearch, "categories"> => ({
  async frequencies({ scopes: visible, terms, past }) {
    const numbers = scopes.numbers(visible);
    const documents = scopes.memories(numbers);
    return { documents, holding: await index.counts(owners(numbers, past), terms, documents) };
  },

  async candidates({ scopes: visible, limit, ...query }) {
    const numbers = scopes.numbers(visible);
    const { asOf, category, kind } = query;
    // How many rows it takes is not known where it is narrowed; a few of the others have expired.
    const isOpen = asOf === undefined && category === undefined && kind === undefined;
    const order = await index.weighed(owners(numbers, query.ever ?? asOf !== undefined), {
      ...query,
      enough: isOpen ? 2 * limit : undefined,
    });
    const [where, ...values] = narrowed(query);
    const found: Candidate[] = [];
    // Narrowing leaves room for others: more are read until there are enough, or none.
    for (let size = limit; found.length < limit; size *= 2) {
      const named = order.next(size);
      if (named.length === 0) break;
      const held = rows.all(
        `${BY_ROW} where ${inside(numbers)} and ${where}`,
        ...[named, ...numbers, ...values],
      );
      found.push(...held.map(toCandidate));
    }
    return found.slice(0, limit);
  },
});

/** All that reads memories. Scope numbers are part of every statement. */
export function memoryReader(sql: Sql, index: TermIndex, scopes: Scopes) {
  const rows = memoryRows(sql, scopes);
  const { value, rows: all } = sql;
  return {
    find: finder(rows),
    ...listings(rows, scopes),
    count: ({ scopes: visible, now, root }: Parameters<Storage["count"]>[0]) => ({
      // Scope by scope, or the planner leaves the index that holds all it needs.
      categories: summed(
        scopes.numbers(visible).flatMap(
          (scope) => all<Category>`select category as name, count(*) as memories from memory
             where valid_to is null and (expires_at is null or expires_at > ${now})
               and scope = ${scope} group by category`,
        ),
      ),
      messages:
        value<number>`select count(distinct e.chain) from entry e join session s on s.id = e.session
           where s.root = ${root}` ?? 0,
    }),
    words: { ...wordSearch(rows, index, scopes), categories: categoriesIn(sql, scopes) },
    note: (name: string) => value<string>`select text from note where name = ${name}`,
    debts: () => all<OwedDebt>`select id, kind, scope, at, text from debt order by id`,
  };
}

/** Those of one name together, the fullest first. */
const summed = (all: readonly Category[]): Category[] =>
  Array.from(
    Map.groupBy(all, ({ name }) => name),
    ([name, same]) => ({
      name,
      memories: same.reduce((sum, { memories }) => sum + memories, 0),
    }),
  ).sort((a, b) => b.memories - a.memories || (a.name < b.name ? -1 : 1));

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
    return lookedUp(found, past);
  }

  function list(asked: Listing): Stored[] {
    const { after, origins, words = [], asOf } = asked;
    const where = allOf(
      narrowed(asked),
      // A bound that is always met would have SQLite read the scope whole, by the index of that
      // bound.
      after !== undefined && ["m.updated_at > ?", after],
      origins !== undefined && [`m.origin in (${marks(origins)})`, ...origins],
    );
    const part = (scope: number, past: "" | "p"): Condition =>
      allOf(
        where,
        asOf !== undefined && past === "p" ? ["m.valid_to > ?", asOf] : ["m.valid_to is null"],
        // Looked up row by row, in the order of the listing: common words are in most rows.
        words.length > 0 && [
          "+m.row in (select rowid from memory_index where memory_index match ?)",
          holdingAll(`${scope}${past}`, words),
        ],
      );
    // Of what holds now and of what held then each has its index.
    return ordered(asked, (scope) =>
      asOf === undefined ? [part(scope, "")] : [part(scope, ""), part(scope, "p")],
    ).map(toStored);
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

const categoriesIn =
  ({ rows }: Sql, scopes: Scopes): Answers<Counted>["categories"] =>
  ({ scope, terms }) => {
    const [number] = scopes.numbers([scope]);
    const members = rows<Pick<MemoryRow, "category" | "terms">>`select category, terms from
       (select category, terms, sorted from memory where scope = ${number} and valid_to is null
         order by updated_at desc, id limit ${MEMBERS}) where sorted = 0`;
    return categoryWords(members, terms);
  };
