import { checkVector, unit, type VectorModel } from "../../core/vectors.ts";
import { type Answers, byIndex } from "../methods.ts";
import type { Unit } from "../port.ts";
import { embeddedText, type ShownRow, STRETCH } from "../rows.ts";
import type { Missing, Nearest } from "../search-index.ts";
import {
  nearestOf,
  nearestRows,
  type NearRow,
  signsOf,
  type VectorRoom,
  vectorWriter,
} from "./nearest-vectors.ts";
import { chunksByRow } from "./pages.ts";
import { memoryVectors } from "./vectors.ts";

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

/** Stretches whose signs are read and compared before others have their turn: 1 to 2 ms. */
const PAGE = 100;
const ONES = Uint8Array.from(
  { length: 256 },
  (_, byte) => byte.toString(2).replace(/0/g, "").length,
);

interface Signed {
  readonly number: number;
  readonly signs: Buffer;
}
type TurnVectors = NonNullable<NonNullable<Unit["vectors"]>["turns"]>;

/**
 * Turns are found by what they mean, by the signs of their vectors alone: as many bits a turn as
 * the model has numbers, those of a stretch in one row. They take a thirtieth of the vectors' room;
 * fused with what words find they ordered LoCoMo's turns within 0.1 points of them.
 */
function turnSigns({ row, rows, run, models }: VectorRoom) {
  function* compared(root: string, vector: Float32Array): Generator<NearRow[]> {
    const signs = signsOf(vector);
    let found: Signed[];
    let last = 0;
    do {
      found = rows<Signed>`select s.number, v.signs
        from stretch s cross join stretch_signs v on v.stretch = s.number
        where s.root = (select number from root where name = ${root}) and s.number > ${last}
        order by s.number limit ${PAGE}`;
      yield found.flatMap((stretch) => alike(stretch, signs, vector.length));
      last = found.at(-1)?.number ?? last;
    } while (found.length === PAGE);
  }

  return {
    missing: (limit: number): Missing["turns"][1] =>
      models.current() === undefined || limit < 1
        ? []
        : rows`select t.stretch, t.place, t.text as content
            from stretch s indexed by stretch_unsigned cross join turn t
            on t.stretch = s.number and t.place >= s.signed
            where s.signed < s.turns order by s.number, t.place limit ${limit}`,
    async nearest({ root, vector, limit }: Nearest["turns"][0]): Promise<Nearest["turns"][1]> {
      if (models.current()?.dimensions !== vector.length) return [];
      const near = await nearestOf(compared(root, vector), limit);
      return near.map(({ row: at, cosine }) => ({
        stretch: Math.floor(at / STRETCH),
        place: at % STRETCH,
        cosine,
      }));
    },
    /** Those that follow what their stretch has; of what was said anew meanwhile none. */
    put(given: TurnVectors): void {
      const model = models.current();
      if (model === undefined) return;
      for (const [number, own] of Map.groupBy(given, ({ stretch }) => stretch)) {
        const held = row<{ signed: number; signs: Buffer | null }>`select s.signed, v.signs
          from stretch s left join stretch_signs v on v.stretch = s.number
          where s.number = ${number}`;
        const next = own.filter(({ place }, at) => place === (held?.signed ?? -1) + at);
        if (held === undefined || next.length === 0) continue;
        next.forEach(({ vector }) => checkVector(vector, model));
        const made = next.map(({ vector }) => signsOf(vector));
        const signs = Buffer.concat([held.signs ?? Buffer.alloc(0), ...made]);
        run`insert or replace into stretch_signs (stretch, signs) values (${number}, ${signs})`;
        run`update stretch set signed = min(turns, ${held.signed + next.length})
          where number = ${number}`;
      }
    },
  };
}

/** The cosine that as many equal signs stand for, of each turn of a stretch. */
function alike({ number, signs }: Signed, asked: Buffer, dimensions: number): NearRow[] {
  const width = asked.length;
  return Array.from({ length: signs.length / width }, (_, place) => {
    let differ = 0;
    for (let at = 0; at < width; at += 1)
      differ += ONES[(signs[place * width + at] ?? 0) ^ (asked[at] ?? 0)] ?? 0;
    return { row: number * STRETCH + place, cosine: Math.cos((Math.PI * differ) / dimensions) };
  });
}
