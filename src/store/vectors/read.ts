import { PROBES, SMALL, TIER, BREATH, OVERFETCH, MOST, MOST_CATEGORIES } from "./bounds.ts";
import { defined } from "../../base/guards.ts";
import { type Scope } from "../../model/identity.ts";
import {
  type Candidate,
  type CategoryCentroid,
  type Near,
  type ValueName,
} from "../../model/store.ts";
import { breathe } from "../../base/async.ts";
import { toCandidate, type MemoryRow } from "../sqlite/memory-rows.ts";
import { likeliest, type CellTable } from "./cells.ts";
import { statements } from "../sqlite/statements.ts";
import { dot, fromBlob, quantised, unit } from "./math.ts";
import { ASIDE, FRESH, type VectorRoom } from "./rows.ts";
import { kindNumber, type Filter, type Found, type NearQuery, type Shelves } from "./shelf.ts";

/** What reads vectors. Scope numbers are part of every statement. */
export function vectorReader(
  { database, scopes, models, categories }: VectorRoom,
  { shelves, cells }: { shelves: Shelves; cells: CellTable },
) {
  const prepare = statements(database);
  const behind = database.prepare(
    "select 1 from vector where model = ? and indexed = 0 and cell > 0 limit 1",
  );
  const exact =
    "select m.*, s.name as scope_name, v.embedding from json_each(?) named cross join vector v on v.row = named.value cross join memory m on m.row = v.row cross join scope s on s.number = m.scope";
  const ofValues = database
    .prepare(
      `select named.key, v.embedding from json_each(?) named cross join memory m on m.id = named.value ->> 0 and m.version = named.value ->> 1 cross join vector v on v.row = m.row
       where v.model = ? and v.scope in (select value from json_each(?))`,
    )
    .raw();
  const totals = database.prepare(
    "select category, sum(members) as members, json_group_array(number) as numbers from vector_category where model = ? and scope in (select value from json_each(?)) group by category order by members desc, category limit ?",
  );
  const total = database.prepare("select total from vector_category where number = ?").pluck();
  const small = database.prepare(
    "select category, total from vector_category where model = ? and scope = ? and members <= ? order by category limit ?",
  );
  // Middles are of those whose category was given; to be read whole are all that are in it.
  const larger = database
    .prepare(
      "select 1 from memory indexed by memory_category where scope = ? and valid_to is null and category in (select value from json_each(?)) limit 1 offset ?",
    )
    .pluck();

  function where(
    { now, asOf, kind }: NearQuery,
    wanted: readonly string[] | undefined,
  ): { sql: string; values: (string | number)[] } {
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

  function filter({ now, asOf, kind }: NearQuery, wanted: readonly string[] | undefined): Filter {
    return {
      expiresAfter: asOf ?? now,
      ...defined({ since: asOf }),
      ...(kind && { kind: kindNumber(kind) }),
      ...defined({
        categories: wanted?.map(categories.known).filter((number) => number !== undefined),
      }),
    };
  }

  // "cross join" keeps the order of reading: the few of a category first, then their vectors.
  const ofCategory = (count: number, narrowed: string) =>
    prepare(
      `select v.row, v.embedding from memory m indexed by memory_category cross join vector v on v.row = m.row
       where m.scope = ? and m.valid_to is null and m.category in (${Array.from({ length: count }, () => "?").join(", ")}) and v.model = ? and ${narrowed}`,
    );

  const holdsMore = (scope: number, names: readonly string[], most: number): boolean =>
    larger.get(scope, JSON.stringify(names), most) !== undefined;

  /** The first tier, where not all is read: the small categories whose middle is nearest. */
  function nearestCategories(model: number, scope: number, vector: Float32Array): string[] {
    const rows = small.all(model, scope, TIER.members, MOST_CATEGORIES) as {
      category: string;
      total: Buffer;
    }[];
    return rows
      .map(({ category, total: sum }) => ({ category, near: dot(vector, unit(fromBlob(sum))) }))
      .sort((one, other) => other.near - one.near || (one.category < other.category ? -1 : 1))
      .slice(0, TIER.looked)
      .filter(({ category }) => !holdsMore(scope, [category], TIER.members))
      .slice(0, TIER.categories)
      .map(({ category }) => category);
  }

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

  /** `first`: the index narrows by itself. Else what is near is looked at whatever it is; undefined where too much of it has to go. */
  async function search(
    query: NearQuery,
    { first }: { first: boolean },
  ): Promise<Near[] | undefined> {
    const model = models.current();
    const wanted = query.category === undefined ? query.categories : [query.category];
    if (model === undefined || query.vector.length !== model.dimensions || wanted?.length === 0)
      return [];
    const vector = unit(query.vector);
    const bytes = quantised(vector);
    const narrowed = where(query, wanted);
    const filtered = filter(query, wanted);
    const limit = Math.min(MOST, Math.ceil(OVERFETCH * query.limit));
    const best = new Map<number, number>();
    // What is farther than as many as are wanted need not be sorted, which is half of the index's work.
    let top: number[] = [];
    const note = (found: readonly Found[]): void => {
      // A small category's were noted already when its cell is read.
      const others = found.filter(({ row }) => !best.has(row));
      if (others.length === 0) return;
      for (const { row, cosine } of others) best.set(row, cosine);
      top = [...top, ...others.map(({ cosine }) => cosine)]
        .sort((one, other) => other - one)
        .slice(0, limit);
    };
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

    /** Every vector of the place, as it stands. */
    async function plain(place: string, values: readonly (number | string)[]): Promise<void> {
      const [beside, narrower, narrow] = first
        ? [" cross join memory m on m.row = v.row", ` and ${narrowed.sql}`, narrowed.values]
        : ["", "", []];
      const page = prepare(
        `select v.row, v.embedding from vector v${beside} where v.model = ? and ${place} and v.row > ?${narrower} order by v.row limit ${BREATH.plain}`,
      );
      for (let after = 0; ;) {
        const rows = page.all(model?.number, ...values, after, ...narrow) as {
          row: number;
          embedding: Buffer;
        }[];
        note(rows.map(({ row, embedding }) => ({ row, cosine: dot(vector, fromBlob(embedding)) })));
        await pause(rows.length / BREATH.plain);
        if (rows.length < BREATH.plain) return;
        after = rows.at(-1)?.row ?? after;
      }
    }

    /** Every vector of the categories, by an index of their own; what is past stands aside. */
    async function whole(scope: number, names: readonly string[]): Promise<void> {
      const rows = ofCategory(names.length, narrowed.sql).all(
        scope,
        ...names,
        model?.number,
        ...narrowed.values,
      ) as { row: number; embedding: Buffer }[];
      note(rows.map(({ row, embedding }) => ({ row, cosine: dot(vector, fromBlob(embedding)) })));
      await pause(rows.length / BREATH.plain);
    }

    for (const scope of scopes.numbers(query.scopes)) {
      const standing = cells.of(model.number, scope);
      if (query.asOf !== undefined) await plain("v.scope = ? and v.cell = ?", [scope, ASIDE]);
      if (wanted !== undefined && standing.numbers.length > 0 && !holdsMore(scope, wanted, SMALL)) {
        await whole(scope, wanted);
        continue;
      }
      const probes = Math.max(
        PROBES.least,
        Math.ceil(PROBES.share * Math.sqrt(standing.numbers.length)),
      );
      if (wanted === undefined && standing.numbers.length > probes)
        for (const name of nearestCategories(model.number, scope, vector))
          await whole(scope, [name]);
      await plain("v.scope = ? and v.cell = ?", [scope, FRESH]);
      for (const cell of [...standing.always, ...likeliest(standing, vector, probes)]) {
        const seen = first
          ? undefined
          : shelf?.all(bytes, { scope, cell }, { limit, above: top[limit - 1] });
        if (seen !== undefined) {
          note(seen.found);
          await pause(1 / BREATH.cells + seen.read / BREATH.chunks);
        } else if (shelf === undefined) await plain("v.scope = ? and v.cell = ?", [scope, cell]);
        else {
          note(
            shelf.nearest(bytes, { scope, cell, limit, above: top[limit - 1], filter: filtered }),
          );
          await pause(standing.numbers.length === 0 ? 1 : 400 / BREATH.indexed);
        }
      }
    }
    const order = [...best].sort(
      ([row, cosine], [otherRow, other]) => other - cosine || row - otherRow,
    );
    const chosen = prepare(
      `${exact} where v.model = ? and v.scope in (select value from json_each(?)) and ${narrowed.sql}`,
    ).all(
      JSON.stringify(order.slice(0, limit).map(([row]) => row)),
      model.number,
      JSON.stringify(scopes.numbers(query.scopes)),
      ...narrowed.values,
    ) as (MemoryRow & { embedding: Buffer })[];
    if (!first && chosen.length < query.limit && chosen.length < order.length) return undefined;
    return chosen
      .map((row) => ({ row, cosine: dot(vector, fromBlob(row.embedding)) }))
      .sort((one, other) => other.cosine - one.cosine || one.row.row - other.row.row)
      .slice(0, query.limit)
      .map(({ row, cosine }): Candidate & { cosine: number } => ({ ...toCandidate(row), cosine }))
      .sort(
        (one, other) => other.cosine - one.cosine || (one.memory.id < other.memory.id ? -1 : 1),
      );
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

    categories(visible: readonly Scope[]): CategoryCentroid[] {
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
    },
  };
}
