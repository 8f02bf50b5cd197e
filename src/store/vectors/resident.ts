import { type Connection } from "../sqlite/database.ts";
import { dots } from "./dots.ts";

/** Vectors kept at hand by one open index, in bytes, one a component: 170,000 of 384 dimensions. */
const MOST = 64 * 1024 * 1024;
/** Room is made for so many chunks at a time, and goes from one to the next. */
const GROWTH = 32;

/** One chunk of sqlite-vec's: places for vectors, some of them empty. */
interface Chunk {
  readonly id: number;
  /** The rows by place, 0 where there is none: as long as they stay, so do the vectors. */
  readonly rows: Float64Array;
  readonly vectors: Buffer;
  /** They lie in room that can be given to another. */
  readonly lent: boolean;
}

/** The chunks of a cell, and the state of the database they are known to be of. */
interface Kept {
  readonly stamp: string;
  readonly chunks: readonly Chunk[];
}

/** Is told of each vector how near it is: the product of the bytes. */
type Visit = (row: number, product: number) => void;
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
 * since, what stands beside them in the database is compared, which vector is in which place, and only what is new is read.
 */
export function openResidence(
  database: Connection,
  { name, places }: Table,
  most = MOST,
): Residence {
  const heads = database
    .prepare(
      `select chunk_id, validity, rowids from ${name}_chunks where partition00 = ? and partition01 = ? order by chunk_id`,
    )
    .raw();
  const contents = database
    .prepare(`select vectors from ${name}_vector_chunks00 where rowid = ?`)
    .pluck();
  /** Another number when another connection has written. */
  const foreign = database.prepare("pragma data_version").pluck();
  const { take, give, kept, keep, room } = residents(most);
  let writes = 0;

  /** The chunks as they stand now, and how many of them had to be read. */
  function looked(
    { scope, cell }: Place,
    known: readonly Chunk[],
  ): { chunks: readonly Chunk[]; read: number } {
    const before = new Map(known.map((chunk) => [chunk.id, chunk]));
    let read = 0;
    const chunks = (heads.all(scope, cell) as [number, Buffer, Buffer][]).map(
      ([id, validity, rowids]): Chunk => {
        const rows = rowsOf(validity, rowids, places);
        const old = before.get(id);
        if (old?.rows.every((row, at) => row === rows[at]) === true) {
          before.delete(id);
          return old;
        }
        read += 1;
        const vectors = contents.get(id) as Buffer;
        const own = room(vectors.length);
        own?.set(vectors);
        return { id, rows, vectors: own ?? vectors, lent: own !== undefined };
      },
    );
    give(before.values());
    return { chunks, read };
  }

  return {
    scan(question, place, visit) {
      // What a transaction has not yet made true must not be remembered.
      if (database.inTransaction) return undefined;
      const key = keyOf(place);
      const stamp = `${foreign.get() as number} ${writes}`;
      const fresh = kept(key)?.stamp === stamp;
      const known = take(key);
      const { chunks, read } = fresh ? { chunks: known, read: 0 } : looked(place, known);
      for (const { rows, vectors } of chunks) {
        const products = dots(question, vectors);
        for (let at = 0; at < places; at += 1)
          if (rows[at] !== 0) visit(rows[at] as number, products[at] as number);
      }
      // A cell larger than all the room there is, is read each time.
      if (chunks.every(({ lent }) => lent)) keep(key, { stamp, chunks });
      else give(chunks);
      return read;
    },
    changed(came) {
      writes += 1;
      if (came === undefined) return;
      const key = keyOf(came);
      // It may have come back to its place with another vector.
      if (kept(key)?.chunks.some(({ rows }) => rows.includes(came.row)) === true) give(take(key));
    },
  };
}

const keyOf = ({ scope, cell }: Place): string => `${scope} ${cell}`;

/** A place is taken where its bit is set. */
function rowsOf(validity: Buffer, rowids: Buffer, places: number): Float64Array {
  const rows = new Float64Array(places);
  for (let at = 0; at < places; at += 1)
    if (((validity[at >> 3] as number) >> (at & 7)) & 1)
      rows[at] = rowids.readUInt32LE(8 * at) + rowids.readInt32LE(8 * at + 4) * 2 ** 32;
  return rows;
}

/** The cells kept, and the room they lie in. */
function residents(most: number) {
  const cells = new Map<string, Kept>();
  const free: Buffer[] = [];
  let made = 0;

  function take(key: string): readonly Chunk[] {
    const chunks = cells.get(key)?.chunks ?? [];
    cells.delete(key);
    return chunks;
  }
  const give = (chunks: Iterable<Chunk>): void => {
    for (const { vectors, lent } of chunks) if (lent) free.push(vectors);
  };

  /** What was not asked for the longest gives way. */
  function room(size: number): Buffer | undefined {
    const more = Math.min(GROWTH, Math.floor(most / size) - made);
    if (free.length === 0 && more > 0) {
      // Shared memory alone is not reckoned to what garbage may pile up to: with other memory all was looked through every tenth of a second.
      const slab = Buffer.from(new SharedArrayBuffer(more * size));
      made += more;
      for (let at = 0; at < more; at += 1) free.push(slab.subarray(at * size, (at + 1) * size));
    }
    while (free.length === 0) {
      const [oldest] = cells.keys();
      if (oldest === undefined) return undefined;
      give(take(oldest));
    }
    return free.pop();
  }

  return {
    take,
    give,
    room,
    kept: (key: string): Kept | undefined => cells.get(key),
    keep: (key: string, one: Kept): unknown => cells.set(key, one),
  };
}
