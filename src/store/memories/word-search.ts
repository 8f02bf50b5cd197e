import { breathe } from "../../base/async.ts";
import { type Scope } from "../../model/identity.ts";
import {
  type Candidate,
  type CandidateQuery,
  type Frequencies,
  type Narrowing,
} from "../../model/store.ts";
import {
  type Condition,
  type MemoryRow,
  narrowed,
  toCandidate,
  type Values,
} from "../sqlite/memory-rows.ts";
import { type Scopes } from "../sqlite/scopes.ts";
import { literally } from "../sqlite/database.ts";
import { inside, type Rows, SELECT } from "./rows.ts";
import { type TermIndex } from "./term-index.ts";

/** Rows named by number, in the order named: "cross join" keeps the planner from reading a whole scope to find them. */
const BY_ROW =
  "select m.*, s.name as scope_name from json_each(?) named cross join memory m on m.row = named.value cross join scope s on s.number = m.scope";
/** Texts read between two breaths: 3 to 6 ms. */
const PAGE = 2_000;
type Place = Pick<MemoryRow, "updated_at" | "id">;

const owners = (numbers: readonly number[], past: boolean): string[] =>
  numbers.flatMap((number) => (past ? [`${number}`, `${number}p`] : [`${number}`]));

/** By the words that memories hold, through the index of terms. */
export const wordSearch = ({ all }: Rows, index: TermIndex, scopes: Scopes) => ({
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
});

/** Texts are read one by one, the newest first: a page at a time, or a million of them would hold up everything else. */
export async function containing(
  rows: Rows,
  scopes: Scopes,
  { scopes: visible, text, limit, ...rest }: Narrowing & { text: string },
): Promise<Candidate[]> {
  const { sql, values } = narrowed(rest);
  const where = {
    sql: `${sql} and m.content like ? escape '\\'`,
    values: [...values, literally(text)],
  };
  const found: MemoryRow[] = [];
  for (const number of scopes.numbers(visible)) {
    let room = limit;
    for (let last: Place | undefined; room > 0;) {
      const page = readPage(rows, { number, last }, { where, room });
      found.push(...page.found);
      room -= page.found.length;
      last = page.end;
      if (last === undefined) break;
      await breathe();
    }
  }
  return found
    .sort((one, other) => other.updated_at - one.updated_at || (one.id < other.id ? -1 : 1))
    .slice(0, limit)
    .map(toCandidate);
}

/** The next page of a scope behind `last`: what of it fits, and where it ends; no end for the last one. */
function readPage(
  { all, prepare }: Rows,
  { number, last }: { number: number; last: Place | undefined },
  { where, room }: { where: Condition; room: number },
): { found: MemoryRow[]; end: Place | undefined } {
  const behind =
    last === undefined ? "" : " and m.updated_at <= ? and (m.updated_at < ? or m.id > ?)";
  const from: Values = [
    number,
    ...(last === undefined ? [] : [last.updated_at, last.updated_at, last.id]),
  ];
  const end = prepare(
    `select m.updated_at, m.id from memory m where m.scope = ? and m.valid_to is null${behind} order by m.updated_at desc, m.id limit 1 offset ${PAGE - 1}`,
  ).get(...from) as Place | undefined;
  const upTo =
    end === undefined ? "" : " and m.updated_at >= ? and (m.updated_at > ? or m.id <= ?)";
  const until: Values = end === undefined ? [] : [end.updated_at, end.updated_at, end.id];
  const found = all({
    sql: `${SELECT} where m.scope = ?${behind}${upTo} and ${where.sql} order by m.updated_at desc, m.id limit ?`,
    values: [...from, ...until, ...where.values, room],
  });
  return { found, end };
}
