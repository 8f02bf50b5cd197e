import { TidemarkError } from "../../model/errors.ts";
import { type ValueName } from "../../model/store.ts";
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
export function vectorWriter(
  { database, models, categories }: VectorRoom,
  shelves: Shelves,
): VectorWriter {
  const find = database.prepare("select * from vector where row = ?");
  const add = database.prepare(
    "insert or replace into vector (row, model, scope, cell, embedding) values (?, ?, ?, ?, ?)",
  );
  const erase = database.prepare("delete from vector where row = ?");
  const place = database.prepare("update vector set cell = ?, indexed = ? where row = ?");
  const current = database.prepare(
    "select row, scope, category, kind, expires_at, sorted from memory where id = ? and version = ? and valid_to is null",
  );
  const dimensions = database
    .prepare("select dimensions from vector_model where number = ?")
    .pluck();
  const leave = database.prepare("insert or ignore into vector_left (row, model) values (?, ?)");
  const countFresh = database.prepare(
    "insert into vector_scope (model, scope, fresh) values (@model, @scope, max(0, @by)) on conflict (model, scope) do update set fresh = max(0, fresh + @by)",
  );
  const countCell = database.prepare("update vector_cell set members = members + ? where cell = ?");
  const total = database.prepare(
    "select members, total from vector_category where model = ? and scope = ? and category = ?",
  );
  const setTotal = database.prepare(
    "insert or replace into vector_category (model, scope, category, members, total) values (?, ?, ?, ?, ?)",
  );
  const noTotal = database.prepare(
    "delete from vector_category where model = ? and scope = ? and category = ?",
  );

  /** A category's middle moves with each vector that comes or goes, unless the category was found by that middle. */
  function sum(
    {
      model,
      scope,
      category,
      sorted,
    }: { model: number; scope: number; category: string; sorted: number },
    vector: Float32Array,
    by: 1 | -1,
  ): void {
    if (sorted === 1) return;
    const known = total.get(model, scope, category) as
      { members: number; total: Buffer } | undefined;
    const members = (known?.members ?? 0) + by;
    if (members <= 0) return void noTotal.run(model, scope, category);
    const before = known === undefined ? new Float32Array(vector.length) : fromBlob(known.total);
    setTotal.run(
      model,
      scope,
      category,
      members,
      toBlob(before.map((value, at) => value + by * (vector[at] ?? 0))),
    );
  }

  /** Out of its cell and out of the index; without the extension, its leaving is noted for when it can be done. */
  function unplace({ row, model, scope, cell, indexed }: VectorRow): void {
    if (cell === FRESH) countFresh.run({ model, scope, by: -1 });
    if (cell > FRESH) countCell.run(-1, cell);
    if (indexed !== 1) return;
    const shelf = shelves.of(model, dimensions.get(model) as number);
    if (shelf === undefined) leave.run(row, model);
    else shelf.drop(row);
  }

  const found = (row: number): VectorRow | undefined => find.get(row) as VectorRow | undefined;

  const put = database.transaction((vectors: readonly GivenVector[]): void => {
    const model = models.current();
    if (model === undefined) return;
    for (const { id, version, vector } of vectors) {
      if (vector.length !== model.dimensions)
        throw new TidemarkError(
          "embed",
          `The embedder ${model.name} promised ${model.dimensions} dimensions and gave a vector of ${vector.length}; nothing of it is stored.`,
        );
      if (!vector.every(Number.isFinite))
        throw new TidemarkError(
          "embed",
          `The embedder ${model.name} gave a vector that holds something else than finite numbers; nothing of it is stored.`,
        );
      const value = current.get(id, version) as Traits | undefined;
      if (value === undefined) continue;
      const old = found(value.row);
      const made = unit(vector);
      if (old?.model === model.number && old.embedding.equals(toBlob(made))) continue;
      if (old !== undefined) {
        unplace(old);
        if (old.cell !== ASIDE)
          sum(
            { ...old, category: value.category, sorted: value.sorted },
            fromBlob(old.embedding),
            -1,
          );
      }
      const cell = isZero(made) ? ASIDE : FRESH;
      add.run(value.row, model.number, value.scope, cell, toBlob(made));
      if (cell === ASIDE) continue;
      countFresh.run({ model: model.number, scope: value.scope, by: 1 });
      sum(
        { model: model.number, scope: value.scope, category: value.category, sorted: value.sorted },
        made,
        1,
      );
    }
  });

  return {
    put: (vectors) => put.immediate(vectors),

    retire({ row, category, sorted }) {
      const old = found(row);
      if (old === undefined || old.cell === ASIDE) return;
      unplace(old);
      place.run(ASIDE, 0, row);
      sum({ ...old, category, sorted }, fromBlob(old.embedding), -1);
    },

    erase({ row, category, sorted }) {
      const old = found(row);
      if (old === undefined) return;
      unplace(old);
      if (old.cell !== ASIDE) sum({ ...old, category, sorted }, fromBlob(old.embedding), -1);
      erase.run(row);
    },

    amend(was, now) {
      if (
        was.category === now.category &&
        was.kind === now.kind &&
        was.expires_at === now.expires_at &&
        was.sorted === now.sorted
      )
        return;
      const old = found(was.row);
      if (old === undefined || old.cell === ASIDE) return;
      if (was.category !== now.category || was.sorted !== now.sorted) {
        const vector = fromBlob(old.embedding);
        sum({ ...old, category: was.category, sorted: was.sorted }, vector, -1);
        sum({ ...old, category: now.category, sorted: now.sorted }, vector, 1);
      }
      if (old.indexed !== 1) return;
      const shelf = shelves.of(old.model, dimensions.get(old.model) as number);
      if (shelf !== undefined)
        return void shelf.amend(was.row, {
          category: categories.number(now.category),
          kind: kindNumber(now.kind),
          expires: now.expires_at,
        });
      leave.run(was.row, old.model);
      place.run(old.cell, 0, was.row);
    },
  };
}
