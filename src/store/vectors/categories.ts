import { type Scope } from "../../model/identity.ts";
import { type CategoryCentroid } from "../../model/store.ts";
import { fromBlob, toBlob, unit } from "./math.ts";
import { type VectorRoom } from "./models.ts";
import { type Moved } from "./write.ts";

/** The most categories whose middles are compared. */
const MOST_CATEGORIES = 256;

/** A category's middle moves with each vector that comes or goes, unless the category was found by that middle. */
export function categorySums({ database }: VectorRoom): Moved {
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
export function centroids({ database, scopes, models }: VectorRoom) {
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
