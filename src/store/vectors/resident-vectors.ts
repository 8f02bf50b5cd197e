import { lru } from "../../base/cache.ts";
import type { Desk } from "../sqlite/database.ts";
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

interface Kept {
  readonly shelf: Shelf;
  readonly bytes: number;
  readonly loaded: Promise<void>;
  /** Rows to be read again. */
  readonly changed: Set<number>;
  /** The state of the database that the rest is known to be of: another number when another connection has written. */
  stamp: number | undefined;
}

export type VectorTable = "vector" | "page_vector";
export interface Row {
  readonly row: number;
  readonly embedding: Buffer;
}

/**
 * The vectors of the scopes asked last, in memory: comparing them takes a hundredth of reading them. What this connection wrote
 * since is read anew row by row; where another one wrote, rows are compared with the database's. Too many to be kept are read.
 */
export function openResidence(
  { rows: rowsIn, value, values }: Desk,
  table: VectorTable,
  most = MOST,
) {
  const live = `from ${table} where model = ? and scope = ? and cell = ${LIVE}`;
  const count = value<number>(`select count(*) ${live}`);
  const rowsOf = values<number>(`select row ${live}`);
  const page = rowsIn<Row>(`select row, embedding ${live} and row > ? order by row limit ${BLOCK}`);
  const one = value<Buffer>(`select embedding ${live} and row = ?`);
  const stamp = value<number>("pragma data_version");
  /** What was not asked for the longest gives way. */
  const all = lru<string, Kept>(most, ({ bytes }) => bytes);

  async function read(
    { model, scope }: Place,
    pause: Pause,
    take: (rows: readonly Row[]) => void | Promise<void>,
  ): Promise<void> {
    for (let after = -1; ;) {
      const rows = page(model.number, scope, after);
      await take(rows);
      if (rows.length < BLOCK) return;
      after = rows.at(-1)?.row ?? after;
      await pause();
    }
  }

  function bringUp({ model, scope }: Place, kept: Kept): void {
    const { shelf, changed } = kept;
    const now = stamp();
    if (now !== kept.stamp) {
      const there = new Set(rowsOf(model.number, scope));
      for (const row of there.symmetricDifference(shelf.places)) changed.add(row);
      kept.stamp = now;
    }
    for (const row of changed) shelf.put(row, one(model.number, scope, row));
    changed.clear();
  }

  function keep(place: Place, pause: Pause): Kept | undefined {
    const { model, scope } = place;
    const key = keyOf(model.number, scope);
    const known = all.get(key);
    if (known !== undefined) return known;
    const bytes = (count(model.number, scope) ?? 0) * model.dimensions;
    if (bytes > most) return undefined;
    const shelf = createShelf(model.dimensions);
    const begun = stamp();
    const loaded = read(place, pause, shelf.take);
    loaded.catch(() => all.delete(key));
    const kept: Kept = { shelf, bytes, changed: new Set(), stamp: begun, loaded };
    all.set(key, kept);
    return kept;
  }

  return {
    /** Compares with every vector of a scope. */
    async scan(place: Place, scan: Scan): Promise<void> {
      const kept = keep(place, scan.pause);
      if (kept === undefined)
        return read(place, scan.pause, (rows) => {
          const shelf = createShelf(place.model.dimensions);
          shelf.take(rows);
          return shelf.scan(scan);
        });
      await kept.loaded;
      bringUp(place, kept);
      await kept.shelf.scan(scan);
    },
    /** A vector came, changed or went; perhaps in a transaction that fails, so it is read again when it is asked for. */
    changed: (row: number, { model, scope }: { model: number; scope: number }): void =>
      void all.peek(keyOf(model, scope))?.changed.add(row),
    clear: all.clear,
  };
}
export type Residence = ReturnType<typeof openResidence>;

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
  /** The row's vector from now on; none: it is gone. */
  function put(row: number, embedding: Buffer | undefined): void {
    const known = places.get(row);
    if (known === undefined && embedding === undefined) return;
    const place = known ?? free.pop() ?? end++;
    const { rows, bytes } = blockOf(place);
    const at = place % BLOCK;
    if (embedding === undefined) {
      rows[at] = -1;
      places.delete(row);
      free.push(place);
    } else {
      rows[at] = row;
      bytes.set(quantised(fromBlob(embedding)), at * dimensions);
      places.set(row, place);
    }
  }
  return {
    places,
    put,
    take: (rows: readonly Row[]): void => rows.forEach(({ row, embedding }) => put(row, embedding)),
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
