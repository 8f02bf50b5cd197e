import { defined } from "../../core/base.ts";
import { TidemarkError } from "../../core/errors-and-events.ts";
import type { VectorIndex } from "../search-index.ts";
import type { Scopes } from "./memory-rows.ts";
import type { Answering } from "./shared-file.ts";
import { aligned, signBlocks } from "./sign-blocks.ts";
import type { Sql } from "./sql.ts";

interface ModelRow {
  readonly number: number;
  readonly name: string;
  readonly dimensions: number;
  readonly notes: string | null;
}

/**
 * The model in use, by this process and by the database: another process may have changed it
 * meanwhile.
 */
function vectorModels({ row, run, value, inOne }: Sql) {
  const find = (name: string, dimensions: number) =>
    row<ModelRow>`select number, name, dimensions, notes from vector_model
      where name = ${name} and dimensions = ${dimensions}`;
  let inUse: ModelRow | undefined;

  return {
    /** Answers what was noted of the model before. */
    use: inOne((name: string, dimensions: number, notes?: string) => {
      // Known, it is not written: other processes would read all their vectors anew.
      if (find(name, dimensions) === undefined)
        run`insert into vector_model (name, dimensions) values (${name}, ${dimensions})`;
      inUse = find(name, dimensions);
      const number = inUse?.number;
      // What another model took over meanwhile is missing again.
      const chosen = run`update vector_model
        set current = (number = ${number}), memory_swept = 0, page_chunk_swept = 0
        where current <> (number = ${number})`;
      if (chosen.changes > 0) {
        run`update stretch set unsigned = (1 << turns) - 1
          where number in (select block from signs where of = 'turn')`;
        run`delete from signs where of = 'turn'`;
      }
      if (notes !== undefined)
        run`update vector_model set notes = ${notes} where number = ${number}`;
      return notes ?? inUse?.notes ?? undefined;
    }),
    /** Undefined when there is none, or when another process has put another model in its place. */
    current(): ModelRow | undefined {
      const current = value`select current from vector_model where number = ${inUse?.number}`;
      return current === 1 ? inUse : undefined;
    },
  };
}

/** The parts of the vector index share it. */
export interface VectorRoom extends Sql {
  readonly scopes: Scopes;
  readonly models: ReturnType<typeof vectorModels>;
  readonly signs: ReturnType<typeof signBlocks>;
}
export const vectorRoom = (sql: Sql, scopes: Scopes): VectorRoom => ({
  ...sql,
  scopes,
  models: vectorModels(sql),
  signs: signBlocks(sql),
});

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  // A typed array holds numbers all over its length, which the compiler cannot know.
  for (let at = 0; at < one.length; at += 1) sum += (one[at] as number) * (other[at] as number);
  return sum;
}

/** The vector at length 1, so that a dot product is a cosine; one without direction stays zero. */
export function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  return length > 0 ? vector.map((value) => value / length) : new Float32Array(vector.length);
}

function fromBlob(blob: Buffer): Float32Array {
  const { buffer, byteOffset, byteLength } = aligned(blob);
  return new Float32Array(buffer, byteOffset, byteLength / 4);
}

/** Throws "embed" for what is no vector of the model's. */
export function checkVector(vector: Float32Array, { name, dimensions }: ModelRow): void {
  const refuse = (what: string): never => {
    throw new TidemarkError("embed", `The embedder ${name} ${what}; nothing of it is stored.`);
  };
  if (vector.length !== dimensions)
    refuse(`promised ${dimensions} dimensions and gave a vector of ${vector.length}`);
  if (!vector.every(Number.isFinite))
    refuse("gave a vector that holds something else than finite numbers");
}

/** A vector belongs to a row and its scope. */
interface Placed {
  readonly row: number;
  readonly scope: number;
}
const TABLES = { memory: "vector", page_chunk: "page_vector" } as const;
/** The rows that have vectors. */
type Embedded = keyof typeof TABLES;

/** Changes the vectors beside the rows of a table, within the transaction that is open. */
export const vectorWriter = ({ run, value, models, signs }: VectorRoom, of: Embedded) => ({
  /**
   * Each in place of the one it had; what has no place any more is passed over. Throws "embed" for
   * what is no vector of the model's.
   */
  put<Given extends { readonly vector: Float32Array }>(
    vectors: readonly Given[],
    placeOf: (given: Given) => Placed | undefined,
  ): void {
    const model = models.current();
    if (model === undefined) return;
    const placed = vectors.flatMap((given) => {
      checkVector(given.vector, model);
      const place = placeOf(given);
      if (place === undefined) return [];
      const made = unit(given.vector);
      // A text the embedder makes nothing of has no direction, and is not found.
      const vector = made.some((one) => one !== 0) ? made : undefined;
      run(
        `insert or replace into ${TABLES[of]} (row, model, scope, embedding) values (?, ?, ?, ?)`,
        ...[place.row, model.number, place.scope, vector && Buffer.from(vector.buffer)],
      );
      return [{ ...place, ...defined({ vector }) }];
    });
    for (const [scope, own] of Map.groupBy(placed, (one) => one.scope))
      signs.put(of, scope, own, model.number);
  },
  erase(row: number): void {
    const scope = value<number>(`delete from ${TABLES[of]} where row = ? returning scope`, row);
    if (scope !== undefined) signs.put(of, scope, [{ row }]);
  },
});

/** The best by signs are compared exactly, since signs order only almost as cosines do. */
const COMPARED = { fewest: 120, times: 4 };

export interface NearRow {
  readonly row: number;
  readonly cosine: number;
}
interface Near {
  readonly scopes: readonly number[];
  readonly vector: Float32Array;
  readonly limit: number;
  readonly fits?: ReadonlySet<number>;
}

/** The rows of the scopes whose vectors lie next to one, the nearest first. */
export const nearestRows =
  ({ rows, models, signs }: VectorRoom, of: Embedded) =>
  async ({ scopes: owners, vector: given, limit, fits }: Near): Promise<NearRow[]> => {
    const { number: model, dimensions } = models.current() ?? {};
    if (model === undefined || dimensions !== given.length) return [];
    const vector = unit(given);
    const most = Math.max(COMPARED.fewest, COMPARED.times * limit);
    const alike = await signs.alike({ of, owners, model, vector, most, fits });
    // "+" keeps the planner from reading all of the model.
    return rows<{ row: number; embedding: Buffer }>(
      `select row, embedding from ${TABLES[of]}
         where row in (select value from json_each(?)) and +model = ?`,
      ...[alike.map(({ row }) => row), model],
    )
      .map(({ row, embedding }) => ({ row, cosine: dot(vector, fromBlob(embedding)) }))
      .sort((one, other) => other.cosine - one.cosine || one.row - other.row)
      .slice(0, limit);
  };

/** Rows without a vector. Those looked through are noted, and not looked at again. */
export const missingIn =
  ({ rows, run, value, models }: VectorRoom, of: Embedded) =>
  <Row>(columns: string, is: string, limit: number): (Row & { row: number })[] => {
    const model = models.current()?.number;
    if (model === undefined || limit < 1) return [];
    const found = rows<Row & { row: number }>(
      `select t.row, ${columns} from ${of} t left join ${TABLES[of]} v on v.row = t.row
       where t.row > (select ${of}_swept from vector_model where number = @model)
         and ${is} and (v.row is null or v.model <> @model) order by t.row limit @limit`,
      { model, limit },
    );
    const last = (): number => value(`select coalesce(max(row), 0) from ${of}`) ?? 0;
    const to = found[0] ? found[0].row - 1 : last();
    run(
      `update vector_model set ${of}_swept = @to where number = @model and ${of}_swept < @to`,
      ...[{ to, model }],
    );
    return found;
  };

type Reads = Answering<VectorIndex, "cosines" | "sample">;

/** Compares with each value's own vector, of the reader's scopes and the model in use. */
export const cosinesIn =
  ({ lists, scopes, models }: VectorRoom): Reads["cosines"] =>
  (values, visible, given) => {
    const vector = unit(given);
    const named = values.map(({ id, version }) => [id, version]);
    const own = new Map(
      lists<[at: number, embedding: Buffer | null]>`select named.key, v.embedding
         from json_each(${named}) named cross join memory m on m.id = named.value ->> 0
         and m.version = named.value ->> 1 cross join vector v on v.row = m.row
         where v.model = ${models.current()?.number}
           and v.scope in (select value from json_each(${scopes.numbers(visible)}))`,
    );
    return values.map((_, at) => {
      const vectorOfIt = own.get(at);
      return vectorOfIt?.length === vector.byteLength
        ? dot(vector, fromBlob(vectorOfIt))
        : undefined;
    });
  };

/** The sample is taken at even distances, in the order in which rows came. */
export const sampleOf =
  ({ values, scopes, models }: VectorRoom): Reads["sample"] =>
  (visible, limit) => {
    const model = models.current()?.number;
    const shares = JSON.stringify(Array.from({ length: limit }, (_, at) => at / limit));
    const numbers = scopes.numbers(visible);
    return Object.values(TABLES)
      .flatMap((table) => {
        const own = `from ${table} where model = @model and scope = @scope`;
        const sampled = `select v.embedding
          from (select (select min(row) ${own}) as low, (select max(row) ${own}) as high)
          cross join json_each(@shares) share
          join ${table} v on v.row = (select row ${own}
            and row >= low + (high - low) * share.value order by row limit 1)
          where v.embedding is not null group by v.row`;
        return numbers.flatMap((scope) =>
          values<Buffer>(sampled, { shares, model: model ?? null, scope }),
        );
      })
      .slice(0, limit)
      .map(fromBlob);
  };
