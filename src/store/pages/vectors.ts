import { breaths } from "../../base/async.ts";
import { type NearChunk, type PageVectors } from "../../model/pages.ts";
import { type Ask, askedAll } from "../sqlite/busy.ts";
import { dot, fromBlob, isZero, quantised, toBlob, unit } from "../vectors/math.ts";
import { ASIDE, LIVE, type VectorRoom } from "../vectors/models.ts";
import { openResidence } from "../vectors/resident.ts";
import { createBest, OVERFETCH } from "../vectors/search.ts";
import { checkVector } from "../vectors/write.ts";
import { type FoundRow, SELECT, toFound } from "./pages.ts";

/** Vectors read and compared one by one before others have their turn. */
const PAGE = 1_000;

/** Vectors beside the chunks of pages, of the model that memories have. */
export function pageVectorTable(room: VectorRoom) {
  const { database, models } = room;
  const residence = openResidence(database, undefined, "page_vector");
  const place = database.prepare("select model, scope from page_vector where row = ?");
  const drop = database.prepare("delete from page_vector where row = ?");
  const scopeOf = database.prepare("select scope from page_chunk where row = ?").pluck();
  const add = database.prepare(
    "insert or replace into page_vector (row, model, scope, cell, embedding) values (?, ?, ?, ?, ?)",
  );
  const changed = (row: number): void => {
    const held = place.get(row) as { model: number; scope: number } | undefined;
    if (held !== undefined) residence.changed(row, held);
  };

  const put = database.transaction((vectors: Parameters<PageVectors["put"]>[0]): void => {
    const model = models.current();
    if (model === undefined) return;
    for (const { chunk, vector } of vectors) {
      checkVector(vector, model);
      const scope = scopeOf.get(chunk) as number | undefined;
      if (scope === undefined) continue;
      const made = unit(vector);
      changed(chunk);
      add.run(chunk, model.number, scope, isZero(made) ? ASIDE : LIVE, toBlob(made));
      changed(chunk);
    }
  });

  return {
    erase(row: number): void {
      changed(row);
      drop.run(row);
    },
    index: (ask: Ask): PageVectors => ({
      ...askedAll(ask, "be read", {
        missing: missingIn(room),
        nearest: nearestIn(room, residence),
      }),
      ...askedAll(ask, "be written", {
        put: (vectors: Parameters<PageVectors["put"]>[0]) => put.immediate(vectors),
      }),
    }),
  };
}

/** What was looked through is not looked at again: rows come with ever greater numbers. */
function missingIn({ database, models }: VectorRoom): Looking["missing"] {
  const without = database.prepare(
    `select c.row, c.headings, c.passages from page_chunk c join page p on p.number = c.page left join page_vector v on v.row = c.row
     where c.row > @after and c.memory is null and p.kind <> 'conversation' and (v.row is null or v.model <> @model) order by c.row limit @limit`,
  );
  const last = database.prepare("select coalesce(max(row), 0) from page_chunk").pluck();
  let swept = { model: -1, to: 0 };
  return (limit) => {
    const model = models.current()?.number;
    if (model === undefined) return [];
    if (swept.model !== model) swept = { model, to: 0 };
    const rows = without.all({ model, after: swept.to, limit }) as Pick<
      FoundRow,
      "row" | "headings" | "passages"
    >[];
    swept.to = rows[0] === undefined ? (last.get() as number) : rows[0].row - 1;
    return rows.map(({ row, headings, passages }) => ({
      chunk: row,
      content: contentOf(JSON.parse(headings) as string[], JSON.parse(passages) as string[]),
    }));
  };
}

/** The chunk's text, each heading once before what stands below it. */
function contentOf(headings: readonly string[], passages: readonly string[]): string {
  const lines = passages.flatMap((text, at) => {
    const heading = headings[at] ?? "";
    return heading === "" || heading === headings[at - 1] ? [text] : [heading, text];
  });
  return lines.join("\n");
}

/** By comparing all: bytes in memory first, then the best of them by their own vectors; too many to be kept are read. */
function nearestIn(
  { database, scopes, models }: VectorRoom,
  residence: ReturnType<typeof openResidence>,
): Looking["nearest"] {
  const page = database.prepare(
    `select row, embedding from page_vector where model = ? and scope = ? and cell = ${LIVE} and row > ? order by row limit ${PAGE}`,
  );
  const byRow = database.prepare(
    `${SELECT} where c.row in (select value from json_each(?)) and c.scope in (select value from json_each(?))`,
  );
  const own = database
    .prepare("select embedding from page_vector where row = ? and model = ?")
    .pluck();
  return async ({ scopes: visible, vector: given, limit }) => {
    const model = models.current();
    if (model === undefined || given.length !== model.dimensions) return [];
    const [vector, numbers] = [unit(given), scopes.numbers(visible)];
    const best = createBest(Math.ceil(OVERFETCH * limit));
    const [question, pause] = [quantised(vector), breaths()];
    for (const scope of numbers) {
      const place = { model, scope };
      if (await residence.scan(place, { question, visit: best.note, pause })) continue;
      for (let after = -1; ;) {
        const rows = page.all(model.number, scope, after) as { row: number; embedding: Buffer }[];
        for (const { row, embedding } of rows)
          best.note(row, product(question, quantised(fromBlob(embedding))));
        if (rows.length < PAGE) break;
        after = rows.at(-1)?.row ?? after;
        await pause();
      }
    }
    const found = byRow.all(JSON.stringify(best.rows()), JSON.stringify(numbers)) as FoundRow[];
    return found
      .flatMap((row): NearChunk[] => {
        const embedding = own.get(row.row, model.number) as Buffer | undefined;
        if (embedding === undefined) return [];
        return [{ ...toFound(row, 0), cosine: dot(vector, fromBlob(embedding)) }];
      })
      .sort((one, other) => other.cosine - one.cosine || (one.path < other.path ? -1 : 1))
      .slice(0, limit);
  };
}

/** As the vectors in memory are compared. */
const product = (one: Int8Array, other: Int8Array): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

type Query = Parameters<PageVectors["nearest"]>[0];
interface Looking {
  readonly missing: (limit: number) => { chunk: number; content: string }[];
  readonly nearest: (query: Query) => Promise<NearChunk[]>;
}
