import { TidemarkError } from "../../model/errors.ts";
import { isZero, signsOf, toBlob, unit } from "./math.ts";
import { ASIDE, LIVE, type ModelRow, type VectorRoom } from "./models.ts";
import type { VectorTable } from "./nearest-rows.ts";

/** A vector belongs to a row and its scope. */
export interface Placed {
  readonly row: number;
  readonly scope: number;
}
/** A vector that questions find, as it stands. */
interface Standing extends Placed {
  readonly model: number;
  readonly embedding: Buffer;
}
/** Is told of each vector that comes (1) or goes (-1), in the same transaction. */
export type Moved = (vector: Standing, by: 1 | -1) => void;

/**
 * What changes the vectors of a table. `put` has a transaction of its own; the others expect to run
 * inside one.
 */
export function vectorWriter(
  { row: rowOf, run, inOne, models }: VectorRoom,
  { table, moved }: { table: VectorTable; moved?: Moved },
) {
  const live = rowOf<Standing>(
    `select row, scope, model, embedding from ${table} where row = ? and cell = ${LIVE}`,
  );
  const drop = run(`delete from ${table} where row = ?`);
  const aside = run(`update ${table} set cell = ${ASIDE} where row = ?`);
  const add = run(
    `insert or replace into ${table} (row, model, scope, cell, bits, embedding)
     values (?, ?, ?, ?, ?, ?)`,
  );
  function tell(row: number, by: 1 | -1): void {
    const vector = live(row);
    if (vector === undefined) return;
    moved?.(vector, by);
  }
  const asOne = inOne((work: () => void) => work());
  return {
    /**
     * Each in place of the one it had; what has no place any more is passed over. Throws "embed"
     * for what is no vector of the model's.
     */
    put: <Given extends { readonly vector: Float32Array }>(
      vectors: readonly Given[],
      placeOf: (given: Given) => Placed | undefined,
    ): void =>
      asOne(() => {
        const model = models.current();
        if (model === undefined) return;
        for (const given of vectors) {
          checkVector(given.vector, model);
          const place = placeOf(given);
          if (place === undefined) continue;
          const { row, scope } = place;
          const made = unit(given.vector);
          tell(row, -1);
          const cell = isZero(made) ? ASIDE : LIVE;
          add(row, model.number, scope, cell, signsOf(made), toBlob(made));
          tell(row, 1);
        }
      }),
    /** The value is past now: kept for questions of what held then. */
    retire(row: number): void {
      tell(row, -1);
      aside(row);
    },
    erase(row: number): void {
      tell(row, -1);
      drop(row);
    },
    /** Around a change of what the row's vector is told of. */
    retell(row: number, change: () => void): void {
      tell(row, -1);
      change();
      tell(row, 1);
    },
  };
}
export type VectorWriter = ReturnType<typeof vectorWriter>;

function checkVector(vector: Float32Array, { name, dimensions }: ModelRow): void {
  const refuse = (what: string): never => {
    throw new TidemarkError("embed", `The embedder ${name} ${what}; nothing of it is stored.`);
  };
  if (vector.length !== dimensions)
    refuse(`promised ${dimensions} dimensions and gave a vector of ${vector.length}`);
  if (!vector.every(Number.isFinite))
    refuse("gave a vector that holds something else than finite numbers");
}
