import { type CellTable } from "./cells.ts";
import { type Connection } from "../sqlite/database.ts";
import { means } from "./means.ts";
import { dot, fromBlob, toBlob } from "./math.ts";
import { FRESH, type Cell, type ModelRow } from "./rows.ts";

/** How cells are cut, in vectors. */
export interface CellSizes {
  /** As many are compared one by one before they are sorted into cells: each costs a search 4 µs. */
  readonly settle: number;
  /** A scope up to this many is one cell, compared whole. */
  readonly whole: number;
  /** A cell beyond this is divided into parts of about `members`. */
  readonly cap: number;
  readonly members: number;
}
export const CELL_SIZES: CellSizes = { settle: 16, whole: 5_000, cap: 1_200, members: 350 };

/** Middles are found among so many vectors a part, and no more in all: a million of them would take hours and 1.5 GB. */
const SAMPLE = { part: 20, most: 16_384 } as const;
/** More cells than these at once are larger rather than more: each vector is compared with the middle of every one. */
const MOST_CELLS = 1_600;
const PAGE = 500;
/** Vectors as near as this are one: nothing can be cut between them. */
const ONE = 1 - 1e-5;

type Place = Pick<Cell, "scope" | "cell" | "members">;
type Sample = (model: number, place: Place, wanted: number) => Generator<void, Float32Array[]>;

/** New cells for what stands together. Yields between slices of its work; what it finds is written in one transaction. */
export function cellDivider(
  database: Connection,
  { cells, sizes }: { cells: CellTable; sizes: CellSizes },
) {
  const newCell = database.prepare(
    "insert into vector_cell (model, scope, cap, centroid) values (?, ?, ?, ?)",
  );
  const drain = database.prepare("update vector_cell set draining = 1 where cell = ?");
  const widen = database.prepare("update vector_cell set cap = 2 * members where cell = ?");
  const drainWhole = database.prepare(
    "update vector_cell set draining = 1 where model = ? and scope = ? and centroid is null",
  );
  const divisible = database.prepare("select 1 from vector_cell where cell = ? and draining = 0");
  const sample = sampler(database);
  const recount = recounter(database);
  const make = database.transaction(
    (model: ModelRow, scope: number, middles: readonly Float32Array[]): void => {
      for (const middle of middles) newCell.run(model.number, scope, sizes.cap, toBlob(middle));
      cells.changed(model.number, scope);
    },
  );

  return {
    /** Parts for a cell that is too full; its vectors move there afterwards, slice by slice. */
    *full(model: ModelRow, cell: Cell): Generator<void, void> {
      const size = cell.members > 2 * sizes.whole ? sizes.cap / 2 : sizes.members;
      const middles = yield* middlesOf(sample, model, { ...cell, size });
      database
        .transaction(() => {
          if (divisible.get(cell.cell) === undefined) return;
          if (middles.length === 0) return recount(model.number, cell);
          // Equal texts, or an embedder that gives everything one vector: divided, all would go to one part again, for ever.
          if (middles.every((middle) => dot(middle, middles[0] ?? middle) >= ONE))
            return void widen.run(cell.cell);
          drain.run(cell.cell);
          make(model, cell.scope, middles);
        })
        .immediate();
    },

    /** Cells for many vectors that came at once: each is then moved but once. */
    *fresh(
      model: ModelRow,
      { scope, fresh }: { scope: number; fresh: number },
    ): Generator<void, void> {
      const size = Math.max(sizes.members, Math.min(sizes.cap / 2, fresh / MOST_CELLS));
      const place = { scope, cell: FRESH, members: fresh };
      const middles = yield* middlesOf(sample, model, { ...place, size });
      database
        .transaction(() => {
          if (middles.length === 0) return recount(model.number, place);
          drainWhole.run(model.number, scope);
          make(model, scope, middles);
        })
        .immediate();
    },
  };
}

function sampler(database: Connection): Sample {
  // Rows by a hash of their number: those of one scope may all be odd, or of one year the first.
  const blobs = database.prepare(
    `select row, embedding from vector where model = ? and scope = ? and cell = ? and row > ? and ((row * 2654435761) & 4294967295) < ? order by row limit ${PAGE}`,
  );
  return function* (model, { scope, cell, members }, wanted) {
    const vectors: Float32Array[] = [];
    const bound = Math.ceil(2 ** 32 * Math.min(1, wanted / members));
    for (let after = 0; ; yield) {
      const rows = blobs.all(model, scope, cell, after, bound) as {
        row: number;
        embedding: Buffer;
      }[];
      vectors.push(...rows.map(({ embedding }) => fromBlob(embedding)));
      if (rows.length < PAGE) return vectors;
      after = rows.at(-1)?.row ?? after;
    }
  };
}

function* middlesOf(
  sample: Sample,
  { number }: ModelRow,
  { size, ...place }: Place & { size: number },
): Generator<void, Float32Array[]> {
  const parts = Math.max(2, Math.ceil(place.members / size));
  const vectors = yield* sample(number, place, Math.min(SAMPLE.most, SAMPLE.part * parts));
  if (vectors.length === 0) return [];
  return yield* means(vectors, Math.min(parts, Math.max(2, Math.ceil(vectors.length / 2))));
}

/** Where a count and the rows disagree, the rows are right; or the same place would come up for ever. */
function recounter(
  database: Connection,
): (model: number, place: Pick<Cell, "scope" | "cell">) => void {
  const members = database
    .prepare("select count(*) from vector where model = ? and scope = ? and cell = ?")
    .pluck();
  const setFresh = database.prepare(
    "update vector_scope set fresh = ? where model = ? and scope = ?",
  );
  const setMembers = database.prepare("update vector_cell set members = ? where cell = ?");
  return (model, { scope, cell }) => {
    const there = members.get(model, scope, cell) as number;
    if (cell === FRESH) setFresh.run(there, model, scope);
    else setMembers.run(there, cell);
  };
}
