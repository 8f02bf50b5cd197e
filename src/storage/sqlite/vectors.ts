import { dot, unit } from "../../core/vectors.ts";
import type { Unit } from "../port.ts";
import { toCandidate } from "../rows.ts";
import type { Missing, Near, Nearest, VectorIndex } from "../search-index.ts";
import { COLUMNS, type MemoryRow, narrowed, type Scopes } from "./memory-rows.ts";
import {
  extension,
  FEW,
  fromBlob,
  LIVE,
  nearestOf,
  nearestRows,
  type NearestRows,
  type NearRow,
  oneByOne,
  PAGE,
  type Placed,
  type Row,
  vectorModels,
  type VectorOptions,
  type VectorRoom,
  type VectorTable,
  vectorWriter,
} from "./nearest-vectors.ts";
import type { Answering } from "./shared-file.ts";
import type { Sql } from "./sql.ts";

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
function vectorSearch({ rows: read, scopes, models }: VectorRoom, nearest: NearestRows) {
  function fitting(query: NearQuery, model: number, vector: Float32Array): Promise<NearRow[]> {
    const [where, ...values] = narrowed(query);
    const isPast = query.asOf !== undefined;
    const by = query.category !== undefined && !isPast ? " indexed by memory_category" : "";
    const cell = isPast ? "" : `v.cell = ${LIVE} and `;
    // "cross join" keeps the order of reading: those that fit first, then their vectors.
    const page = `select m.row, v.embedding from memory m${by} cross join vector v on v.row = m.row
       where m.scope = ? and m.row > ? and v.model = ? and ${cell}${where} order by m.row limit
       ${PAGE}`;
    function* all() {
      for (const scope of scopes.numbers(query.scopes))
        yield* oneByOne((last) => read<Row>(page, scope, last, model, ...values), vector);
    }
    return nearestOf(all(), query.limit);
  }

  /** Those of the rows that fit, as they stand. */
  function chosen(query: NearQuery, rows: readonly NearRow[]): Near[] {
    const [where, ...values] = narrowed(query);
    const cosines = new Map(rows.map(({ row, cosine }) => [row, cosine]));
    return read<MemoryRow>(
      `select ${COLUMNS}, s.name as scope from json_each(?) named
       cross join memory m on m.row = named.value cross join scope s on s.number = m.scope
       where m.scope in (select value from json_each(?)) and ${where}`,
      ...[[...cosines.keys()], scopes.numbers(query.scopes), ...values],
    )
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

/** Vectors beside the memories and pages of one database share it. */
export function vectorRoom(sql: Sql, scopes: Scopes, options: VectorOptions): VectorRoom {
  const { few = FEW } = options;
  return { ...sql, scopes, models: vectorModels(sql), few, scans: extension(options) };
}

/** Those of memories. */
export function memoryVectors(room: VectorRoom) {
  const write = vectorWriter(room, "vector");
  return {
    write,
    missing: missingIn(room),
    nearest: vectorSearch(room, nearestRows(room, "vector")),
    cosines: cosinesIn(room),
    sample: sampleOf(room),
    put: (vectors: NonNullable<NonNullable<Unit["vectors"]>["memories"]>): void =>
      write.put(
        vectors,
        ({ id, version }) =>
          room.row<Placed>`select row, scope from memory
            where id = ${id} and version = ${version} and valid_to is null`,
      ),
  };
}

type Reads = Answering<VectorIndex, "cosines" | "sample">;

/** Rows looked through are noted, and not looked at again. */
const missingIn =
  ({ rows, run, value, models }: VectorRoom) =>
  (limit: number): Missing["memories"][1] => {
    const model = models.current()?.number;
    if (model === undefined || limit < 1) return [];
    const found = rows<{ row: number; id: string; version: number; content: string }>`select
         m.row, m.id, m.version, m.content from memory m left join vector v on v.row = m.row
       where m.row > (select swept from vector_model where number = ${model})
         and m.valid_to is null and (v.row is null or v.model <> ${model})
       order by m.row limit ${limit}`;
    const last = (): number => value`select coalesce(max(row), 0) from memory` ?? 0;
    const to = found[0] ? found[0].row - 1 : last();
    run`update vector_model set swept = ${to} where number = ${model} and swept < ${to}`;
    return found.map(({ row: _row, ...missing }) => missing);
  };

/** Compares with each value's own vector, of the reader's scopes and the model in use. */
const cosinesIn =
  ({ lists, scopes, models }: VectorRoom): Reads["cosines"] =>
  (values, visible, given) => {
    const vector = unit(given);
    const named = values.map(({ id, version }) => [id, version]);
    const own = new Map(
      lists<[at: number, embedding: Buffer]>`select named.key, v.embedding
         from json_each(${named}) named cross join memory m on m.id = named.value ->> 0
         and m.version = named.value ->> 1 cross join vector v on v.row = m.row
         where v.model = ${models.current()?.number}
           and v.scope in (select value from json_each(${scopes.numbers(visible)}))`,
    );
    return values.map((_, at) => {
      const vectorOfIt = own.get(at);
      return vectorOfIt?.length === vector.byteLength
        ? dot(vector, fromBlob(vectorOfIt))
        : undefined;
    });
  };

/** The sample is taken at even distances, in the order in which memories came. */
const sampleOf =
  ({ values, scopes, models }: VectorRoom): Reads["sample"] =>
  (visible, limit) => {
    const model = models.current()?.number;
    const shares = JSON.stringify(Array.from({ length: limit }, (_, at) => at / limit));
    const numbers = scopes.numbers(visible);
    const sampled = (table: VectorTable, scope: number): Buffer[] => {
      const live = `from ${table} indexed by ${table}_signs
        where model = @model and scope = @scope and cell = ${LIVE}`;
      return values(
        `select v.embedding
         from (select (select min(row) ${live}) as low, (select max(row) ${live}) as high)
         cross join json_each(@shares) share
         join ${table} v on v.row = (select row ${live}
           and row >= low + (high - low) * share.value order by row limit 1)
         group by v.row`,
        { shares, model: model ?? null, scope },
      );
    };
    return (["vector", "page_vector"] as const)
      .flatMap((table) => numbers.flatMap((scope) => sampled(table, scope)))
      .slice(0, limit)
      .map(fromBlob);
  };
