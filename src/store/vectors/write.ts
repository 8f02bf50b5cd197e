import { TidemarkError } from "../../model/errors.ts";
import { type ValueName } from "../../model/store.ts";
import { type Connection } from "../sqlite/database.ts";
import { fromBlob, isZero, toBlob, unit } from "./math.ts";
import { ASIDE, FRESH, type VectorRoom, type VectorRow } from "./rows.ts";
import { kindNumber, type Shelves } from "./shelf.ts";

/** What the index keeps of a value beside its vector. */
interface Traits {
  readonly row: number;
  readonly scope: number;
  readonly category: string;
  readonly kind: string;
  readonly expires_at: number | null;
  /** 1: its category was found, not given, and so tells nothing of what the category is like. */
  readonly sorted: number;
}

export interface VectorWriter {
  /** In a transaction of its own; the others expect to run inside one. */
  put(vectors: readonly GivenVector[]): void;
  /** The value is past now: kept for questions of what held then. */
  retire(value: Traits): void;
  erase(value: Traits): void;
  amend(was: Traits, now: Omit<Traits, "row" | "scope">): void;
}
type GivenVector = ValueName & { readonly vector: Float32Array };

/** What changes vectors. */
export function vectorWriter(room: VectorRoom, shelves: Shelves): VectorWriter {
  const { database, categories } = room;
  const find = database.prepare("select * from vector where row = ?");
  const erase = database.prepare("delete from vector where row = ?");
  const place = database.prepare("update vector set cell = ?, indexed = ? where row = ?");
  const sum = categorySums(database);
  const index = indexPlaces(database, shelves);
  const found = (row: number): VectorRow | undefined => find.get(row) as VectorRow | undefined;
  const put = database.transaction(vectorAdder(room, { found, sum, index }));
  return {
    put: (vectors) => put.immediate(vectors),

    retire({ row, category, sorted }) {
      const old = found(row);
      if (old === undefined || old.cell === ASIDE) return;
      index.leave(old);
      place.run(ASIDE, 0, row);
      sum({ ...old, category, sorted }, fromBlob(old.embedding), -1);
    },

    erase({ row, category, sorted }) {
      const old = found(row);
      if (old === undefined) return;
      index.leave(old);
      if (old.cell !== ASIDE) sum({ ...old, category, sorted }, fromBlob(old.embedding), -1);
      erase.run(row);
    },

    amend(was, now) {
      const isSorted = was.category === now.category && was.sorted === now.sorted;
      if (isSorted && was.kind === now.kind && was.expires_at === now.expires_at) return;
      const old = found(was.row);
      if (old === undefined || old.cell === ASIDE) return;
      if (!isSorted) {
        const vector = fromBlob(old.embedding);
        sum({ ...old, category: was.category, sorted: was.sorted }, vector, -1);
        sum({ ...old, category: now.category, sorted: now.sorted }, vector, 1);
      }
      if (old.indexed !== 1) return;
      const shelf = index.of(old.model);
      if (shelf !== undefined)
        return void shelf.amend(was.row, {
          category: categories.number(now.category),
          kind: kindNumber(now.kind),
          expires: now.expires_at,
        });
      index.owe(was.row, old.model);
      place.run(old.cell, 0, was.row);
    },
  };
}

interface Summed {
  readonly model: number;
  readonly scope: number;
  readonly category: string;
  readonly sorted: number;
}
type Sum = (of: Summed, vector: Float32Array, by: 1 | -1) => void;

/** A category's middle moves with each vector that comes or goes, unless the category was found by that middle. */
function categorySums(database: Connection): Sum {
  const total = database.prepare(
    "select members, total from vector_category where model = ? and scope = ? and category = ?",
  );
  const setTotal = database.prepare(
    "insert or replace into vector_category (model, scope, category, members, total) values (?, ?, ?, ?, ?)",
  );
  const noTotal = database.prepare(
    "delete from vector_category where model = ? and scope = ? and category = ?",
  );
  return ({ model, scope, category, sorted }, vector, by) => {
    if (sorted === 1) return;
    const known = total.get(model, scope, category) as
      { members: number; total: Buffer } | undefined;
    const members = (known?.members ?? 0) + by;
    if (members <= 0) return void noTotal.run(model, scope, category);
    const before = known === undefined ? new Float32Array(vector.length) : fromBlob(known.total);
    const after = before.map((value, at) => value + by * (vector[at] ?? 0));
    setTotal.run(model, scope, category, members, toBlob(after));
  };
}

type IndexPlaces = ReturnType<typeof indexPlaces>;

/** Where vectors stand in their cells and in the index. */
function indexPlaces(database: Connection, shelves: Shelves) {
  const dimensions = database
    .prepare("select dimensions from vector_model where number = ?")
    .pluck();
  const owed = database.prepare("insert or ignore into vector_left (row, model) values (?, ?)");
  const countFresh = database.prepare(
    "insert into vector_scope (model, scope, fresh) values (@model, @scope, max(0, @by)) on conflict (model, scope) do update set fresh = max(0, fresh + @by)",
  );
  const countCell = database.prepare("update vector_cell set members = members + ? where cell = ?");
  const of = (model: number) => shelves.of(model, dimensions.get(model) as number);
  /** Without the extension, its leaving is noted for when it can be done. */
  const owe = (row: number, model: number): void => void owed.run(row, model);
  const fresh = (model: number, scope: number, by: 1 | -1): void =>
    void countFresh.run({ model, scope, by });
  return {
    of,
    owe,
    fresh,
    /** Out of its cell and out of the index. */
    leave({ row, model, scope, cell, indexed }: VectorRow): void {
      if (cell === FRESH) fresh(model, scope, -1);
      if (cell > FRESH) countCell.run(-1, cell);
      if (indexed !== 1) return;
      const shelf = of(model);
      if (shelf === undefined) owe(row, model);
      else shelf.drop(row);
    },
  };
}

interface Adding {
  readonly found: (row: number) => VectorRow | undefined;
  readonly sum: Sum;
  readonly index: IndexPlaces;
}

/** Puts vectors of current values in, each in place of the one it had. Throws "embed" for what is no vector of the model's. */
function vectorAdder({ database, models }: VectorRoom, { found, sum, index }: Adding) {
  const add = database.prepare(
    "insert or replace into vector (row, model, scope, cell, embedding) values (?, ?, ?, ?, ?)",
  );
  const current = database.prepare(
    "select row, scope, category, kind, expires_at, sorted from memory where id = ? and version = ? and valid_to is null",
  );
  return (vectors: readonly GivenVector[]): void => {
    const model = models.current();
    if (model === undefined) return;
    for (const { id, version, vector } of vectors) {
      checkVector(vector, model);
      const value = current.get(id, version) as Traits | undefined;
      if (value === undefined) continue;
      const { row, scope, category, sorted } = value;
      const old = found(row);
      const made = unit(vector);
      if (old?.model === model.number && old.embedding.equals(toBlob(made))) continue;
      if (old !== undefined) {
        index.leave(old);
        if (old.cell !== ASIDE) sum({ ...old, category, sorted }, fromBlob(old.embedding), -1);
      }
      const cell = isZero(made) ? ASIDE : FRESH;
      add.run(row, model.number, scope, cell, toBlob(made));
      if (cell === ASIDE) continue;
      index.fresh(model.number, scope, 1);
      sum({ model: model.number, scope, category, sorted }, made, 1);
    }
  };
}

function checkVector(
  vector: Float32Array,
  { name, dimensions }: { readonly name: string; readonly dimensions: number },
): void {
  if (vector.length !== dimensions)
    throw new TidemarkError(
      "embed",
      `The embedder ${name} promised ${dimensions} dimensions and gave a vector of ${vector.length}; nothing of it is stored.`,
    );
  if (!vector.every(Number.isFinite))
    throw new TidemarkError(
      "embed",
      `The embedder ${name} gave a vector that holds something else than finite numbers; nothing of it is stored.`,
    );
}
