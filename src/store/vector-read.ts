import { type Scope } from "../model/identity.ts";
import { type Candidate, type CategoryCentroid, type Narrowing, type Near, type ValueName } from "../model/store.ts";
import { toCandidate, type MemoryRow } from "./memory-rows.ts";
import { likeliest, type CellTable } from "./vector-cells.ts";
import { dot, fromBlob, quantised, unit } from "./vector-math.ts";
import { ASIDE, FRESH, type VectorRoom } from "./vector-rows.ts";
import { kindNumber, type Filter, type Found, type Shelves } from "./vector-shelf.ts";

/** Cells read in a scope that has many: recall@10 against exact search ≥ 0.95 (bench memory-speed). */
const PROBES = 24;
/** A category up to this size is read whole, in a scope that is otherwise read in part. */
const SMALL_CATEGORY = 2_000;
/** Vectors compared between two breaths, by the index and one by one: 3 to 5 ms. */
const BREATH = { indexed: 6_000, plain: 1_000 } as const;
/** Bytes order almost as the numbers they stand for: of this many times the limit the best are found exactly. */
const OVERFETCH = 2;
/** The most sqlite-vec answers. */
const MOST = 4_096;
/** The most categories whose middles are compared. */
const MOST_CATEGORIES = 256;

export type NearQuery = Narrowing & { readonly vector: Float32Array; readonly categories?: readonly string[] };

/** Lets what waits have its turn. */
const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What reads vectors. Scope numbers are part of every statement. */
export function vectorReader({ database, scopes, models, categories }: VectorRoom, { shelves, cells }: { shelves: Shelves; cells: CellTable }) {
  const behind = database.prepare("select 1 from vector where model = ? and indexed = 0 and cell > 0 limit 1");
  const exact = `select m.*, s.name as scope_name, v.embedding from json_each(?) named cross join vector v on v.row = named.value cross join memory m on m.row = v.row
    cross join scope s on s.number = m.scope`;
  const oneByOne = database.prepare(`select embedding from vector v join memory m on m.row = v.row where m.id = ? and m.version = ? and v.model = ? and v.scope in (select value from json_each(?))`).pluck();
  const totals = database.prepare(
    "select category, sum(members) as members, json_group_array(number) as numbers from vector_category where model = ? and scope in (select value from json_each(?)) group by category order by members desc, category limit ?",
  );
  const total = database.prepare("select total from vector_category where number = ?").pluck();
  const size = database.prepare("select coalesce(sum(members), 0) from vector_category where model = ? and scope = ? and category in (select value from json_each(?))").pluck();

  function where({ now, asOf, kind }: NearQuery, wanted: readonly string[] | undefined): { sql: string; values: (string | number)[] } {
    const held = asOf === undefined ? "m.valid_to is null" : "m.valid_from <= ? and (m.valid_to is null or m.valid_to > ?)";
    const only = wanted === undefined ? "" : ` and m.category in (${wanted.map(() => "?").join(", ")})`;
    return {
      sql: `${held} and (m.expires_at is null or m.expires_at > ?)${only}${kind === undefined ? "" : " and m.kind = ?"}`,
      values: [...(asOf === undefined ? [now] : [asOf, asOf, asOf]), ...(wanted ?? []), ...(kind === undefined ? [] : [kind])],
    };
  }

  function filter({ now, asOf, kind }: NearQuery, wanted: readonly string[] | undefined): Filter {
    return {
      expiresAfter: asOf ?? now,
      ...(asOf === undefined ? {} : { since: asOf }),
      ...(kind === undefined ? {} : { kind: kindNumber(kind) }),
      ...(wanted === undefined ? {} : { categories: wanted.map(categories.known).filter((number) => number !== undefined) }),
    };
  }

  // "cross join" keeps the order of reading: the few of a category first, then their vectors.
  const ofCategory = (count: number, narrowed: string) =>
    database.prepare(
      `select v.row, v.embedding from memory m indexed by memory_category cross join vector v on v.row = m.row
       where m.scope = ? and m.valid_to is null and m.category in (${Array.from({ length: count }, () => "?").join(", ")}) and v.model = ? and ${narrowed}`,
    );

  return {
    async nearest(query: NearQuery): Promise<Near[]> {
      const model = models.current();
      const wanted = query.category === undefined ? query.categories : [query.category];
      if (model === undefined || query.vector.length !== model.dimensions || wanted?.length === 0) return [];
      const vector = unit(query.vector);
      const bytes = quantised(vector);
      const narrowed = where(query, wanted);
      const filtered = filter(query, wanted);
      const limit = Math.min(MOST, OVERFETCH * query.limit);
      const best: Found[] = [];
      let shelf = behind.get(model.number) === undefined ? shelves.of(model.number, model.dimensions) : undefined;
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
        const page = database.prepare(
          `select v.row, v.embedding from vector v join memory m on m.row = v.row where v.model = ? and ${place} and v.row > ? and ${narrowed.sql} order by v.row limit ${BREATH.plain}`,
        );
        for (let after = 0; ; ) {
          const rows = page.all(model?.number, ...values, after, ...narrowed.values) as { row: number; embedding: Buffer }[];
          for (const { row, embedding } of rows) best.push({ row, cosine: dot(vector, fromBlob(embedding)) });
          await pause(rows.length / BREATH.plain);
          if (rows.length < BREATH.plain) return;
          after = rows.at(-1)?.row ?? after;
        }
      }

      for (const scope of scopes.numbers(query.scopes)) {
        const standing = cells.of(model.number, scope);
        if (query.asOf !== undefined) await plain("v.scope = ? and v.cell = ?", [scope, ASIDE]);
        if (wanted !== undefined && standing.numbers.length > 0 && (size.get(model.number, scope, JSON.stringify(wanted)) as number) <= SMALL_CATEGORY) {
          // One scope's category by its own index; what is past stands aside and was read above.
          const rows = ofCategory(wanted.length, narrowed.sql).all(scope, ...wanted, model.number, ...narrowed.values) as { row: number; embedding: Buffer }[];
          for (const { row, embedding } of rows) best.push({ row, cosine: dot(vector, fromBlob(embedding)) });
          await pause(rows.length / BREATH.plain);
          continue;
        }
        await plain("v.scope = ? and v.cell = ?", [scope, FRESH]);
        for (const cell of [...standing.always, ...likeliest(standing, vector, PROBES)]) {
          if (shelf === undefined) await plain("v.scope = ? and v.cell = ?", [scope, cell]);
          else {
            best.push(...shelf.nearest(bytes, { scope, cell, limit, filter: filtered }));
            await pause(standing.numbers.length === 0 ? 1 : 800 / BREATH.indexed);
          }
        }
      }
      best.sort((one, other) => other.cosine - one.cosine || one.row - other.row);
      const rows = database
        .prepare(`${exact} where v.model = ? and v.scope in (select value from json_each(?)) and ${narrowed.sql}`)
        .all(JSON.stringify(best.slice(0, limit).map(({ row }) => row)), model.number, JSON.stringify(scopes.numbers(query.scopes)), ...narrowed.values) as (MemoryRow & { embedding: Buffer })[];
      return rows
        .map((row): Candidate & { cosine: number } => ({ ...toCandidate(row), cosine: dot(vector, fromBlob(row.embedding)) }))
        .sort((one, other) => other.cosine - one.cosine || (one.memory.id < other.memory.id ? -1 : 1))
        .slice(0, query.limit);
    },

    cosines(values: readonly ValueName[], visible: readonly Scope[], given: Float32Array): (number | undefined)[] {
      const model = models.current();
      if (model === undefined || given.length !== model.dimensions) return values.map(() => undefined);
      const vector = unit(given);
      const numbers = JSON.stringify(scopes.numbers(visible));
      return values.map(({ id, version }) => {
        const blob = oneByOne.get(id, version, model.number, numbers) as Buffer | undefined;
        return blob === undefined ? undefined : dot(vector, fromBlob(blob));
      });
    },

    categories(visible: readonly Scope[]): CategoryCentroid[] {
      const model = models.current();
      if (model === undefined) return [];
      const rows = totals.all(model.number, JSON.stringify(scopes.numbers(visible)), MOST_CATEGORIES) as { category: string; members: number; numbers: string }[];
      return rows.map(({ category, members, numbers }) => {
        const sums = (JSON.parse(numbers) as number[]).map((number) => fromBlob(total.get(number) as Buffer));
        const sum = sums.reduce((all, one) => all.map((value, at) => value + (one[at] ?? 0)));
        return { category, members, centroid: unit(sum) };
      });
    },
  };
}

export type VectorReader = ReturnType<typeof vectorReader>;
