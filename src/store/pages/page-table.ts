import { breathe } from "../../base/async.ts";
import type { FoundChunk, PageIndex, PageTerm } from "../../model/page-index.ts";
import { type Answering, type AskDatabase, askedAll } from "../sqlite/busy.ts";
import { type Desk, literally } from "../sqlite/database.ts";
import type { Scopes } from "../sqlite/scopes.ts";
import { pageWriter } from "./write.ts";

/** Rows read of one term, the newest: beyond, a word tells nothing apart. */
const MOST_ROWS = 5_000;
/** Sums of the same weights in another order may differ by that share. */
const ROUNDING = 1e-9;
/** Texts read between two breaths. */
const SLICE = 1_000;

interface FoundRow extends Pick<FoundChunk, "path" | "kind" | "scope"> {
  readonly row: number;
  readonly headings: string;
  readonly passages: string;
  readonly terms: string;
}

const SELECT = `select c.row, s.name as scope, p.path, p.kind, c.headings, c.passages, c.terms
  from page_chunk c join page p on p.number = c.page join scope s on s.number = c.scope`;

/** A chunk, before it is weighed. */
function toFound(row: FoundRow): FoundChunk {
  const { scope, path, kind, headings, passages } = row;
  const [above, terms] = [JSON.parse(headings) as string[], row.terms.split("\n")];
  return {
    scope,
    path,
    kind,
    passages: (JSON.parse(passages) as string[]).map((text, at) => ({
      heading: above[at] ?? "",
      text,
      terms: terms[at] ?? "",
    })),
    weight: 0,
  };
}

/** Chunks by the numbers of their rows, as far as they are of these scopes. */
export function chunksByRow(desk: Desk) {
  const byRow = desk.rows<FoundRow>(
    `${SELECT} where c.row in (select value from json_each(?))
      and c.scope in (select value from json_each(?))`,
  );
  return (rows: readonly number[], scopes: readonly number[]): Map<number, FoundChunk> =>
    new Map(
      byRow(JSON.stringify(rows), JSON.stringify(scopes)).map((row) => [row.row, toFound(row)]),
    );
}

/** Quoted, so that no term can be read as an operator. */
const match = (numbers: readonly number[], { term, open }: PageTerm): string =>
  numbers.map((number) => `"${number}_${term}"${open ? "*" : ""}`).join(" OR ");

interface PageTableHost {
  readonly ask: AskDatabase;
  /** Is told how many rows were taken out. */
  readonly gone: (rows: number) => Promise<number>;
  readonly eraseVector: (row: number) => void;
}

/** Pages by their words. */
export function pageTable(
  desk: Desk,
  scopes: Scopes,
  { ask, gone, eraseVector }: PageTableHost,
): PageIndex {
  const write = pageWriter(desk, scopes, eraseVector);
  const writes: Answering<PageIndex, "put" | "remove"> = {
    put: async (pages) => void (await gone(write.put(pages))),
    remove: async (scope, paths) => void (await gone(write.remove(scope, paths))),
  };
  return {
    ...askedAll(ask, "be read", pageReader(desk, scopes)),
    ...askedAll(ask, "be written", writes),
  };
}

/** The rows that hold the most of the weight, and how much, the newer of two first. */
function heaviest(
  rowsOf: (term: PageTerm) => readonly number[],
  { terms, least, limit }: Omit<Query, "scopes">,
): [row: number, weight: number][] {
  const weights = new Map<number, number>();
  // The order of ten thousand pairs takes longer than that of their numbers.
  const worst = (): number => {
    const sums = new Float64Array(weights.size);
    let at = 0;
    weights.forEach((weight) => void (sums[at++] = weight));
    return sums.sort().at(-limit) ?? 0;
  };
  let [rest, bound] = [terms.reduce((sum, { weight }) => sum + weight, 0), least];
  for (const term of terms.toSorted((one, other) => other.weight - one.weight)) {
    // A chunk with none of the heavier terms is out of reach by then: the longest lists begin
    // nothing.
    const isInReach = rest >= bound * (1 - ROUNDING);
    for (const row of rowsOf(term)) {
      const before = weights.get(row);
      if (before !== undefined || isInReach) weights.set(row, (before ?? 0) + term.weight);
    }
    rest -= term.weight;
    if (isInReach) bound = Math.max(bound, worst());
  }
  bound = Math.max(bound, worst());
  const best: [row: number, weight: number][] = [];
  weights.forEach((weight, row) => {
    if (weight >= bound) best.push([row, weight]);
  });
  best.sort(([row, weight], [other, more]) => more - weight || other - row);
  best.length = Math.min(best.length, limit);
  return best;
}

/** All that reads pages. Scope numbers are part of every statement. */
function pageReader(
  desk: Desk,
  scopes: Scopes,
): Answering<PageIndex, "known" | "version" | "frequencies" | "candidates" | "containing"> {
  const { rows, value, values } = desk;
  const known = rows<{ path: string; stamp: string }>(
    "select path, stamp from page where scope = ? order by path",
  );
  const version = value("select count(*) || '-' || total(number) from page where scope = ?");
  const count = value<number>("select count(*) from page_index where page_index match ?");
  const holding = values<number>(
    `select rowid from page_index where page_index match ? order by rowid desc limit ${MOST_ROWS}`,
  );
  const byRow = chunksByRow(desk);
  const sliceEnd = value<number | null>(
    `select max(row) from (select row from page_chunk where scope = ? and row > ? order by row
      limit ${SLICE})`,
  );
  const alike = rows<FoundRow>(
    `${SELECT} where c.scope = ? and c.row > ? and c.row <= ? and c.passages like ? escape '\\'
      order by c.row limit ?`,
  );
  return {
    known: (scope) => scopes.numbers([scope]).flatMap((number) => known(number)),

    version: (scope) => String(scopes.numbers([scope]).map((number) => version(number))),

    frequencies(visible, terms) {
      const numbers = scopes.numbers(visible);
      return terms.map((term) => (numbers.length === 0 ? 0 : (count(match(numbers, term)) ?? 0)));
    },

    candidates({ scopes: visible, ...query }) {
      const numbers = scopes.numbers(visible);
      if (numbers.length === 0) return [];
      const best = heaviest((term) => holding(match(numbers, term)), query);
      const found = byRow(
        best.map(([row]) => row),
        numbers,
      );
      return best.flatMap(([row, weight]) => {
        const chunk = found.get(row);
        return chunk === undefined ? [] : [{ ...chunk, weight }];
      });
    },

    /** Texts are read one by one, a slice at a time: all of them would hold up everything else. */
    async containing({ scopes: visible, text, limit }) {
      // As it stands in the list, where quotes and ends of lines are written otherwise.
      const pattern = literally(JSON.stringify(text).slice(1, -1));
      const found: FoundRow[] = [];
      for (const number of scopes.numbers(visible))
        for (let last = 0; found.length < limit;) {
          const end = sliceEnd(number, last);
          if (typeof end !== "number") break;
          found.push(...alike(number, last, end, pattern, limit - found.length));
          last = end;
          await breathe();
        }
      return found.map(toFound);
    },
  };
}

type Query = Parameters<PageIndex["candidates"]>[0];
