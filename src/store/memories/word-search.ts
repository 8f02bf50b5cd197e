import { breathe } from "../../base/async.ts";
import type { Begun, Candidate, Containing, Counted, Weighed } from "../../model/search-index.ts";
import type { Answers } from "../sqlite/busy.ts";
import {
  allOf,
  COLUMNS,
  inside,
  type MemoryRows,
  SELECT,
  type MemoryRow,
  narrowed,
  toCandidate,
} from "../sqlite/memory-rows.ts";
import type { Scopes } from "../sqlite/scopes.ts";
import { literally } from "../sqlite/database.ts";
import type { TermIndex } from "../sqlite/term-index.ts";

/**
 * Rows named by number, in the order named: "cross join" keeps the planner from reading a whole
 * scope to find them.
 */
const BY_ROW = `select ${COLUMNS}, s.name as scope from json_each(?) named
  cross join memory m on m.row = named.value cross join scope s on s.number = m.scope`;
/** Texts read between two breaths: 3 to 6 ms. */
const PAGE = 2_000;

const owners = (numbers: readonly number[], past = false): string[] =>
  numbers.flatMap((number) => (past ? [`${number}`, `${number}p`] : [`${number}`]));

export interface WordSearch {
  readonly frequencies: Answers<Counted>["memories"];
  readonly beginning: Answers<Begun>["memories"];
  readonly candidates: Answers<Weighed>["memories"];
  readonly containing: Answers<Containing>["memories"];
}

/** By the words that memories hold, through the index of terms. */
export const wordSearch = (rows: MemoryRows, index: TermIndex, scopes: Scopes): WordSearch => ({
  async frequencies({ scopes: visible, terms, past }) {
    const numbers = scopes.numbers(visible);
    const documents = scopes.memories(numbers);
    return { documents, holding: await index.holding(owners(numbers, past), terms, documents) };
  },

  beginning: ({ scopes: visible, start, limit }) =>
    [...new Set(index.beginning(owners(scopes.numbers(visible)), start, limit))]
      .sort()
      .slice(0, limit),

  async candidates({ scopes: visible, limit, ...query }) {
    const numbers = scopes.numbers(visible);
    const order = await index.weighed(owners(numbers, query.asOf !== undefined), query);
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

  containing: containing(rows, scopes),
});

/** Texts are read one by one, a page at a time, or a million would hold up everything else. */
const containing =
  (rows: MemoryRows, scopes: Scopes): WordSearch["containing"] =>
  async ({ scopes: visible, text, limit, ...rest }) => {
    const [where, ...values] = allOf(narrowed(rest), [
      "m.content like ? escape '\\'",
      literally(text),
    ]);
    const pageEnd = rows.listed(
      `select max(row) as end from (select row from memory where scope = ? and row > ?
        order by row limit ${PAGE})`,
    );
    let found: MemoryRow[] = [];
    for (const number of scopes.numbers(visible))
      for (let last: number | null = 0; ;) {
        const [page] = pageEnd(number, last) as { end: number | null }[];
        if (typeof page?.end !== "number") break;
        const asked = `${SELECT} where m.scope = ? and m.row > ? and m.row <= ? and ${where}`;
        found = [...found, ...rows.all(asked, number, last, page.end, ...values)]
          .sort((one, other) => other.updatedAt - one.updatedAt || (one.id < other.id ? -1 : 1))
          .slice(0, limit);
        last = page.end;
        await breathe();
      }
    return found.map(toCandidate);
  };
