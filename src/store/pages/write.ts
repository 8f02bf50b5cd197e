import { type Scope } from "../../model/identity.ts";
import { type Page, type PageChunk } from "../../model/pages.ts";
import { terms } from "../../text/terms.ts";
import { type Connection } from "../sqlite/database.ts";
import { type Scopes } from "../sqlite/scopes.ts";

interface ChunkRow {
  readonly row: number;
  readonly headings: string;
  readonly passages: string;
  readonly memory: string | null;
  readonly terms: string;
}

/** What a row shows: rows that show the same are the same, and stay when the rest of their page changes. */
const shownBy = (chunk: Pick<ChunkRow, "headings" | "passages" | "memory">): string =>
  JSON.stringify([chunk.headings, chunk.passages, chunk.memory]);

const columnsOf = ({ passages, memory }: PageChunk) => ({
  headings: JSON.stringify(passages.map(({ heading }) => heading)),
  passages: JSON.stringify(passages.map(({ text }) => text)),
  memory: memory === undefined ? null : JSON.stringify(memory),
});

const tokens = (scope: number, found: Iterable<string>): string => {
  let line = "";
  for (const term of new Set(found)) if (term !== "") line += `${scope}_${term} `;
  return line;
};

/** All that changes pages, one transaction each. Answers how many rows went. */
export function pageWriter(
  database: Connection,
  scopes: Scopes,
  eraseVector: (row: number) => void,
) {
  const find = database.prepare("select number from page where scope = ? and path = ?").pluck();
  const add = database.prepare(
    `insert into page (scope, path, kind, stamp) values (@scope, @path, @kind, @stamp)
     on conflict (scope, path) do update set kind = excluded.kind, stamp = excluded.stamp returning number`,
  );
  const drop = database.prepare("delete from page where number = ?");
  const chunksOf = database.prepare(
    "select row, headings, passages, memory, terms from page_chunk where page = ? order by row",
  );
  const addChunk = database.prepare(
    `insert into page_chunk (page, scope, headings, passages, memory, terms)
     values (@page, @scope, @headings, @passages, @memory, @terms)`,
  );
  const dropChunk = database.prepare("delete from page_chunk where row = ?");
  const addTerms = database.prepare("insert into page_index (rowid, terms) values (?, ?)");
  const dropTerms = database.prepare(
    "insert into page_index (page_index, rowid, terms) values ('delete', ?, ?)",
  );
  const pathsOf = database.prepare("select path from page where scope = ?").pluck();

  function erase(scope: number, chunks: readonly ChunkRow[]): number {
    for (const { row, terms: held } of chunks) {
      eraseVector(row);
      dropTerms.run(row, tokens(scope, held.split(/[ \n]/)));
      dropChunk.run(row);
    }
    return chunks.length;
  }

  function putOne({ chunks, path, kind, stamp, ...page }: Page): number {
    const scope = scopes.number(page.scope);
    const number = (add.get({ scope, path, kind, stamp }) as { number: number }).number;
    const before = new Map<string, ChunkRow[]>();
    for (const row of chunksOf.all(number) as ChunkRow[])
      before.set(shownBy(row), [...(before.get(shownBy(row)) ?? []), row]);
    for (const chunk of chunks) {
      const columns = columnsOf(chunk);
      if (before.get(shownBy(columns))?.pop() !== undefined) continue;
      const held = chunk.passages.map(({ heading, text }) => [...terms(heading), ...terms(text)]);
      const { lastInsertRowid } = addChunk.run({
        ...{ page: number, scope, ...columns },
        terms: held.map((found) => found.join(" ")).join("\n"),
      });
      addTerms.run(lastInsertRowid, tokens(scope, held.flat()));
    }
    return erase(scope, [...before.values()].flat());
  }

  return {
    put: database.transaction((pages: readonly Page[]): number =>
      pages.reduce((gone, page) => gone + putOne(page), 0),
    ).immediate,

    remove: database.transaction((name: Scope, paths?: readonly string[]): number => {
      const [scope] = scopes.numbers([name]);
      if (scope === undefined) return 0;
      let gone = 0;
      for (const path of paths ?? (pathsOf.all(scope) as string[])) {
        const number = find.get(scope, path) as number | undefined;
        if (number === undefined) continue;
        gone += erase(scope, chunksOf.all(number) as ChunkRow[]);
        drop.run(number);
      }
      return gone;
    }).immediate,
  };
}
