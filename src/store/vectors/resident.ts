import { type Connection } from "../sqlite/database.ts";
import { fromBlob, quantised, dots } from "./math.ts";
import { LIVE, type ModelRow } from "./models.ts";

/** Bytes kept at hand by one open index, one a component: 1,300,000 vectors of 384. */
const MOST = 512 * 1024 * 1024;
/** Vectors compared, and read, at once: 1 to 3 ms. */
const BLOCK = 1_024;

type Pause = () => Promise<void> | undefined;
interface Scan {
  readonly question: Int8Array;
  /** Is told of each vector how near it is: the product of the bytes. */
  readonly visit: (row: number, product: number) => void;
  /** Called between two blocks. */
  readonly pause: Pause;
}
interface Place {
  readonly model: ModelRow;
  readonly scope: number;
}

export interface Residence {
  /** Compares with every vector of a scope. */
  scan(place: Place, scan: Scan): Promise<void>;
  /** A vector came, changed or went; perhaps in a transaction that fails, so it is read again when it is asked for. */
  changed(row: number, place: { model: number; scope: number }): void;
  clear(): void;
}

interface Kept {
  readonly shelf: Shelf;
  readonly bytes: number;
  readonly loaded: Promise<void>;
  /** Rows to be read again. */
  readonly changed: Set<number>;
  /** The state of the database that the rest is known to be of: another number when another connection has written. */
  stamp: number;
}

export type VectorTable = "vector" | "page_vector";
interface Row {
  readonly row: number;
  readonly embedding: Buffer;
}

/**
 * The vectors of the scopes asked last, in memory: comparing them takes a hundredth of reading them. What this connection wrote
 * since is read anew row by row; where another one wrote, rows are compared with the database's. Too many to be kept are read.
 */
export function openResidence(database: Connection, table: VectorTable, most = MOST): Residence {
  const live = `from ${table} where model = ? and scope = ? and cell = ${LIVE}`;
  const count = database.prepare(`select count(*) ${live}`).pluck();
  const rowsOf = database.prepare(`select row ${live}`).pluck();
  const page = database.prepare(
    `select row, embedding ${live} and row > ? order by row limit ${BLOCK}`,
  );
  const one = database.prepare(`select embedding ${live} and row = ?`).pluck();
  const stamp = database.prepare("pragma data_version").pluck();
  const all = new Map<string, Kept>();

  async function read(
    { model, scope }: Place,
    pause: Pause,
    take: (rows: readonly Row[]) => void,
  ): Promise<void> {
    for (let after = -1; ;) {
      const rows = page.all(model.number, scope, after) as Row[];
      take(rows);
      if (rows.length < BLOCK) return;
      after = rows.at(-1)?.row ?? after;
      await pause();
    }
  }

  function bringUp({ model, scope }: Place, kept: Kept): void {
    const { shelf, changed } = kept;
    const now = stamp.get() as number;
    if (now !== kept.stamp) {
      const rows = new Set(rowsOf.all(model.number, scope) as number[]);
      for (const row of shelf.rows()) if (!rows.has(row)) changed.add(row);
      for (const row of rows) if (!shelf.has(row)) changed.add(row);
      kept.stamp = now;
    }
    for (const row of changed) {
      const embedding = one.get(model.number, scope, row) as Buffer | undefined;
      if (embedding === undefined) shelf.drop(row);
      else shelf.put(row, quantised(fromBlob(embedding)));
    }
    changed.clear();
  }

  function keep(place: Place, pause: Pause): Kept | undefined {
    const key = keyOf(place.model.number, place.scope);
    const known = all.get(key);
    all.delete(key);
    if (known !== undefined) {
      all.set(key, known);
      return known;
    }
    const bytes = (count.get(place.model.number, place.scope) as number) * place.model.dimensions;
    if (bytes > most) return undefined;
    makeRoom(all, most - bytes);
    const shelf = createShelf(place.model.dimensions);
    const changed = new Set<number>();
    const begun = stamp.get() as number;
    const loaded = read(place, pause, (rows) => {
      for (const { row, embedding } of rows) shelf.put(row, quantised(fromBlob(embedding)));
    });
    const kept: Kept = { shelf, bytes, changed, stamp: begun, loaded };
    kept.loaded.catch(() => all.delete(key));
    all.set(key, kept);
    return kept;
  }

  return {
    async scan(place, scan) {
      const kept = keep(place, scan.pause);
      if (kept === undefined)
        return read(place, scan.pause, (rows) => compare(rows, place.model.dimensions, scan));
      await kept.loaded;
      bringUp(place, kept);
      await kept.shelf.scan(scan);
    },
    changed: (row, { model, scope }) => void all.get(keyOf(model, scope))?.changed.add(row),
    clear: () => all.clear(),
  };
}

function compare(rows: readonly Row[], dimensions: number, { question, visit }: Scan): void {
  const bytes = new Int8Array(rows.length * dimensions);
  rows.forEach(({ embedding }, at) => bytes.set(quantised(fromBlob(embedding)), at * dimensions));
  const products = dots(question, new Uint8Array(bytes.buffer));
  rows.forEach(({ row }, at) => visit(row, products[at] as number));
}

/** What was not asked for the longest gives way. */
function makeRoom(all: Map<string, Kept>, most: number): void {
  let held = [...all.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  for (const [key, { bytes }] of all) {
    if (held <= most) return;
    held -= bytes;
    all.delete(key);
  }
}

const keyOf = (model: number, scope: number): string => `${model} ${scope}`;

type Shelf = ReturnType<typeof createShelf>;

/** Vectors of one width, one behind the other. Each stays where it is, so that a scan that pauses misses none. */
function createShelf(dimensions: number) {
  const places = new Map<number, number>();
  const blocks: { readonly rows: Float64Array; readonly bytes: Int8Array }[] = [];
  const free: number[] = [];
  let end = 0;
  const blockOf = (place: number) =>
    (blocks[Math.floor(place / BLOCK)] ??= {
      rows: new Float64Array(BLOCK).fill(-1),
      bytes: new Int8Array(BLOCK * dimensions),
    });
  return {
    rows: () => places.keys(),
    has: (row: number): boolean => places.has(row),
    put(row: number, vector: Int8Array): void {
      const place = places.get(row) ?? free.pop() ?? end++;
      const { rows, bytes } = blockOf(place);
      rows[place % BLOCK] = row;
      bytes.set(vector, (place % BLOCK) * dimensions);
      places.set(row, place);
    },
    drop(row: number): void {
      const place = places.get(row);
      if (place === undefined) return;
      const { rows, bytes } = blockOf(place);
      rows[place % BLOCK] = -1;
      bytes.fill(0, (place % BLOCK) * dimensions, ((place % BLOCK) + 1) * dimensions);
      places.delete(row);
      free.push(place);
    },
    async scan({ question, visit, pause }: Scan): Promise<void> {
      for (const { rows, bytes } of blocks) {
        const products = dots(question, new Uint8Array(bytes.buffer));
        for (let place = 0; place < BLOCK; place += 1)
          if (rows[place] !== -1) visit(rows[place] as number, products[place] as number);
        await pause();
      }
    },
  };
}
