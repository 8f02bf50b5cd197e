import { PROBES, SMALL, TIER, BREATH, OVERFETCH, MOST, MOST_CATEGORIES } from "./bounds.ts";
import { defined } from "../../base/guards.ts";
import { type Candidate, type Near } from "../../model/store.ts";
import { breathe } from "../../base/async.ts";
import { toCandidate, type MemoryRow } from "../sqlite/memory-rows.ts";
import { likeliest, type CellTable } from "./cells.ts";
import { statements } from "../sqlite/statements.ts";
import { dot, fromBlob, quantised, unit } from "./math.ts";
import { type Connection } from "../sqlite/database.ts";
import { ASIDE, FRESH, type ModelRow, type VectorRoom } from "./rows.ts";
import { kindNumber, type Filter, type Found, type NearQuery, type Shelves } from "./shelf.ts";

export interface Index {
  readonly shelves: Shelves;
  readonly cells: CellTable;
}

interface Narrowed {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

function where({ now, asOf, kind }: NearQuery, wanted: readonly string[] | undefined): Narrowed {
  const held =
    asOf === undefined
      ? "m.valid_to is null"
      : "m.valid_from <= ? and (m.valid_to is null or m.valid_to > ?)";
  const only =
    wanted === undefined ? "" : ` and m.category in (${wanted.map(() => "?").join(", ")})`;
  return {
    sql: `${held} and (m.expires_at is null or m.expires_at > ?)${only}${kind === undefined ? "" : " and m.kind = ?"}`,
    values: [
      ...(asOf === undefined ? [now] : [asOf, asOf, asOf]),
      ...(wanted ?? []),
      ...(kind === undefined ? [] : [kind]),
    ],
  };
}

type Categories = VectorRoom["categories"];

const filterOf = (
  { now, asOf, kind }: NearQuery,
  wanted: readonly string[] | undefined,
  categories: Categories,
): Filter => ({
  expiresAfter: asOf ?? now,
  ...defined({
    since: asOf,
    kind: kind && kindNumber(kind),
    categories: wanted?.map(categories.known).filter((number) => number !== undefined),
  }),
});

/** How one scope is read, by what stands in it. */
function scopeStatements(database: Connection) {
  const small = database.prepare(
    "select category, total from vector_category where model = ? and scope = ? and members <= ? order by category limit ?",
  );
  // Middles are of those whose category was given; to be read whole are all that are in it.
  const larger = database
    .prepare(
      "select 1 from memory indexed by memory_category where scope = ? and valid_to is null and category in (select value from json_each(?)) limit 1 offset ?",
    )
    .pluck();
  const holdsMore = (scope: number, names: readonly string[], most: number): boolean =>
    larger.get(scope, JSON.stringify(names), most) !== undefined;
  return {
    holdsMore,
    /** The first tier, where not all is read: the small categories whose middle is nearest. */
    nearestCategories(model: number, scope: number, vector: Float32Array): string[] {
      const rows = small.all(model, scope, TIER.members, MOST_CATEGORIES) as {
        category: string;
        total: Buffer;
      }[];
      return rows
        .map(({ category, total }) => ({ category, near: dot(vector, unit(fromBlob(total))) }))
        .sort((one, other) => other.near - one.near || (one.category < other.category ? -1 : 1))
        .slice(0, TIER.looked)
        .filter(({ category }) => !holdsMore(scope, [category], TIER.members))
        .slice(0, TIER.categories)
        .map(({ category }) => category);
    },
  };
}

type Prepare = ReturnType<typeof statements>;

/** The best so far. What is farther than as many as are wanted need not be sorted, which is half of the index's work. */
function createBest(limit: number) {
  const best = new Map<number, number>();
  let top: number[] = [];
  return {
    note(found: readonly Found[]): void {
      // A small category's were noted already when its cell is read.
      const others = found.filter(({ row }) => !best.has(row));
      if (others.length === 0) return;
      for (const { row, cosine } of others) best.set(row, cosine);
      top = [...top, ...others.map(({ cosine }) => cosine)]
        .sort((one, other) => other - one)
        .slice(0, limit);
    },
    /** The cosine of the last that is wanted. */
    least: (): number | undefined => top[limit - 1],
    rows: (): number[] =>
      [...best]
        .sort(([row, cosine], [otherRow, other]) => other - cosine || row - otherRow)
        .map(([row]) => row),
  };
}

type Best = ReturnType<typeof createBest>;

/** One search: what is asked, and what was found of it. */
interface Search {
  readonly prepare: Prepare;
  readonly model: ModelRow;
  readonly vector: Float32Array;
  readonly bytes: Int8Array;
  readonly first: boolean;
  readonly narrowed: Narrowed;
  readonly filter: Filter;
  readonly limit: number;
  readonly best: Best;
  readonly pause: (share: number) => Promise<void>;
}

type Row = { row: number; embedding: Buffer };

const noteRows = ({ best, vector }: Search, rows: readonly Row[]): void =>
  best.note(rows.map(({ row, embedding }) => ({ row, cosine: dot(vector, fromBlob(embedding)) })));

/** Every vector of a cell, as it stands. */
async function readPlain(search: Search, scope: number, cell: number): Promise<void> {
  const { prepare, model, first, narrowed, pause } = search;
  const [beside, narrower, narrow] = first
    ? [" cross join memory m on m.row = v.row", ` and ${narrowed.sql}`, narrowed.values]
    : ["", "", []];
  const page = prepare(
    `select v.row, v.embedding from vector v${beside} where v.model = ? and v.scope = ? and v.cell = ? and v.row > ?${narrower} order by v.row limit ${BREATH.plain}`,
  );
  for (let after = 0; ;) {
    const rows = page.all(model.number, scope, cell, after, ...narrow) as Row[];
    noteRows(search, rows);
    await pause(rows.length / BREATH.plain);
    if (rows.length < BREATH.plain) return;
    after = rows.at(-1)?.row ?? after;
  }
}

/** Every vector of the categories, by an index of their own; what is past stands aside. */
async function readCategories(
  search: Search,
  scope: number,
  names: readonly string[],
): Promise<void> {
  const { prepare, model, narrowed, pause } = search;
  // "cross join" keeps the order of reading: the few of a category first, then their vectors.
  const rows = prepare(
    `select v.row, v.embedding from memory m indexed by memory_category cross join vector v on v.row = m.row
     where m.scope = ? and m.valid_to is null and m.category in (${names.map(() => "?").join(", ")}) and v.model = ? and ${narrowed.sql}`,
  ).all(scope, ...names, model.number, ...narrowed.values) as Row[];
  noteRows(search, rows);
  await pause(rows.length / BREATH.plain);
}

type Shelf = ReturnType<Shelves["of"]>;

/** A cell through the index; without one, as it stands. */
async function readCell(
  search: Search,
  { scope, cell, cells }: { scope: number; cell: number; cells: number },
  shelf: Shelf,
): Promise<void> {
  const { best, bytes, limit, filter, first, pause } = search;
  if (shelf === undefined) return readPlain(search, scope, cell);
  const above = best.least();
  const seen = first ? undefined : shelf.all(bytes, { scope, cell }, { limit, above });
  if (seen !== undefined) {
    best.note(seen.found);
    return pause(1 / BREATH.cells + seen.read / BREATH.chunks);
  }
  best.note(shelf.nearest(bytes, { scope, cell, limit, above, filter }));
  return pause(cells === 0 ? 1 : 400 / BREATH.indexed);
}

/** `first`: the index narrows by itself. Else what is near is looked at whatever it is; undefined where too much of it has to go. */
export function vectorSearch(
  { database, scopes, models, categories }: VectorRoom,
  { shelves, cells }: Index,
) {
  const prepare = statements(database);
  const behind = database.prepare(
    "select 1 from vector where model = ? and indexed = 0 and cell > 0 limit 1",
  );
  const { holdsMore, nearestCategories } = scopeStatements(database);
  return async (query: NearQuery, { first }: { first: boolean }): Promise<Near[] | undefined> => {
    const model = models.current();
    const wanted = query.category === undefined ? query.categories : [query.category];
    if (model === undefined || query.vector.length !== model.dimensions || wanted?.length === 0)
      return [];
    const vector = unit(query.vector);
    const limit = Math.min(MOST, Math.ceil(OVERFETCH * query.limit));
    let shelf =
      behind.get(model.number) === undefined
        ? shelves.of(model.number, model.dimensions)
        : undefined;
    let work = 0;
    const pause = async (share: number): Promise<void> => {
      work += share;
      if (work < 1) return;
      work = 0;
      await breathe();
      // Another model may have come in meanwhile, and the old one's index gone.
      if (models.current()?.number !== model.number) shelf = undefined;
    };
    const search: Search = {
      prepare,
      model,
      vector,
      bytes: quantised(vector),
      first,
      narrowed: where(query, wanted),
      filter: filterOf(query, wanted, categories),
      limit,
      best: createBest(limit),
      pause,
    };
    for (const scope of scopes.numbers(query.scopes)) {
      const standing = cells.of(model.number, scope);
      const count = standing.numbers.length;
      if (query.asOf !== undefined) await readPlain(search, scope, ASIDE);
      if (wanted !== undefined && count > 0 && !holdsMore(scope, wanted, SMALL)) {
        await readCategories(search, scope, wanted);
        continue;
      }
      const probes = Math.max(PROBES.least, Math.ceil(PROBES.share * Math.sqrt(count)));
      if (wanted === undefined && count > probes)
        for (const name of nearestCategories(model.number, scope, vector))
          await readCategories(search, scope, [name]);
      await readPlain(search, scope, FRESH);
      for (const cell of [...standing.always, ...likeliest(standing, vector, probes)])
        await readCell(search, { scope, cell, cells: count }, shelf);
    }
    return chosen(search, query, scopes.numbers(query.scopes));
  };
}

/** The nearest that hold, by their own vectors. */
function chosen(
  { prepare, model, vector, narrowed, limit, first, best }: Search,
  query: NearQuery,
  numbers: readonly number[],
): Near[] | undefined {
  const order = best.rows();
  const rows = prepare(
    `select m.*, s.name as scope_name, v.embedding from json_each(?) named cross join vector v on v.row = named.value cross join memory m on m.row = v.row cross join scope s on s.number = m.scope
     where v.model = ? and v.scope in (select value from json_each(?)) and ${narrowed.sql}`,
  ).all(
    JSON.stringify(order.slice(0, limit)),
    model.number,
    JSON.stringify(numbers),
    ...narrowed.values,
  ) as (MemoryRow & { embedding: Buffer })[];
  if (!first && rows.length < query.limit && rows.length < order.length) return undefined;
  return rows
    .map((row) => ({ row, cosine: dot(vector, fromBlob(row.embedding)) }))
    .sort((one, other) => other.cosine - one.cosine || one.row.row - other.row.row)
    .slice(0, query.limit)
    .map(({ row, cosine }): Candidate & { cosine: number } => ({ ...toCandidate(row), cosine }))
    .sort((one, other) => other.cosine - one.cosine || (one.memory.id < other.memory.id ? -1 : 1));
}
