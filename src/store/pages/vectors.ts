import type { PageVectors } from "../../model/page-index.ts";
import { type Answering, type AskDatabase, askedAll } from "../sqlite/busy.ts";
import { unit } from "../vectors/math.ts";
import type { VectorRoom } from "../vectors/models.ts";
import { nearestRows } from "../vectors/nearest-rows.ts";
import { vectorWriter } from "../vectors/write.ts";
import { chunksByRow } from "./page-table.ts";

/** Vectors beside the chunks of pages, of the model that memories have. */
export function pageVectorTable(room: VectorRoom) {
  const write = vectorWriter(room, "page_vector");
  const scopeOf = room.value<number>("select scope from page_chunk where row = ?");
  const reads: Looking = { missing: missingIn(room), nearest: nearestIn(room) };
  const writes: Answering<PageVectors, "put"> = {
    put: (vectors) =>
      write.put(vectors, ({ chunk }) => {
        const scope = scopeOf(chunk);
        return scope === undefined ? undefined : { row: chunk, scope };
      }),
  };
  return {
    erase: write.erase,
    index: (ask: AskDatabase): PageVectors => ({
      ...askedAll(ask, "be read", reads),
      ...askedAll(ask, "be written", writes),
    }),
  };
}

type Looking = Answering<PageVectors, "missing" | "nearest">;

/** No row is looked at twice: rows come with ever greater numbers. */
function missingIn({ rows, value, models }: VectorRoom): Looking["missing"] {
  const without = rows<{ row: number; headings: string; passages: string }>(
    `select c.row, c.headings, c.passages from page_chunk c join page p on p.number = c.page
      left join page_vector v on v.row = c.row
     where c.row > @after and p.kind <> 'conversation'
       and (v.row is null or v.model <> @model) order by c.row limit @limit`,
  );
  const last = value<number>("select coalesce(max(row), 0) from page_chunk");
  let swept = { model: -1, to: 0 };
  return (limit) => {
    const model = models.current()?.number;
    if (model === undefined || limit < 1) return [];
    if (swept.model !== model) swept = { model, to: 0 };
    const found = without({ model, after: swept.to, limit });
    swept.to = found[0] ? found[0].row - 1 : (last() ?? 0);
    return found.map(({ row, headings, passages }) => ({
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

function nearestIn(room: VectorRoom): Looking["nearest"] {
  const { scopes, models } = room;
  const byRow = chunksByRow(room);
  const nearest = nearestRows(room, "page_vector");
  return async ({ scopes: visible, vector, limit }) => {
    const model = models.current();
    if (model === undefined || vector.length !== model.dimensions) return [];
    const numbers = scopes.numbers(visible);
    const rows = await nearest({ model, scopes: numbers }, unit(vector), limit);
    const chunks = byRow(
      rows.map(({ row }) => row),
      numbers,
    );
    return rows
      .flatMap(({ row, cosine }) => {
        const chunk = chunks.get(row);
        return chunk === undefined ? [] : [{ ...chunk, cosine }];
      })
      .sort((one, other) => other.cosine - one.cosine || (one.path < other.path ? -1 : 1));
  };
}
