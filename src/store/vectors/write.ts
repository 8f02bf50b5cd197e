import { TidemarkError } from "../../model/errors.ts";
import { type ValueName } from "../../model/store.ts";
import { type Connection } from "../sqlite/database.ts";
import { fromBlob, isZero, toBlob, unit } from "./math.ts";
import { ASIDE, LIVE, type VectorRoom } from "./models.ts";
import { type Residence } from "./resident.ts";

interface VectorRow {
  readonly row: number;
  readonly model: number;
  readonly scope: number;
  readonly cell: number;
  readonly embedding: Buffer;
}

/** What a value's vector tells of: its row, and the category whose middle it moves. */
interface Traits {
  readonly row: number;
  readonly category: string;
  /** 1: its category was found, not given, and so tells nothing of what the category is like. */
  readonly sorted: number;
}

export interface VectorWriter {
  /** In a transaction of its own; the others expect to run inside one. */
  put(vectors: readonly GivenVector[]): void;
  /** The value is past now: kept for questions of what held then. */
  retire(value: Traits): void;
  erase(value: Traits): void;
  amend(was: Traits, now: Omit<Traits, "row">): void;
}
type GivenVector = ValueName & { readonly vector: Float32Array };

/** What changes vectors. */
export function vectorWriter(room: VectorRoom, residence: Residence): VectorWriter {
  const { database } = room;
  const find = database.prepare("select * from vector where row = ?");
  const erase = database.prepare("delete from vector where row = ?");
  const aside = database.prepare(`update vector set cell = ${ASIDE} where row = ?`);
  const sum = categorySums(database);
  const found = (row: number): VectorRow | undefined => find.get(row) as VectorRow | undefined;
  /** What it says of its category goes with it. */
  function leave({ row, category, sorted }: Traits): VectorRow | undefined {
    const old = found(row);
    if (old === undefined || old.cell === ASIDE) return old;
    residence.changed(row, old);
    sum({ ...old, category, sorted }, fromBlob(old.embedding), -1);
    return old;
  }
  const put = database.transaction(vectorAdder(room, { leave, sum, residence }));
  return {
    put: (vectors) => put.immediate(vectors),
    retire(value) {
      if (leave(value) !== undefined) aside.run(value.row);
    },
    erase(value) {
      if (leave(value) !== undefined) erase.run(value.row);
    },
    amend(was, now) {
      if (was.category === now.category && was.sorted === now.sorted) return;
      const old = leave(was);
      if (old === undefined || old.cell === ASIDE) return;
      sum({ ...old, category: now.category, sorted: now.sorted }, fromBlob(old.embedding), 1);
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

interface Adding {
  readonly leave: (value: Traits) => VectorRow | undefined;
  readonly sum: Sum;
  readonly residence: Residence;
}

/** Puts vectors of current values in, each in place of the one it had. Throws "embed" for what is no vector of the model's. */
function vectorAdder(
  { database, models }: VectorRoom,
  { leave, sum, residence }: Adding,
): (vectors: readonly GivenVector[]) => void {
  const add = database.prepare(
    "insert or replace into vector (row, model, scope, cell, embedding) values (?, ?, ?, ?, ?)",
  );
  const standing = database
    .prepare("select embedding from vector where row = ? and model = ?")
    .pluck();
  const current = database.prepare(
    "select row, scope, category, sorted from memory where id = ? and version = ? and valid_to is null",
  );
  return (vectors) => {
    const model = models.current();
    if (model === undefined) return;
    for (const { id, version, vector } of vectors) {
      checkVector(vector, model);
      const value = current.get(id, version) as (Traits & { scope: number }) | undefined;
      if (value === undefined) continue;
      const { row, scope, category, sorted } = value;
      const made = unit(vector);
      const old = standing.get(row, model.number) as Buffer | undefined;
      if (old?.equals(toBlob(made)) === true) continue;
      leave(value);
      const cell = isZero(made) ? ASIDE : LIVE;
      add.run(row, model.number, scope, cell, toBlob(made));
      if (cell === ASIDE) continue;
      residence.changed(row, { model: model.number, scope });
      sum({ model: model.number, scope, category, sorted }, made, 1);
    }
  };
}

export function checkVector(
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
