import type { Scope } from "../../core/identity.ts";
import type { PageSearch } from "../methods.ts";
import type { Storage } from "../port.ts";
import { type ChunkRow, type ShownRow, shownRow, termLines, toFound } from "../rows.ts";
import type { FoundChunk, IndexedPage } from "../search-index.ts";
import { type Scopes, termRows } from "./memory-rows.ts";
import type { Answering } from "./shared-file.ts";
import type { Sql } from "./sql.ts";
import { termIndex } from "./term-index.ts";

interface HeldChunk extends ShownRow {
  readonly row: number;
  readonly terms: string;
}

/**
 * Rows of a page that show the same are the same, and stay when the rest of their page
 * changes.
 */
const shownBy = ({ headings, passages }: ShownRow): string => JSON.stringify([headings, passages]);

const termsIn = (lines: string): string[] => lines.match(/[^ \n]+/g) ?? [];

/** All that changes pages, within the transaction that is open. Answers how many rows went. */
export function pageWriter(sql: Sql, scopes: Scopes, eraseVector: (row: number) => void) {
  const { run, rows, value, values } = sql;
  const index = termRows(sql, "page_index");
  const chunksOf = (page: number | undefined) =>
    rows<HeldChunk>`select row, headings, passages, terms from page_chunk where page = ${page}
       order by row`;

  function erase(scope: number, chunks: readonly HeldChunk[]): number {
    for (const { row, terms: held } of chunks) {
      eraseVector(row);
      index.drop(row, scope, termsIn(held));
      run`delete from page_chunk where row = ${row}`;
    }
    return chunks.length;
  }

  function putOne({ chunks, path, kind, stamp, ...shown }: IndexedPage): number {
    const scope = scopes.number(shown.scope);
    const page = value<number>`insert into page (scope, path, kind, stamp)
         values (${scope}, ${path}, ${kind}, ${stamp})
       on conflict (scope, path) do update set kind = excluded.kind, stamp = excluded.stamp
       returning number`;
    const before = Map.groupBy(chunksOf(page), shownBy);
    for (const { passages } of chunks) {
      const columns = shownRow(passages);
      if (before.get(shownBy(columns))?.pop() !== undefined) continue;
      const lines = termLines(passages);
      const { lastInsertRowid } =
        run`insert into page_chunk (page, scope, headings, passages, terms)
         values (${page}, ${scope}, ${columns.headings}, ${columns.passages}, ${lines})`;
      index.add(lastInsertRowid, scope, termsIn(lines));
    }
    return erase(scope, [...before.values()].flat());
  }

  return {
    put: (pages: readonly IndexedPage[]): number =>
      pages.reduce((gone, page) => gone + putOne(page), 0),

    remove(name: Scope, paths?: readonly string[]): number {
      const [scope] = scopes.numbers([name]);
      if (scope === undefined) return 0;
      let gone = 0;
      for (const path of paths ?? values`select path from page where scope = ${scope}`) {
        const page = value<number>`select number from page
          where scope = ${scope} and path = ${path}`;
        gone += erase(scope, chunksOf(page));
        run`delete from page where number = ${page}`;
      }
      return gone;
    },
  };
}

/** Rows read of one term, the newest: beyond, a word tells nothing apart. */
const MOST_ROWS = 5_000;

/** Chunks by the numbers of their rows, as far as they are of these scopes. */
export const chunksByRow = (
  { rows }: Sql,
  named: readonly number[],
  scopes: readonly number[],
): Map<number, FoundChunk> =>
  new Map(
    rows<ChunkRow & { row: number }>`select
         c.row, s.name as scope, p.path, p.kind, c.headings, c.passages, c.terms
       from page_chunk c join page p on p.number = c.page join scope s on s.number = c.scope
       where c.row in (select value from json_each(${named}))
         and c.scope in (select value from json_each(${scopes}))`.map(({ row, ...chunk }) => [
      row,
      { ...toFound(chunk), weight: 0 },
    ]),
  );

/** All that reads pages. Scope numbers are part of every statement. */
export function pageReader(sql: Sql, scopes: Scopes): PageSearch & Answering<Storage, "pages"> {
  const { rows } = sql;
  const index = termIndex(sql, "page_index", MOST_ROWS);
  return {
    pages(scope) {
      const [number] = scopes.numbers([scope]);
      return rows`select path, stamp from page where scope = ${number} order by path`;
    },

    frequencies: ({ scopes: visible, terms }) =>
      index.holding(scopes.numbers(visible).map(String), terms),

    async candidates({ scopes: visible, limit, ...query }) {
      const numbers = scopes.numbers(visible);
      const order = await index.weighed(numbers.map(String), { ...query, enough: limit });
      const best = order.next(limit);
      const found = chunksByRow(sql, best, numbers);
      return best.flatMap((row) => {
        const chunk = found.get(row);
        return chunk === undefined ? [] : [{ ...chunk, weight: order.weightOf(row) }];
      });
    },
  };
}
