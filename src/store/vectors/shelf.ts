import { type Narrowing } from "../../model/store.ts";
import { KINDS } from "../../model/memory.ts";
import { type Connection } from "../sqlite/database.ts";
import { statements } from "../sqlite/statements.ts";
import { loadExtension } from "./extension.ts";
import { cosineAt, cosineOf, distanceAt, productOf, quantised } from "./math.ts";
import { openResidence, type Place } from "./resident.ts";

/** Numbers are in files on disk: append only. */
export const kindNumber = (kind: string): number => KINDS.findIndex((known) => known === kind);

/** Vectors a chunk of the index holds. A scope's last chunk is half empty, and a chunk is given back only when it is all empty. */
const CHUNK = 64;
const NEVER = Number.MAX_SAFE_INTEGER;

/** What a search narrows by, inside the index: what is filtered afterwards would have taken a place among the nearest. */
export interface Filter {
  readonly expiresAfter: number;
  readonly since?: number;
  readonly kind?: number;
  readonly categories?: readonly number[];
}

interface Entry {
  readonly row: number;
  readonly scope: number;
  readonly cell: number;
  readonly category: number;
  readonly kind: number;
  readonly expires: number | null;
  readonly since: number;
  readonly vector: Float32Array;
}

export interface Found {
  readonly row: number;
  readonly cosine: number;
}

const nameOf = (model: number): string => `vector_index_${model}`;
// A number is bound as a float, which a virtual table refuses where it wants an integer.
const whole = (value: number): bigint => BigInt(Math.trunc(value));

/** The indexes of sqlite-vec, one a model; scope and cell are its partition, so that only the cells asked are read. */
export function vectorShelf(database: Connection, { extension = true } = {}) {
  let handicap: string | undefined | null = extension ? null : "it is switched off";
  const opened = new Map<number, VectorShelf>();
  const exists = database.prepare("select 1 from sqlite_schema where name = ?");

  function why(): string | undefined {
    if (handicap === null) handicap = loadExtension(database);
    return handicap;
  }

  return {
    handicap: why,
    /** The model's index, made now if there is none; undefined without the extension. */
    of(model: number, dimensions: number): VectorShelf | undefined {
      if (why() !== undefined) return undefined;
      const known = opened.get(model);
      if (known !== undefined) return known;
      const stood = exists.get(nameOf(model)) !== undefined;
      database.exec(
        `create virtual table if not exists ${nameOf(model)} using vec0(row integer primary key, scope integer partition key, cell integer partition key,
         category integer, kind integer, expires integer, since integer, embedding int8[${dimensions}] distance_metric=L2, chunk_size=${CHUNK})`,
      );
      // sqlite-vec looks its chunks up by partition without an index: at a million vectors it would read 16,000 rows a search.
      database.exec(
        `create index if not exists ${nameOf(model)}_partition on ${nameOf(model)}_chunks (partition00, partition01)`,
      );
      const shelf = openShelf(database, nameOf(model));
      // A transaction that is rolled back takes a table it made with it.
      if (stood || !database.inTransaction) opened.set(model, shelf);
      return shelf;
    },
    destroy(model: number): void {
      opened.delete(model);
      if (exists.get(nameOf(model)) !== undefined) database.exec(`drop table ${nameOf(model)}`);
    },
  };
}

function openShelf(database: Connection, name: string) {
  const prepare = statements(database);
  const insert = database.prepare(
    `insert into ${name} (row, scope, cell, category, kind, expires, since, embedding) values (?, ?, ?, ?, ?, ?, ?, vec_int8(?))`,
  );
  const remove = database.prepare(`delete from ${name} where row = ?`);
  const amend = database.prepare(
    `update ${name} set category = ?, kind = ?, expires = ? where row = ?`,
  );
  const residence = openResidence(database, { name, places: CHUNK });

  return {
    add({ row, scope, cell, category, kind, expires, since, vector }: Entry): void {
      insert.run(
        whole(row),
        whole(scope),
        whole(cell),
        whole(category),
        whole(kind),
        whole(expires ?? NEVER),
        whole(since),
        quantised(vector),
      );
      residence.changed({ row, scope, cell });
    },
    drop(row: number): void {
      remove.run(whole(row));
      residence.changed();
    },
    amend: (
      row: number,
      { category, kind, expires }: Pick<Entry, "category" | "kind" | "expires">,
    ): unknown => amend.run(whole(category), whole(kind), whole(expires ?? NEVER), whole(row)),
    all: (query: Int8Array, place: Place, bounds: Bounds) =>
      scanned(residence, query, place, bounds),
    nearest: (query: Int8Array, narrowed: Narrowed) => nearest(prepare, name, query, narrowed),
  };
}

interface Bounds {
  readonly limit: number;
  /** Only what is nearer than this cosine. */
  readonly above?: number | undefined;
}

/** The nearest of one cell, whatever may be narrowed away of them, and how many chunks were read for it; undefined in a transaction. */
function scanned(
  residence: ReturnType<typeof openResidence>,
  query: Int8Array,
  place: Place,
  { limit, above }: Bounds,
): { found: Found[]; read: number } | undefined {
  let found: { row: number; product: number }[] = [];
  let least = above === undefined ? -Infinity : productOf(above, query.length);
  const best = (): void => {
    found = found
      .sort((one, other) => other.product - one.product || one.row - other.row)
      .slice(0, limit);
    least = found[limit - 1]?.product ?? least;
  };
  const read = residence.scan(query, place, (row, product) => {
    if (product <= least) return;
    found.push({ row, product });
    if (found.length > 4 * limit) best();
  });
  best();
  return read === undefined
    ? undefined
    : {
        read,
        found: found.map(({ row, product }) => ({
          row,
          cosine: cosineOf(product, query.length),
        })),
      };
}

interface Narrowed extends Bounds {
  readonly scope: number;
  readonly cell: number;
  readonly filter: Filter;
}

/** The nearest of one cell, of those `above` a cosine; cosines are those of the bytes, near the true ones. */
function nearest(
  prepare: ReturnType<typeof statements>,
  name: string,
  query: Int8Array,
  { scope, cell, limit, above, filter }: Narrowed,
): Found[] {
  const { expiresAfter, since, kind, categories } = filter;
  const narrower = [
    since === undefined ? "" : " and since <= ?",
    kind === undefined ? "" : " and kind = ?",
    categories === undefined ? "" : ` and category in (${categories.join(", ")})`,
  ];
  const given = [
    limit,
    scope,
    cell,
    expiresAfter,
    ...(since === undefined ? [] : [since]),
    ...(kind === undefined ? [] : [kind]),
  ];
  const rows = prepare(
    `select row, distance from ${name} where embedding match vec_int8(?) and k = ? and scope = ? and cell = ? and expires > ?${narrower.join("")}${above === undefined ? "" : " and distance < ?"}`,
  ).all(
    query,
    ...given.map(whole),
    ...(above === undefined ? [] : [distanceAt(above, query.length)]),
  ) as { row: number; distance: number | null }[];
  return rows.map(({ row, distance }) => ({
    row,
    cosine: distance === null ? -1 : cosineAt(distance, query.length),
  }));
}

type VectorShelf = ReturnType<typeof openShelf>;
export type Shelves = ReturnType<typeof vectorShelf>;

export type NearQuery = Narrowing & {
  readonly vector: Float32Array;
  readonly categories?: readonly string[];
};
