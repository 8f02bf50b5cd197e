import { breaths } from "../../base/async.ts";
import { dot, fromBlob, signsOf } from "./math.ts";
import { LIVE, type ModelRow, type VectorRoom } from "./models.ts";

/** In a scope with fewer, reading and comparing each takes no longer. */
export const FEW = 2_000;
/**
 * Signs order almost as cosines do: the best by signs, so many or so many times the limit, are
 * compared exactly.
 */
const COMPARED = { least: 1_000, times: 8 };
/** A scope is compared in so many parts, by its first signs, and others have their turn between. */
const PARTS = 2;
/** Vectors read and compared one by one before others have their turn: 3 to 5 ms. */
const PAGE = 1_000;

export type VectorTable = "vector" | "page_vector";

interface Place {
  readonly model: ModelRow;
  readonly scopes: readonly number[];
}
interface Row {
  readonly row: number;
  readonly bits: Buffer;
  readonly embedding: Buffer;
}
export interface NearRow {
  readonly row: number;
  readonly cosine: number;
}

export const nearestFirst = (one: NearRow, other: NearRow): number =>
  other.cosine - one.cosine || one.row - other.row;

/**
 * The rows of a table whose vectors lie next to one of length 1. sqlite-vec compares the signs of
 * all, and of the best of them the vectors decide; where `scans` says that it is not there, or
 * where a scope has fewer than `few`, each vector is compared.
 */
export function nearestRows({ rows, value, listed, scans, few }: VectorRoom, table: VectorTable) {
  const live = `from ${table} where model = ? and scope = ? and cell = ${LIVE}`;
  const isLarge = value(`select 1 ${live} limit 1 offset ${Math.max(0, few - 1)}`);
  const page = rows<Row>(
    `select row, bits, embedding ${live} and (bits, row) > (?, ?) order by bits, row limit ${PAGE}`,
  );
  const named = rows<Omit<Row, "bits">>(
    `select v.row, v.embedding from json_each(?) named cross join ${table} v on v.row = named.value
     where v.model = ? and v.scope = ? and v.cell = ${LIVE}`,
  );

  /**
   * The rows whose signs differ least; statements are prepared late, when the extension is there.
   */
  async function* bySigns(place: [number, number], signs: Buffer, limit: number) {
    const part = listed(
      `select row, vec_distance_hamming(vec_bit(bits), vec_bit(?)) as apart ${live}
       and bits >= ? and bits < ? order by apart limit ${limit}`,
    );
    const best: { row: number; apart: number }[] = [];
    for (let at = 0; at < PARTS; at += 1) {
      const [from, to] = [Buffer.of((256 / PARTS) * at), Buffer.of((256 / PARTS) * (at + 1) - 1)];
      const end = Buffer.concat([to, Buffer.alloc(signs.length, 255)]);
      best.push(...(part(signs, ...place, from, end) as typeof best));
      yield;
    }
    best.sort((one, other) => one.apart - other.apart);
    yield named(
      best.slice(0, limit).map(({ row }) => row),
      ...place,
    );
  }

  async function* all(place: [number, number]) {
    let last: Pick<Row, "row" | "bits"> = { row: -1, bits: Buffer.alloc(0) };
    for (;;) {
      const found = page(...place, last.bits, last.row);
      yield found;
      last = found.at(-1) ?? last;
      if (found.length < PAGE) return;
    }
  }

  return async (
    { model: { number }, scopes }: Place,
    vector: Float32Array,
    limit: number,
  ): Promise<NearRow[]> => {
    const pause = breaths();
    const signs = signsOf(vector);
    const compared = Math.max(COMPARED.least, COMPARED.times * limit);
    let best: NearRow[] = [];
    for (const scope of scopes) {
      const isScanned = scans() && isLarge(number, scope) === 1;
      const found = isScanned ? bySigns([number, scope], signs, compared) : all([number, scope]);
      for await (const some of found) {
        const near = (some ?? []).map(({ row, embedding }) => ({
          ...{ row, cosine: dot(vector, fromBlob(embedding)) },
        }));
        best = [...best, ...near].sort(nearestFirst).slice(0, limit);
        await pause();
      }
    }
    return best;
  };
}
export type NearestRows = ReturnType<typeof nearestRows>;
