import { breaths } from "../../base/async.ts";
import { dot, fromBlob, signsOf, toBlob } from "./math.ts";
import { LIVE, type ModelRow, type VectorRoom } from "./models.ts";

/** In a scope with fewer, reading and comparing each takes no longer. */
export const FEW = 2_000;
/** Rows whose signs are compared before others have their turn: some 10 ms. */
const STRETCH = 50_000;
/**
 * Signs order only almost as cosines do: of each stretch the best by signs, so many or so many
 * times the limit, are compared exactly.
 */
const COMPARED = { fewest: 500, times: 8 };
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
export function nearestRows({ rows, value, listed, scans, few }: VectorRoom, table: VectorTable) {
  const live = `from ${table} indexed by ${table}_signs
    where model = ? and scope = ? and cell = ${LIVE}`;
  const isLarge = value(`select 1 ${live} limit 1 offset ${Math.max(0, few - 1)}`);
  const lastRow = value<number>(`select max(row) from ${table}`);
  const page = rows<Row>(`select row, embedding ${live} and row > ? order by row limit ${PAGE}`);

  /** Its statement is prepared late, when the extension is there. */
  function* bySigns(place: [number, number], vector: Float32Array, limit: number) {
    const stretch = listed(
      `select row, 1 - vec_distance_cosine(embedding, ?) as cosine from ${table}
       where row in (select row ${live} and row > ? and row <= ?
       order by vec_distance_hamming(vec_bit(bits), vec_bit(?)) limit ?)`,
    );
    const last = lastRow() ?? 0;
    for (let from = 0; from < last; from += STRETCH)
      yield stretch(
        ...[toBlob(vector), ...place, from, from + STRETCH, signsOf(vector), limit],
      ) as NearRow[];
  }

  return (
    { model: { number }, scopes }: Place,
    vector: Float32Array,
    limit: number,
  ): Promise<NearRow[]> => {
    const compared = Math.max(COMPARED.fewest, COMPARED.times * limit);
    function* all() {
      for (const scope of scopes)
        yield* scans() && isLarge(number, scope) === 1
          ? bySigns([number, scope], vector, compared)
          : oneByOne((last) => page(number, scope, last), vector);
    }
    return nearestOf(all(), limit);
  };
}
export type NearestRows = ReturnType<typeof nearestRows>;
