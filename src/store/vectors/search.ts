import { breaths } from "../../base/async.ts";
import type { Near, Narrowing } from "../../model/store.ts";
import { COLUMNS, narrowed, toCandidate, type MemoryRow } from "../sqlite/memory-rows.ts";
import { dot, fromBlob, unit } from "./math.ts";
import { LIVE, type VectorRoom } from "./models.ts";
import { nearestFirst, type NearestRows, type NearRow } from "./nearest-rows.ts";

type NearQuery = Narrowing & { readonly vector: Float32Array };

/**
 * Some of the nearest are over by now: of this many times the limit the best that stand are
 * answered.
 */
const OVERFETCH = 1.5;
/** Vectors read and compared one by one before others have their turn: 3 to 5 ms. */
const PAGE = 1_000;

/**
 * The nearest memories of the scopes; when narrowed by more than their expiry, only those that fit
 * are read.
 */
export function vectorSearch({ listed, scopes, models }: VectorRoom, nearest: NearestRows) {
  async function fitting(query: NearQuery, model: number, vector: Float32Array) {
    const pause = breaths();
    const [where, ...values] = narrowed(query);
    const isPast = query.asOf !== undefined;
    const by = query.category !== undefined && !isPast ? " indexed by memory_category" : "";
    const cell = isPast ? "" : `v.cell = ${LIVE} and `;
    // "cross join" keeps the order of reading: those that fit first, then their vectors.
    const page = listed(
      `select m.row, v.embedding from memory m${by} cross join vector v on v.row = m.row
       where m.scope = ? and m.row > ? and v.model = ? and ${cell}${where} order by m.row limit
       ${PAGE}`,
    );
    let best: NearRow[] = [];
    for (const scope of scopes.numbers(query.scopes))
      for (let after = -1; ;) {
        const rows = page(scope, after, model, ...values) as { row: number; embedding: Buffer }[];
        const near = rows.map(({ row, embedding }) => ({
          ...{ row, cosine: dot(vector, fromBlob(embedding)) },
        }));
        best = [...best, ...near].sort(nearestFirst).slice(0, query.limit);
        if (rows.length < PAGE) break;
        after = rows.at(-1)?.row ?? after;
        await pause();
      }
    return best;
  }

  /** Those of the rows that fit, as they stand. */
  function chosen(query: NearQuery, rows: readonly NearRow[]): Near[] {
    const [where, ...values] = narrowed(query);
    const cosines = new Map(rows.map(({ row, cosine }) => [row, cosine]));
    const found = listed(
      `select ${COLUMNS}, s.name as scope from json_each(?) named
       cross join memory m on m.row = named.value cross join scope s on s.number = m.scope
       where m.scope in (select value from json_each(?)) and ${where}`,
    )([...cosines.keys()], scopes.numbers(query.scopes), ...values);
    return (found as MemoryRow[])
      .map((row) => ({ ...toCandidate(row), cosine: cosines.get(row.row) ?? 0 }))
      .sort((one, other) => other.cosine - one.cosine || (one.memory.id < other.memory.id ? -1 : 1))
      .slice(0, query.limit);
  }

  return async (query: NearQuery): Promise<Near[]> => {
    const { limit } = query;
    const model = models.current();
    if (model === undefined || query.vector.length !== model.dimensions) return [];
    const vector = unit(query.vector);
    const exactly = async (): Promise<Near[]> =>
      chosen(query, await fitting(query, model.number, vector));
    if (query.asOf !== undefined || query.kind !== undefined || query.category !== undefined)
      return exactly();
    const place = { model, scopes: scopes.numbers(query.scopes) };
    const rows = await nearest(place, vector, Math.ceil(OVERFETCH * limit));
    const found = chosen(query, rows);
    // Too many of the nearest are over: their places are for others.
    return found.length < Math.min(limit, rows.length) ? exactly() : found;
  };
}
