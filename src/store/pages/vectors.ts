import { type NearChunk, type PageVectors } from "../../model/pages.ts";
import { type Ask, askedAll } from "../sqlite/busy.ts";
import { dot, fromBlob, unit } from "../vectors/math.ts";
import { type VectorRoom } from "../vectors/models.ts";
import { openResidence } from "../vectors/resident.ts";
import { nearestRows } from "../vectors/search.ts";
import { vectorWriter } from "../vectors/write.ts";
import { type FoundRow, SELECT, toFound } from "./pages.ts";

/** Vectors beside the chunks of pages, of the model that memories have. */
export function pageVectorTable(room: VectorRoom) {
  const residence = openResidence(room.database, "page_vector");
  const write = vectorWriter(room, { table: "page_vector", residence });
  const scopeOf = room.database.prepare("select scope from page_chunk where row = ?").pluck();
  return {
    erase: write.erase,
    index: (ask: Ask): PageVectors => ({
      ...askedAll(ask, "be read", {
        missing: missingIn(room),
        nearest: nearestIn(room, residence),
      }),
      ...askedAll(ask, "be written", {
        put: (vectors: Parameters<PageVectors["put"]>[0]) =>
          write.put(vectors, ({ chunk }) => {
            const scope = scopeOf.get(chunk) as number | undefined;
            return scope === undefined ? undefined : { row: chunk, scope };
          }),
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

/** By comparing all: bytes first, then the best of them by their own vectors. */
function nearestIn(
  { database, scopes, models }: VectorRoom,
  residence: ReturnType<typeof openResidence>,
): Looking["nearest"] {
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
    const rows = await nearestRows(residence, { model, scopes: numbers }, { vector, limit });
    const found = byRow.all(JSON.stringify(rows), JSON.stringify(numbers)) as FoundRow[];
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

type Query = Parameters<PageVectors["nearest"]>[0];
interface Looking {
  readonly missing: (limit: number) => { chunk: number; content: string }[];
  readonly nearest: (query: Query) => Promise<NearChunk[]>;
}
