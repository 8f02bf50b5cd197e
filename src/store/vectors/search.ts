import { breaths } from "../../base/async.ts";
import type { Near, Narrowing } from "../../model/store.ts";
import { COLUMNS, narrowed, toCandidate, type MemoryRow } from "../sqlite/memory-rows.ts";
import { dot, fromBlob, quantised, unit } from "./math.ts";
import { LIVE, type ModelRow, type VectorRoom } from "./models.ts";
import type { Residence, Row } from "./resident-vectors.ts";

type NearQuery = Narrowing & { readonly vector: Float32Array };

/** Bytes order almost as the numbers they stand for: of this many times the limit the best are found exactly. */
const OVERFETCH = 1.5;
/** Vectors read and compared one by one before others have their turn: 3 to 5 ms. */
const PAGE = 1_000;

/** The best so far, by whatever orders them. */
function createBest(limit: number) {
  let best: { row: number; near: number }[] = [];
  let least = -Infinity;
  const cut = (): void => {
    best = best.sort((one, other) => other.near - one.near || one.row - other.row).slice(0, limit);
    least = best[limit - 1]?.near ?? least;
  };
  return {
    note(row: number, near: number): void {
      if (near < least) return;
      best.push({ row, near });
      if (best.length > 4 * limit) cut();
    },
    rows(): number[] {
      cut();
      return [...new Set(best.map(({ row }) => row))];
    },
  };
}

/** Rows that lie next to a vector of length 1, some more than asked for, by the bytes of them all. */
export async function nearestRows(
  residence: Residence,
  { model, scopes }: { model: ModelRow; scopes: readonly number[] },
  { vector, limit }: { vector: Float32Array; limit: number },
): Promise<number[]> {
  const best = createBest(Math.ceil(OVERFETCH * limit));
  const [question, pause] = [quantised(vector), breaths()];
  for (const scope of scopes)
    await residence.scan({ model, scope }, { question, visit: best.note, pause });
  return best.rows();
}

/**
 * The nearest of the scopes, by comparing all: bytes in memory first, then the best of them by their own vectors. What is
 * narrowed by more than its expiry is read from the database, those only that fit.
 */
export function vectorSearch({ listed, scopes, models }: VectorRoom, residence: Residence) {
  /** Every vector of a scope that fits, as it stands. */
  async function read(
    query: NearQuery,
    { model, scope }: { model: number; scope: number },
    near: (row: Row) => void,
  ): Promise<void> {
    const pause = breaths();
    const [where, ...values] = narrowed(query);
    const isPast = query.asOf !== undefined;
    const by = query.category !== undefined && !isPast ? " indexed by memory_category" : "";
    // "cross join" keeps the order of reading: those that fit first, then their vectors.
    const page = listed(
      `select m.row, v.embedding from memory m${by} cross join vector v on v.row = m.row where m.scope = ? and m.row > ? and v.model = ? and ${isPast ? "" : `v.cell = ${LIVE} and `}${where} order by m.row limit ${PAGE}`,
    );
    for (let after = -1; ;) {
      const rows = page(scope, after, model, ...values) as Row[];
      rows.forEach(near);
      if (rows.length < PAGE) return;
      after = rows.at(-1)?.row ?? after;
      await pause();
    }
  }

  return async (query: NearQuery): Promise<Near[]> => {
    const { limit } = query;
    const model = models.current();
    if (model === undefined || query.vector.length !== model.dimensions) return [];
    const vector = unit(query.vector);
    const numbers = scopes.numbers(query.scopes);
    const exactly = async (): Promise<Near[]> => {
      const best = createBest(limit);
      for (const scope of numbers)
        await read(query, { model: model.number, scope }, ({ row, embedding }) =>
          best.note(row, dot(vector, fromBlob(embedding))),
        );
      return chosen(best.rows());
    };
    const chosen = (rows: readonly number[]): Near[] => {
      const [where, ...values] = narrowed(query);
      const found = listed(
        `select ${COLUMNS}, s.name as scope, v.embedding from json_each(?) named cross join vector v on v.row = named.value cross join memory m on m.row = v.row cross join scope s on s.number = m.scope
         where v.model = ? and v.scope in (select value from json_each(?)) and ${where}`,
      )(rows, model.number, numbers, ...values);
      return (found as (MemoryRow & Row)[])
        .map(({ embedding, ...row }) => ({ row, cosine: dot(vector, fromBlob(embedding)) }))
        .sort((one, other) => other.cosine - one.cosine || (one.row.id < other.row.id ? -1 : 1))
        .slice(0, limit)
        .map(({ row, cosine }) => ({ ...toCandidate(row), cosine }));
    };
    if (query.asOf !== undefined || query.kind !== undefined || query.category !== undefined)
      return exactly();
    const rows = await nearestRows(residence, { model, scopes: numbers }, { vector, limit });
    const found = chosen(rows);
    // Some of the nearest are over by now: their places are for others.
    return found.length < Math.min(limit, rows.length) ? exactly() : found;
  };
}
