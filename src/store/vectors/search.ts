import type { Near, Nearest } from "../../model/search-index.ts";
import { COLUMNS, narrowed, toCandidate, type MemoryRow } from "../sqlite/memory-rows.ts";
import { unit } from "./math.ts";
import { LIVE, type VectorRoom } from "./models.ts";
import {
  type NearestRows,
  nearestOf,
  type NearRow,
  oneByOne,
  PAGE,
  type Row,
} from "./nearest-rows.ts";

type NearQuery = Nearest["memories"][0];

/**
 * Some of the nearest are over by now: of this many times the limit the best that stand are
 * answered.
 */
const OVERFETCH = 1.5;

/**
 * The nearest memories of the scopes; when narrowed by more than their expiry, only those that fit
 * are read.
 */
export function vectorSearch({ listed, scopes, models }: VectorRoom, nearest: NearestRows) {
  function fitting(query: NearQuery, model: number, vector: Float32Array): Promise<NearRow[]> {
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
    function* all() {
      for (const scope of scopes.numbers(query.scopes))
        yield* oneByOne((last) => page(scope, last, model, ...values) as Row[], vector);
    }
    return nearestOf(all(), query.limit);
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
