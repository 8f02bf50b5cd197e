import { unit, type VectorModel } from "../../core/vectors.ts";
import { type Answers, byIndex } from "../methods.ts";
import type { Unit } from "../port.ts";
import { embeddedText, type ShownRow } from "../rows.ts";
import type { Missing, Nearest } from "../search-index.ts";
import { nearestRows, type VectorRoom } from "./nearest-vectors.ts";
import { chunksByRow } from "./pages.ts";
import { memoryVectors } from "./vectors.ts";
import { turnSigns } from "./turn-signs.ts";
import { vectorWriter } from "./write-vectors.ts";

/** Vectors beside memories, the chunks of pages and past turns, of one model. */
export function vectorIndex(room: VectorRoom) {
  const memories = memoryVectors(room);
  const chunks = vectorWriter(room, "page_vector");
  const turns = turnSigns(room);
  return {
    write: memories.write,
    erasePage: chunks.erase,
    put({
      memories: values = [],
      pages = [],
      turns: said = [],
    }: NonNullable<Unit["vectors"]>): void {
      memories.put(values);
      turns.put(said);
      chunks.put(pages, ({ chunk }) => {
        const scope = room.value<number>`select scope from page_chunk where row = ${chunk}`;
        return scope === undefined ? undefined : { row: chunk, scope };
      });
    },
    index: {
      use({ name, dimensions }: VectorModel, notes?: string) {
        room.scans();
        return room.models.use(name, dimensions, notes);
      },
      missing: byIndex<Missing>({
        memories: memories.missing,
        pages: missingIn(room),
        turns: turns.missing,
      }),
      nearest: byIndex<Nearest>({
        memories: memories.nearest,
        pages: nearestIn(room),
        turns: turns.nearest,
      }),
      ...{ cosines: memories.cosines, sample: memories.sample },
    },
  };
}

/** No row is looked at twice: rows come with ever greater numbers. */
function missingIn({ rows, value, models }: VectorRoom): Answers<Missing>["pages"] {
  let swept = { model: -1, to: 0 };
  return (limit) => {
    const model = models.current()?.number;
    if (model === undefined || limit < 1) return [];
    if (swept.model !== model) swept = { model, to: 0 };
    const found = rows<ShownRow & { row: number }>`select
         c.row, c.headings, c.passages from page_chunk c join page p on p.number = c.page
         left join page_vector v on v.row = c.row
       where c.row > ${swept.to} and p.kind <> 'conversation'
         and (v.row is null or v.model <> ${model}) order by c.row limit ${limit}`;
    const last = (): number => value`select coalesce(max(row), 0) from page_chunk` ?? 0;
    swept.to = found[0] ? found[0].row - 1 : last();
    return found.map((row) => ({ chunk: row.row, content: embeddedText(row) }));
  };
}

function nearestIn(room: VectorRoom): Answers<Nearest>["pages"] {
  const { scopes, models } = room;
  const nearest = nearestRows(room, "page_vector");
  return async ({ scopes: visible, vector, limit }) => {
    const model = models.current();
    if (model === undefined || vector.length !== model.dimensions) return [];
    const numbers = scopes.numbers(visible);
    const rows = await nearest({ model, scopes: numbers }, unit(vector), limit);
    const chunks = chunksByRow(
      room,
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
