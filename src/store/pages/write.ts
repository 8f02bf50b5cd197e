import type { Scope } from "../../model/identity.ts";
import type { IndexedPage } from "../../model/page-index.ts";
import { terms } from "../../text/terms.ts";
import type { Desk } from "../sqlite/database.ts";
import { type Scopes, termRows } from "../sqlite/scopes.ts";

/**
 * Rows of a page that show the same are the same, and stay when the rest of their page
 * changes.
 */
interface ShownChunk {
  readonly headings: string;
  readonly passages: string;
}
interface ChunkRow extends ShownChunk {
  readonly row: number;
  readonly terms: string;
}

const shownBy = ({ headings, passages }: ShownChunk): string =>
  JSON.stringify([headings, passages]);

/** All that changes pages, within the transaction that is open. Answers how many rows went. */
export function pageWriter(desk: Desk, scopes: Scopes, eraseVector: (row: number) => void) {
  const { run, rows, value, values } = desk;
  const index = termRows(desk, "page_index");
  const find = value<number>("select number from page where scope = ? and path = ?");
  const add = value<number>(
    `insert into page (scope, path, kind, stamp) values (@scope, @path, @kind, @stamp)
     on conflict (scope, path) do update
       set kind = excluded.kind, stamp = excluded.stamp returning number`,
  );
  const drop = run("delete from page where number = ?");
  const chunksOf = rows<ChunkRow>(
    "select row, headings, passages, terms from page_chunk where page = ? order by row",
  );
  const addChunk = run(
    `insert into page_chunk (page, scope, headings, passages, terms)
     values (@page, @scope, @headings, @passages, @terms)`,
  );
  const dropChunk = run("delete from page_chunk where row = ?");
  const pathsOf = values<string>("select path from page where scope = ?");

  function erase(scope: number, chunks: readonly ChunkRow[]): number {
    for (const { row, terms: held } of chunks) {
      eraseVector(row);
      index.drop(row, scope, held.match(/[^ \n]+/g) ?? []);
      dropChunk(row);
    }
    return chunks.length;
  }

  function putOne({ chunks, ...shown }: IndexedPage): number {
    const scope = scopes.number(shown.scope);
    const page = add({ ...shown, scope });
    const before = Map.groupBy(chunksOf(page), shownBy);
    for (const { passages } of chunks) {
      const columns = {
        headings: JSON.stringify(passages.map(({ heading }) => heading)),
        passages: JSON.stringify(passages.map(({ text }) => text)),
      };
      if (before.get(shownBy(columns))?.pop() !== undefined) continue;
      const held = passages.map(({ heading, text }) => [...terms(heading), ...terms(text)]);
      const lines = held.map((found) => found.join(" ")).join("\n");
      const { lastInsertRowid } = addChunk({ ...columns, page, scope, terms: lines });
      index.add(lastInsertRowid, scope, held.flat());
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
      for (const path of paths ?? pathsOf(scope)) {
        const page = find(scope, path);
        if (page === undefined) continue;
        gone += erase(scope, chunksOf(page));
        drop(page);
      }
      return gone;
    },
  };
}
