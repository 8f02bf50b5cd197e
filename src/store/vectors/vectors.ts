import { type Scope } from "../../model/identity.ts";
import { type ValueName, type VectorIndex, type CategoryCentroid } from "../../model/store.ts";
import { type Ask, askedAll } from "../sqlite/busy.ts";
import { type Connection } from "../sqlite/database.ts";
import { type Scopes } from "../sqlite/scopes.ts";
import { dot, fromBlob, unit, toBlob } from "./math.ts";
import { vectorModels, type VectorRoom } from "./models.ts";
import { openResidence } from "./resident.ts";
import { vectorSearch } from "./search.ts";
import { type Placed, vectorWriter, type Moved } from "./write.ts";

/** Vectors beside the memories of one database. */
export function vectorIndex(database: Connection, scopes: Scopes) {
  const room: VectorRoom = { database, scopes, models: vectorModels(database) };
  const residence = openResidence(database, "vector");
  const write = vectorWriter(room, { table: "vector", residence, moved: categorySums(room) });
  const current = database.prepare(
    "select row, scope from memory where id = ? and version = ? and valid_to is null",
  );
  const nearest = vectorSearch(room, residence);
  const ownOf = vectorsOf(room);
  const swept = database.prepare("select swept from vector_model where number = ?").pluck();
  const sweep = database.prepare(
    "update vector_model set swept = @to where number = @model and swept < @to",
  );
  const last = database.prepare("select max(row) from memory").pluck();
  const without = database.prepare(
    `select m.row, m.id, m.version, m.content from memory m left join vector v on v.row = m.row
     where m.row > @after and m.valid_to is null and (v.row is null or v.model <> @model) order by m.row limit @limit`,
  );

  /** What was looked through is noted, and not looked at again. */
  function missing(limit: number): { id: string; version: number; content: string }[] {
    const model = room.models.current()?.number;
    if (model === undefined) return [];
    const rows = without.all({ model, after: swept.get(model), limit }) as {
      row: number;
      id: string;
      version: number;
      content: string;
    }[];
    sweep.run({ model, to: rows[0] ? rows[0].row - 1 : ((last.get() as number | null) ?? 0) });
    return rows.map(({ id, version, content }) => ({ id, version, content }));
  }

  const index = (ask: Ask): VectorIndex => ({
    ...askedAll(ask, "be read", {
      missing,
      nearest,
      categories: centroids(room),
      cosines(values: readonly ValueName[], visible: readonly Scope[], given: Float32Array) {
        const vector = unit(given);
        return ownOf(values, visible).map((own) =>
          own?.length === vector.length ? dot(vector, own) : undefined,
        );
      },
    }),
    ...askedAll(ask, "be written", {
      use({ name, dimensions }: { name: string; dimensions: number }) {
        residence.clear();
        return room.models.use(name, dimensions).notes ?? undefined;
      },
      note: room.models.note,
      put: (vectors: Parameters<VectorIndex["put"]>[0]) =>
        write.put(vectors, ({ id, version }) => current.get(id, version) as Placed | undefined),
      tend: clearing(room),
    }),
  });

  return { index, write, room };
}

/** Each value's own vector, of the reader's scopes and the model in use. */
function vectorsOf({ database, scopes, models }: VectorRoom) {
  const ofValues = database
    .prepare(
      `select named.key, v.embedding from json_each(?) named cross join memory m on m.id = named.value ->> 0 and m.version = named.value ->> 1 cross join vector v on v.row = m.row
       where v.model = ? and v.scope in (select value from json_each(?))`,
    )
    .raw();
  return (
    values: readonly ValueName[],
    visible: readonly Scope[],
  ): (Float32Array | undefined)[] => {
    const found: (Float32Array | undefined)[] = values.map(() => undefined);
    const named = JSON.stringify(values.map(({ id, version }) => [id, version]));
    const rows = ofValues.all(
      named,
      models.current()?.number ?? null,
      JSON.stringify(scopes.numbers(visible)),
    ) as [number, Buffer][];
    for (const [at, embedding] of rows) found[at] = fromBlob(embedding);
    return found;
  };
}

/** A former model's vectors go, once the present one has all of its own; two hundred at a time. */
function clearing({ database, models }: VectorRoom): () => boolean {
  const stale = database
    .prepare("select number from vector_model where current = 0 limit 1")
    .pluck();
  // As long as something is missing, a return to the former model finds its vectors still there.
  const complete = database
    .prepare(
      "select 1 from vector_model where number = ? and swept >= (select coalesce(max(row), 0) from memory)",
    )
    .pluck();
  const clearRows = database.prepare(
    "delete from vector where row in (select row from vector where model = ? limit 200)",
  );
  return database.transaction((): boolean => {
    const model = models.current();
    const number = stale.get() as number | undefined;
    if (model === undefined || number === undefined || complete.get(model.number) === undefined)
      return false;
    if (clearRows.run(number).changes > 0) return true;
    database.prepare("delete from vector_category where model = ?").run(number);
    database.prepare("delete from vector_model where number = ?").run(number);
    return true;
  }).immediate;
}

/** The most categories whose middles are compared. */
const MOST_CATEGORIES = 256;

/** A category's middle moves with each vector that comes or goes, unless the category was found by that middle. */
function categorySums({ database }: VectorRoom): Moved {
  const traits = database.prepare("select category, sorted from memory where row = ?");
  const total = database.prepare(
    "select members, total from vector_category where model = ? and scope = ? and category = ?",
  );
  const setTotal = database.prepare(
    "insert or replace into vector_category (model, scope, category, members, total) values (?, ?, ?, ?, ?)",
  );
  const noTotal = database.prepare(
    "delete from vector_category where model = ? and scope = ? and category = ?",
  );
  return ({ row, model, scope, embedding }, by) => {
    const { category, sorted } = traits.get(row) as { category: string; sorted: number };
    if (sorted === 1) return;
    const known = total.get(model, scope, category) as
      { members: number; total: Buffer } | undefined;
    const members = (known?.members ?? 0) + by;
    if (members <= 0) return void noTotal.run(model, scope, category);
    const vector = fromBlob(embedding);
    const before = known === undefined ? new Float32Array(vector.length) : fromBlob(known.total);
    const after = before.map((value, at) => value + by * (vector[at] ?? 0));
    setTotal.run(model, scope, category, members, toBlob(after));
  };
}

/** The middles of the categories, of all scopes of a reader together. */
function centroids({ database, scopes, models }: VectorRoom) {
  const totals = database.prepare(
    "select category, sum(members) as members, json_group_array(number) as numbers from vector_category where model = ? and scope in (select value from json_each(?)) group by category order by members desc, category limit ?",
  );
  const total = database.prepare("select total from vector_category where number = ?").pluck();
  return (visible: readonly Scope[]): CategoryCentroid[] => {
    const model = models.current();
    if (model === undefined) return [];
    const rows = totals.all(
      model.number,
      JSON.stringify(scopes.numbers(visible)),
      MOST_CATEGORIES,
    ) as { category: string; members: number; numbers: string }[];
    return rows.map(({ category, members, numbers }) => {
      const sums = (JSON.parse(numbers) as number[]).map((number) =>
        fromBlob(total.get(number) as Buffer),
      );
      const sum = sums.reduce((all, one) => all.map((value, at) => value + (one[at] ?? 0)));
      return { category, members, centroid: unit(sum) };
    });
  };
}
