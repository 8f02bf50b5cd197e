import { type Connection } from "./database.ts";
import { dots } from "./dots.ts";

/** Vectors kept at hand by one open index, in bytes, one a component: 170,000 of 384 dimensions. */
const MOST = 64 * 1024 * 1024;

/** One chunk of sqlite-vec's: places for vectors, some of them empty. */
interface Chunk {
  readonly id: number;
  /** Which places are taken, and the rows in them: as long as that stays, so do the vectors. */
  readonly head: readonly Buffer[];
  /** The rows by place; 0 where there is none. */
  readonly rows: Float64Array;
  readonly vectors: Buffer;
}

/** The chunks of a cell, and the state of the database they are known to be of. */
interface Kept {
  readonly stamp: string;
  readonly chunks: readonly Chunk[];
}

/** Is told of each vector how near it is: the product of the bytes. */
export type Visit = (row: number, product: number) => void;
export interface Place {
  readonly scope: number;
  readonly cell: number;
}

export interface Residence {
  /** Compares with every vector of a cell. Answers how many chunks were read for it; undefined in a transaction, where nothing is compared. */
  scan(question: Int8Array, place: Place, visit: Visit): number | undefined;
  /** Something was written; a vector, if one is named, came into a cell. */
  changed(came?: Place & { readonly row: number }): void;
}

/** sqlite-vec's table, whose chunks of so many places are read where it keeps them. */
interface Table {
  readonly name: string;
  readonly places: number;
}

/**
 * The vectors of the cells asked last, in memory: comparing them takes a hundredth of reading them. When something was written
 * since, what stands beside them in the database is compared, who is in which place, and only what is new is read.
 */
export function openResidence(database: Connection, { name, places }: Table, most = MOST): Residence {
  const heads = database.prepare(`select chunk_id, validity, rowids from ${name}_chunks where partition00 = ? and partition01 = ? order by chunk_id`).raw();
  const contents = database.prepare(`select vectors from ${name}_vector_chunks00 where rowid = ?`).pluck();
  /** Another number when somebody else has written. */
  const foreign = database.prepare("pragma data_version").pluck();
  const cells = new Map<string, Kept>();
  let [writes, size] = [0, 0];

  const keyOf = ({ scope, cell }: Place): string => `${scope} ${cell}`;
  const sizeOf = (chunks: readonly Chunk[]): number => chunks.reduce((sum, { vectors }) => sum + vectors.length, 0);

  function take(key: string): Kept | undefined {
    const kept = cells.get(key);
    if (kept === undefined) return undefined;
    cells.delete(key);
    size -= sizeOf(kept.chunks);
    return kept;
  }

  /** What was not asked for the longest gives way. */
  function keep(key: string, kept: Kept): void {
    cells.set(key, kept);
    size += sizeOf(kept.chunks);
    for (const oldest of cells.keys()) {
      if (size <= most) return;
      take(oldest);
    }
  }

  /** The chunks as they stand now, and how many of them had to be read. */
  function looked({ scope, cell }: Place, known: readonly Chunk[]): { chunks: readonly Chunk[]; read: number } {
    const before = new Map(known.map((chunk) => [chunk.id, chunk]));
    let read = 0;
    const chunks = (heads.all(scope, cell) as [number, Buffer, Buffer][]).map(([id, validity, rowids]): Chunk => {
      const old = before.get(id);
      if (old?.head[0]?.equals(validity) === true && old.head[1]?.equals(rowids) === true) return old;
      read += 1;
      // A bit for each place that is taken.
      const rows = Float64Array.from({ length: places }, (_, place) => (((validity[place >> 3] ?? 0) >> (place & 7)) & 1 ? Number(rowids.readBigInt64LE(8 * place)) : 0));
      return { id, head: [validity, rowids], rows, vectors: contents.get(id) as Buffer };
    });
    return { chunks, read };
  }

  return {
    scan(question, place, visit) {
      // What a transaction has not yet made true must not be remembered.
      if (database.inTransaction) return undefined;
      const key = keyOf(place);
      const stamp = `${foreign.get() as number} ${writes}`;
      const kept = take(key);
      const { chunks, read } = kept?.stamp === stamp ? { chunks: kept.chunks, read: 0 } : looked(place, kept?.chunks ?? []);
      keep(key, { stamp, chunks });
      for (const { rows, vectors } of chunks) {
        const products = dots(question, vectors);
        for (let at = 0; at < places; at += 1) if (rows[at] !== 0) visit(rows[at] as number, products[at] as number);
      }
      return read;
    },
    changed(came) {
      writes += 1;
      const key = came === undefined ? undefined : keyOf(came);
      const kept = key === undefined ? undefined : cells.get(key);
      // It may have come back to its place with another vector.
      if (key === undefined || kept?.chunks.some(({ rows }) => rows.includes(came?.row ?? 0)) !== true) return;
      take(key);
    },
  };
}
