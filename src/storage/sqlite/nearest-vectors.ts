import { breaths } from "../../core/base.ts";
import { checkVector, dot, unit, type VectorModel } from "../../core/vectors.ts";
import type { Scopes } from "./memory-rows.ts";
import type { Sql } from "./sql.ts";

/** A vector is found, or set aside (past values; texts an embedder makes nothing of). */
export const LIVE = 0;
const ASIDE = -1;

interface ModelRow extends VectorModel {
  readonly number: number;
  readonly notes: string | null;
}

/**
 * The model in use, by this process and by the database: another process may have changed it
 * meanwhile.
 */
export function vectorModels({ row, run, value, inOne }: Sql) {
  const find = (name: string, dimensions: number) =>
    row<ModelRow>`select number, name, dimensions, notes from vector_model
      where name = ${name} and dimensions = ${dimensions}`;
  let inUse: ModelRow | undefined;

  return {
    /** Answers what was noted of the model before. */
    use: inOne((name: string, dimensions: number, notes?: string) => {
      // Known, it is not written: other processes would read all their vectors anew.
      if (find(name, dimensions) === undefined)
        run`insert into vector_model (name, dimensions) values (${name}, ${dimensions})`;
      inUse = find(name, dimensions);
      const number = inUse?.number;
      // Vectors that another model took over meanwhile are missing again.
      const chosen = run`update vector_model set current = (number = ${number}), swept = 0
        where current <> (number = ${number})`;
      if (chosen.changes > 0) {
        run`update stretch set signed = 0 where number in (select stretch from stretch_signs)`;
        run`delete from stretch_signs`;
      }
      if (notes !== undefined)
        run`update vector_model set notes = ${notes} where number = ${number}`;
      return notes ?? inUse?.notes ?? undefined;
    }),
    /** Undefined when there is none, or when another process has put another model in its place. */
    current(): ModelRow | undefined {
      const current = value`select current from vector_model where number = ${inUse?.number}`;
      return current === 1 ? inUse : undefined;
    },
  };
}

/** How vectors are compared, where that is not the usual way. */
export interface VectorOptions {
  /** Scopes with fewer vectors are compared one by one. */
  readonly few?: number;
  /** Loads sqlite-vec; throws where there is none. */
  readonly load?: () => void;
  /** Is told once that sqlite-vec could not be loaded. */
  readonly missing?: (thrown: unknown) => void;
}

/**
 * Whether sqlite-vec is there, loaded when that first matters: without an embedder nothing needs
 * it.
 */
export function extension({ load, missing }: VectorOptions): () => boolean {
  let isThere: boolean | undefined;
  return () => {
    if (isThere !== undefined) return isThere;
    try {
      load?.();
      isThere = load !== undefined;
    } catch (thrown) {
      isThere = false;
      missing?.(thrown);
    }
    return isThere;
  };
}

/** The parts of the vector index share it. */
export interface VectorRoom extends Sql {
  readonly few: number;
  readonly scans: () => boolean;
  readonly scopes: Scopes;
  readonly models: ReturnType<typeof vectorModels>;
}

const isZero = (vector: Float32Array): boolean => vector.every((value) => value === 0);

const toBlob = (vector: Float32Array): Buffer =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);

export function fromBlob(blob: Buffer): Float32Array {
  // A view needs its bytes at a multiple of four; where a database put them is its own affair.
  const bytes = blob.byteOffset % 4 === 0 ? blob : new Uint8Array(blob);
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

/** One bit a component: its sign. Vectors differ in about as many as their angle is wide. */
export function signsOf(vector: Float32Array): Buffer {
  const bits = Buffer.alloc(Math.ceil(vector.length / 8));
  vector.forEach((value, at) => {
    if (value > 0) bits[at >> 3] = (bits[at >> 3] ?? 0) | (1 << (at & 7));
  });
  return bits;
}

/** In a scope with fewer, reading and comparing each takes no longer. */
export const FEW = 2_000;
/** Rows whose signs are compared before others have their turn: some 10 ms. */
const STRETCH = 50_000;
/**
 * Signs order only almost as cosines do: the best by signs, so many or so many times the limit, are
 * compared exactly. Each is read from another page, which takes as long as comparing 40 signs.
 */
const COMPARED = { fewest: 120, times: 4 };
/** Vectors read and compared one by one before others have their turn: 3 to 5 ms. */
export const PAGE = 1_000;

export type VectorTable = "vector" | "page_vector";

interface Place {
  readonly model: ModelRow;
  readonly scopes: readonly number[];
}
export interface Row {
  readonly row: number;
  readonly embedding: Buffer;
}
export interface NearRow {
  readonly row: number;
  readonly cosine: number;
}

/** The nearest of all, as pages of them are read; others have their turn in between. */
export async function nearestOf(
  pages: Iterable<readonly NearRow[]>,
  limit: number,
): Promise<NearRow[]> {
  const pause = breaths();
  let best: NearRow[] = [];
  for (const near of pages) {
    best = [...best, ...near]
      .sort((one, other) => other.cosine - one.cosine || one.row - other.row)
      .slice(0, limit);
    await pause();
  }
  return best;
}

/** Vectors compared one by one; `page` reads those behind a row. */
export function* oneByOne(
  page: (last: number) => readonly Row[],
  vector: Float32Array,
): Generator<NearRow[]> {
  let found: readonly Row[];
  let last = -1;
  do {
    found = page(last);
    yield found.map(({ row, embedding }) => ({ row, cosine: dot(vector, fromBlob(embedding)) }));
    last = found.at(-1)?.row ?? last;
  } while (found.length === PAGE);
}

/**
 * The rows of a table whose vectors lie next to one of length 1. sqlite-vec compares the signs of
 * all, and of the best of them the vectors decide; where `scans` says that it is not there, or
 * where a scope has fewer than `few`, each vector is compared.
 */
export function nearestRows({ rows, value, scans, few }: VectorRoom, table: VectorTable) {
  const live = `from ${table} indexed by ${table}_signs
    where model = ? and scope = ? and cell = ${LIVE}`;
  const nth = `select 1 ${live} limit 1 offset ${Math.max(0, few - 1)}`;
  // A vector further off than the best so far is never sorted in.
  const stretch = `select row, -vec_distance_hamming(vec_bit(bits), vec_bit(?)) as cosine ${live}
    and row > ? and row <= ? and cosine > ? order by cosine desc limit ?`;
  const exactly = `select row, 1 - vec_distance_cosine(embedding, ?) as cosine from ${table}
    where row in (select value from json_each(?))`;
  const page = `select row, embedding ${live} and row > ? order by row limit ${PAGE}`;

  async function bySigns(place: [number, number], vector: Float32Array, limit: number) {
    const last = value<number>(`select max(row) from ${table}`) ?? 0;
    function* all() {
      const signs = signsOf(vector);
      let least = -vector.length - 1;
      for (let from = 0, to = FEW; from < last; from = to, to += Math.min(STRETCH, 3 * to)) {
        const near = rows<NearRow>(stretch, signs, ...place, from, to, least, limit);
        if (near.length === limit) least = Math.max(least, near.at(-1)?.cosine ?? least);
        yield near;
      }
    }
    const best = await nearestOf(all(), limit);
    return rows<NearRow>(
      exactly,
      toBlob(vector),
      best.map(({ row }) => row),
    );
  }

  return async (
    { model: { number }, scopes }: Place,
    vector: Float32Array,
    limit: number,
  ): Promise<NearRow[]> => {
    const compared = Math.max(COMPARED.fewest, COMPARED.times * limit);
    const found: NearRow[][] = [];
    for (const scope of scopes)
      found.push(
        scans() && value(nth, number, scope) === 1
          ? await bySigns([number, scope], vector, compared)
          : await nearestOf(
              oneByOne((last) => rows(page, number, scope, last), vector),
              limit,
            ),
      );
    return nearestOf(found, limit);
  };
}
export type NearestRows = ReturnType<typeof nearestRows>;

/** A vector belongs to a row and its scope. */
export interface Placed {
  readonly row: number;
  readonly scope: number;
}
/**
 * Changes the vectors of a table, within the transaction that is open.
 */
export const vectorWriter = ({ run, models }: VectorRoom, table: VectorTable) => ({
  /**
   * Each in place of the one it had; what has no place any more is passed over. Throws "embed" for
   * what is no vector of the model's.
   */
  put<Given extends { readonly vector: Float32Array }>(
    vectors: readonly Given[],
    placeOf: (given: Given) => Placed | undefined,
  ): void {
    const model = models.current();
    if (model === undefined) return;
    for (const given of vectors) {
      checkVector(given.vector, model);
      const place = placeOf(given);
      if (place === undefined) continue;
      const made = unit(given.vector);
      const cell = isZero(made) ? ASIDE : LIVE;
      run(
        `insert or replace into ${table} (row, model, scope, cell, bits, embedding)
         values (?, ?, ?, ?, ?, ?)`,
        ...[place.row, model.number, place.scope, cell, signsOf(made), toBlob(made)],
      );
    }
  },
  /** The value is past now: kept for questions of what held then. */
  retire: (row: number): unknown => run(`update ${table} set cell = ${ASIDE} where row = ?`, row),
  erase: (row: number): unknown => run(`delete from ${table} where row = ?`, row),
});
export type VectorWriter = ReturnType<typeof vectorWriter>;
