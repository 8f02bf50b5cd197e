import { breathe } from "../../base/async.ts";
import type { Candidate, MemoryWords } from "../../model/store.ts";
import type { Answering } from "../sqlite/busy.ts";
import {
  allOf,
  COLUMNS,
  type Condition,
  inside,
  type MemoryRows,
  SELECT,
  type MemoryRow,
  narrowed,
  toCandidate,
} from "../sqlite/memory-rows.ts";
import type { Scopes } from "../sqlite/scopes.ts";
import { literally } from "../sqlite/database.ts";
import type { TermIndex } from "./term-index.ts";

/**
 * Rows named by number, in the order named: "cross join" keeps the planner from reading a whole
 * scope to find them.
 */
const BY_ROW = `select ${COLUMNS}, s.name as scope from json_each(?) named
  cross join memory m on m.row = named.value cross join scope s on s.number = m.scope`;
/** Texts read between two breaths: 3 to 6 ms. */
const PAGE = 2_000;
type OrderKey = Pick<MemoryRow, "updatedAt" | "id">;

const owners = (numbers: readonly number[], past = false): string[] =>
  numbers.flatMap((number) => (past ? [`${number}`, `${number}p`] : [`${number}`]));

/** By the words that memories hold, through the index of terms. */
export const wordSearch = (
  { all }: MemoryRows,
  index: TermIndex,
  scopes: Scopes,
): Answering<MemoryWords, "frequencies" | "beginning" | "candidates"> => ({
  async frequencies(visible, terms, past) {
    const numbers = scopes.numbers(visible);
    const documents = scopes.memories(numbers);
    return { documents, holding: await index.holding(owners(numbers, past), terms, documents) };
  },

  beginning: (visible, start, limit) =>
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
      const rows = all(
        `${BY_ROW} where ${inside(numbers)} and ${where}`,
        ...[named, ...numbers, ...values],
      );
      found.push(...rows.map(toCandidate));
    }
    return found.slice(0, limit);
  },
});

/**
 * Texts are read one by one, the newest first: a page at a time, or a million of them would hold up
 * everything else.
 */
export const containing =
  (rows: MemoryRows, scopes: Scopes): Answering<MemoryWords, "containing">["containing"] =>
  async ({ scopes: visible, text, limit, ...rest }) => {
    const where = allOf(narrowed(rest), ["m.content like ? escape '\\'", literally(text)]);
    const found: MemoryRow[] = [];
    for (const number of scopes.numbers(visible)) {
      let room = limit;
      for (let last: OrderKey | undefined; room > 0;) {
        const page = readPage(rows, { number, last }, { where, room });
        found.push(...page.found);
        room -= page.found.length;
        last = page.end;
        if (last === undefined) break;
        await breathe();
      }
    }
    return found
      .sort((one, other) => other.updatedAt - one.updatedAt || (one.id < other.id ? -1 : 1))
      .slice(0, limit)
      .map(toCandidate);
  };

/**
 * The next page of a scope behind `last`: what of it fits, and where it ends; no end for the last
 * one.
 */
function readPage(
  { all, listed }: MemoryRows,
  { number, last }: { number: number; last: OrderKey | undefined },
  { where, room }: { where: Condition; room: number },
): { found: MemoryRow[]; end: OrderKey | undefined } {
  const behind: Condition | false = last !== undefined && [
    "m.updated_at <= ? and (m.updated_at < ? or m.id > ?)",
    ...[last.updatedAt, last.updatedAt, last.id],
  ];
  const [rest, ...from] = allOf(["m.scope = ?", number], behind);
  const [end] = listed(
    `select m.updated_at as updatedAt, m.id from memory m where ${rest} and m.valid_to is null
      order by m.updated_at desc, m.id limit 1 offset ${PAGE - 1}`,
  )(...from) as (OrderKey | undefined)[];
  const [asked, ...values] = allOf(
    [rest, ...from],
    end !== undefined && [
      "m.updated_at >= ? and (m.updated_at > ? or m.id <= ?)",
      ...[end.updatedAt, end.updatedAt, end.id],
    ],
    where,
  );
  const found = all(
    `${SELECT} where ${asked} order by m.updated_at desc, m.id limit ?`,
    ...values,
    room,
  );
  return { found, end };
}
