import type { Unit } from "../port.ts";
import type { Answers, Missing, Near, Nearest, VectorIndex } from "../search-index.ts";
import { BY_ROW, type MemoryRow, narrowed, toCandidate } from "./memory-rows.ts";
import { chunksByRow } from "./pages.ts";
import { type AskDatabase, askedAll } from "./shared-file.ts";
import { BLOCK } from "./sign-blocks.ts";
import {
  checkVector,
  cosinesIn,
  missingIn,
  nearestRows,
  type NearRow,
  sampleOf,
  type VectorRoom,
  vectorWriter,
} from "./vectors.ts";

type Put = Required<NonNullable<Unit["vectors"]>>;

/** Vectors beside memories, the chunks of pages and past turns, of one model. */
export function vectorIndex(room: VectorRoom) {
  const values = vectorWriter(room, "memory");
  const chunks = vectorWriter(room, "page_chunk");
  const turns = turnSigns(room);
  const missing: Answers<Missing> = { ...missingTexts(room), turns: turns.missing };
  const nearest: Answers<Nearest> = {
    memories: nearestMemories(room),
    pages: nearestPages(room),
    turns: turns.nearest,
  };
  return {
    eraseValue: values.erase,
    eraseChunk: chunks.erase,
    put({ memories = [], pages = [], turns: said = [] }: Partial<Put>): void {
      values.put(
        memories,
        ({ id, version }) =>
          room.row`select row, scope from memory
            where id = ${id} and version = ${version} and valid_to is null`,
      );
      chunks.put(
        pages,
        ({ chunk }) => room.row`select row, scope from page_chunk where row = ${chunk}`,
      );
      turns.put(said);
    },
    index: (ask: AskDatabase): VectorIndex => ({
      use: ({ name, dimensions }, notes) =>
        ask("be written", () => room.models.use(name, dimensions, notes)),
      missing: (of, limit) => ask("be read", () => missing[of](limit)),
      nearest: (of, asked) => ask("be read", () => nearest[of](asked)),
      ...askedAll(ask, "be read", { cosines: cosinesIn(room), sample: sampleOf(room) }),
    }),
  };
}

function missingTexts(room: VectorRoom): Pick<Answers<Missing>, "memories" | "pages"> {
  const [values, chunks] = [missingIn(room, "memory"), missingIn(room, "page_chunk")];
  return {
    memories: (limit) =>
      values<Missing["memories"][1][number]>(
        "t.id, t.version, t.content",
        "t.valid_to is null",
        limit,
      ).map(({ row: _row, ...own }) => own),
    // Each heading stands once before what is below it.
    pages: (limit) =>
      chunks<{ headings: string; passages: string }>(
        "t.headings, t.passages",
        "(select kind from page where number = t.page) <> 'conversation'",
        limit,
      ).map(({ row, headings, passages }) => {
        const above = JSON.parse(headings) as string[];
        const lines = (JSON.parse(passages) as string[]).flatMap((text, at) => {
          const heading = above[at] ?? "";
          return heading === "" || heading === above[at - 1] ? [text] : [heading, text];
        });
        return { chunk: row, content: lines.join("\n") };
      }),
  };
}

/** Some are over by now: the best that fit of this many times the limit are answered. */
const OVERFETCH = 1.5;

/** The nearest memories of the scopes, as far as they fit the question. */
function nearestMemories(room: VectorRoom): Answers<Nearest>["memories"] {
  const near = nearestRows(room, "memory");
  return async ({ vector, limit, scopes: visible, ...query }) => {
    const scopes = room.scopes.numbers(visible);
    const [where, ...values] = narrowed(query);
    const fitting = `m.scope in (select value from json_each(?)) and ${where}`;
    const shown = (rows: readonly NearRow[]): Near[] => {
      const cosines = new Map(rows.map(({ row, cosine }) => [row, cosine]));
      return room
        .rows<MemoryRow>(`${BY_ROW} where ${fitting}`, [...cosines.keys()], scopes, ...values)
        .map((row) => ({ ...toCandidate(row), cosine: cosines.get(row.row) ?? 0 }))
        .sort(
          (one, other) => other.cosine - one.cosine || (one.memory.id < other.memory.id ? -1 : 1),
        )
        .slice(0, limit);
    };
    const found = shown(await near({ scopes, vector, limit: Math.ceil(OVERFETCH * limit) }));
    if (found.length === limit) return found;
    // Too many of the nearest do not fit: their places are for others.
    const fits = room.values<number>(
      `select m.row from memory m where ${fitting}`,
      scopes,
      ...values,
    );
    return shown(await near({ scopes, vector, limit, fits: new Set(fits) }));
  };
}

function nearestPages(room: VectorRoom): Answers<Nearest>["pages"] {
  const near = nearestRows(room, "page_chunk");
  return async ({ scopes: visible, vector, limit }) => {
    const scopes = room.scopes.numbers(visible);
    const rows = await near({ scopes, vector, limit });
    const chunks = chunksByRow(
      room,
      rows.map(({ row }) => row),
      scopes,
    );
    return rows
      .flatMap(({ row, cosine }) => {
        const chunk = chunks.get(row);
        return chunk === undefined ? [] : [{ ...chunk, cosine }];
      })
      .sort((one, other) => other.cosine - one.cosine || (one.path < other.path ? -1 : 1));
  };
}

/**
 * What turns mean, by the signs of their vectors alone: as many bits a turn as the model has
 * numbers, those of a stretch in one block. They take a thirtieth of the vectors' room; fused with
 * what words find they ordered LoCoMo's turns within 0.1 points of them.
 */
function turnSigns({ rows, run, value, models, signs }: VectorRoom) {
  return {
    missing: (limit: number): Missing["turns"][1] =>
      models.current() === undefined || limit < 1
        ? []
        : rows`select t.stretch, t.place, t.text as content
            from stretch s indexed by stretch_unsigned cross join turn t
            on t.stretch = s.number and s.unsigned >> t.place & 1
            where s.unsigned <> 0 order by s.number, t.place limit ${limit}`,
    async nearest({ root, vector, limit }: Nearest["turns"][0]): Promise<Nearest["turns"][1]> {
      const model = models.current();
      const owner = value<number>`select number from root where name = ${root}`;
      if (model?.dimensions !== vector.length || owner === undefined) return [];
      const asked = { owners: [owner], model: model.number, vector, most: limit };
      const alike = await signs.alike({ of: "turn", ...asked });
      return alike
        .sort((one, other) => one.differ - other.differ || one.row - other.row)
        .slice(0, limit)
        .map(({ row, differ }) => ({
          stretch: Math.floor(row / BLOCK),
          place: row % BLOCK,
          // That as many equal signs stand for.
          cosine: Math.cos((Math.PI * differ) / vector.length),
        }));
    },
    put(given: Put["turns"]): void {
      const model = models.current();
      if (model === undefined) return;
      for (const [stretch, own] of Map.groupBy(given, (turn) => turn.stretch)) {
        const root = value<number>`select root from stretch where number = ${stretch}`;
        if (root === undefined) continue;
        const rows = own.map(({ place, vector }) => ({ row: stretch * BLOCK + place, vector }));
        for (const { place, vector } of own) {
          checkVector(vector, model);
          run`update stretch set unsigned = unsigned & ~(1 << ${place}) where number = ${stretch}`;
        }
        signs.put("turn", root, rows, model.number);
      }
    },
  };
}
