import { type Connection } from "../sqlite/database.ts";
import { dot, fromBlob } from "./math.ts";

export interface Cells {
  readonly numbers: readonly number[];
  readonly centroids: readonly Float32Array[];
  /** Cells without a middle: all of a small scope, or one that is being emptied. Always read. */
  readonly always: readonly number[];
}

const NONE: Cells = { numbers: [], centroids: [], always: [] };
/** Scopes whose middles are kept at hand; those of a million vectors take 3 MB. */
const REMEMBERED = 64;

/** The cells of a scope, read again when its generation says that they changed, by whatever process. */
export function cellTable(database: Connection) {
  const generation = database
    .prepare("select generation from vector_scope where model = ? and scope = ?")
    .pluck();
  const bump = database.prepare(
    "insert into vector_scope (model, scope, generation) values (?, ?, 1) on conflict (model, scope) do update set generation = generation + 1",
  );
  const read = database.prepare(
    "select cell, draining, centroid from vector_cell where model = ? and scope = ? order by cell",
  );
  const known = new Map<string, { at: number; cells: Cells }>();

  return {
    of(model: number, scope: number): Cells {
      const at = generation.get(model, scope) as number | undefined;
      if (at === undefined) return NONE;
      const key = `${model} ${scope}`;
      const remembered = known.get(key);
      known.delete(key);
      if (remembered?.at === at) {
        known.set(key, remembered);
        return remembered.cells;
      }
      const rows = read.all(model, scope) as {
        cell: number;
        draining: number;
        centroid: Buffer | null;
      }[];
      const sorted = rows.flatMap(({ cell, draining, centroid }) =>
        centroid === null || draining === 1 ? [] : [{ cell, centroid: fromBlob(centroid) }],
      );
      const cells: Cells = {
        numbers: sorted.map(({ cell }) => cell),
        centroids: sorted.map(({ centroid }) => centroid),
        always: rows
          .filter(({ draining, centroid }) => centroid === null || draining === 1)
          .map(({ cell }) => cell),
      };
      // What a transaction has not yet made true must not be remembered.
      if (!database.inTransaction) known.set(key, { at, cells });
      const oldest = known.size > REMEMBERED ? known.keys().next().value : undefined;
      if (oldest !== undefined) known.delete(oldest);
      return cells;
    },
    changed: (model: number, scope: number): unknown => bump.run(model, scope),
  };
}
export type CellTable = ReturnType<typeof cellTable>;

/** The cells worth reading for a vector, likeliest first. */
export function likeliest(
  { numbers, centroids }: Cells,
  vector: Float32Array,
  count: number,
): number[] {
  if (numbers.length <= count) return [...numbers];
  return centroids
    .map((centroid, at) => ({ cell: numbers[at] ?? 0, near: dot(vector, centroid) }))
    .sort((one, other) => other.near - one.near || one.cell - other.cell)
    .slice(0, count)
    .map(({ cell }) => cell);
}
