import { MOST_CATEGORIES } from "./bounds.ts";
import { type Scope } from "../../model/identity.ts";
import { type CategoryCentroid, type Near, type ValueName } from "../../model/store.ts";
import { dot, fromBlob, unit } from "./math.ts";
import { type VectorRoom } from "./rows.ts";
import { type Index, vectorSearch } from "./search.ts";
import { type NearQuery } from "./shelf.ts";

/** What reads vectors. Scope numbers are part of every statement. */
export function vectorReader(room: VectorRoom, index: Index) {
  const { database, scopes, models } = room;
  const search = vectorSearch(room, index);
  const ofValues = database
    .prepare(
      `select named.key, v.embedding from json_each(?) named cross join memory m on m.id = named.value ->> 0 and m.version = named.value ->> 1 cross join vector v on v.row = m.row
       where v.model = ? and v.scope in (select value from json_each(?))`,
    )
    .raw();

  function vectorsOf(
    values: readonly ValueName[],
    visible: readonly Scope[],
  ): (Float32Array | undefined)[] {
    const found: (Float32Array | undefined)[] = values.map(() => undefined);
    const named = JSON.stringify(values.map(({ id, version }) => [id, version]));
    const rows = ofValues.all(
      named,
      models.current()?.number ?? null,
      JSON.stringify(scopes.numbers(visible)),
    ) as [number, Buffer][];
    for (const [at, embedding] of rows) found[at] = fromBlob(embedding);
    return found;
  }

  return {
    async nearest(query: NearQuery): Promise<Near[]> {
      const narrow =
        query.asOf !== undefined ||
        query.kind !== undefined ||
        query.category !== undefined ||
        query.categories !== undefined;
      return (
        (narrow ? undefined : await search(query, { first: false })) ??
        (await search(query, { first: true })) ??
        []
      );
    },

    cosines(
      values: readonly ValueName[],
      visible: readonly Scope[],
      given: Float32Array,
    ): (number | undefined)[] {
      const vector = unit(given);
      return vectorsOf(values, visible).map((own) =>
        own?.length === vector.length ? dot(vector, own) : undefined,
      );
    },

    of: vectorsOf,
    categories: centroids(room),
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
