import { checkVector, unit } from "../../core/vectors.ts";
import {
  ASIDE,
  isZero,
  LIVE,
  signsOf,
  toBlob,
  type VectorRoom,
  type VectorTable,
} from "./nearest-vectors.ts";

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
