import { breathe } from "../../base/async.ts";
import type { FoundChunk, PageStamps } from "../../model/page-index.ts";
import type { Containing, Counted, Weighed } from "../../model/search-index.ts";
import type { Storage } from "../../model/storage.ts";
import type { Answering, Answers } from "../sqlite/busy.ts";
import { matching, termIndex } from "../sqlite/term-index.ts";
import { type Desk, literally } from "../sqlite/database.ts";
import type { Scopes } from "../sqlite/scopes.ts";

/** Rows read of one term, the newest: beyond, a word tells nothing apart. */
const MOST_ROWS = 5_000;
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

interface PageReads extends Answering<Storage, "pages"> {
  readonly frequencies: Answers<Counted>["pages"];
  readonly candidates: Answers<Weighed>["pages"];
  readonly containing: Answers<Containing>["pages"];
}

/** All that reads pages. Scope numbers are part of every statement. */
export function pageReader(desk: Desk, scopes: Scopes): PageReads {
  const { rows, value } = desk;
  const known = rows<PageStamps["pages"][number]>(
    "select path, stamp from page where scope = ? order by path",
  );
  const versionOf = value<string>(
    "select count(*) || '-' || total(number) from page where scope = ?",
  );
  const count = value<number>("select count(*) from page_index where page_index match ?");
  const index = termIndex(desk, "page_index", MOST_ROWS);
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
    pages(scope, unless) {
      const [number] = scopes.numbers([scope]);
      const version = (number === undefined ? undefined : versionOf(number)) ?? "";
      if (version === unless) return undefined;
      return { version, pages: number === undefined ? [] : known(number) };
    },

    frequencies({ scopes: visible, terms }) {
      const numbers = scopes.numbers(visible);
      return terms.map((term) =>
        numbers.length === 0 ? 0 : (count(matching(numbers.map(String), term)) ?? 0),
      );
    },

    async candidates({ scopes: visible, limit, ...query }) {
      const numbers = scopes.numbers(visible);
      const order = await index.weighed(numbers.map(String), query);
      const best = order.next(limit);
      const found = byRow(best, numbers);
      return best.flatMap((row) => {
        const chunk = found.get(row);
        return chunk === undefined ? [] : [{ ...chunk, weight: order.weightOf(row) }];
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
