import { checkVector, dot, unit, type VectorModel } from "../../core/vectors.ts";
import { type Answers, byIndex } from "../methods.ts";
import type { Unit } from "../port.ts";
import {
  type ChunkRow,
  embeddedText,
  type ShownRow,
  toCandidate,
  toFound,
  type ValueRow,
} from "../rows.ts";
import type { Missing, NearChunk, Nearest, VectorIndex } from "../search-index.ts";
import { MEMORY, narrowed } from "./read-memories.ts";
import { CHUNK } from "./search.ts";
import { literal, part, type Sql } from "./sql.ts";

/** Rows whose signs are nearest, so many or so many times the limit, are compared exactly. */
const COMPARED = { fewest: 240, times: 8 };
/** Numbers that are read and compared at once where there is no pgvector: 4 MB on the wire. */
const SLICE = 400_000;

/** The numbers of a vector at length 1, as text for the server. */
const sentVector = (vector: Float32Array): string => `{${unit(vector).join()}}`;

/** A vector as `array_send` writes it: 20 bytes, then each number's length and the number. */
const FLOATS = part`encode(array_send(v.embedding), 'base64') as floats`;
function toFloats(sent: string): Float32Array {
  const bytes = Buffer.from(sent, "base64");
  return Float32Array.from({ length: (bytes.length - 20) / 8 }, (_, at) =>
    bytes.readFloatBE(24 + 8 * at),
  );
}

type Part = ReturnType<typeof part>;

/** The numbers of scopes. */
const numbersOf = (scopes: readonly string[]): Part =>
  part`array(select number from [scope] where name = any(${scopes}::text[]))`;

interface ModelInUse extends VectorModel {
  readonly number: number;
  /** pgvector compares. */
  readonly scans: boolean;
}

interface Near {
  readonly vector: Float32Array;
  readonly scopes: readonly string[];
  readonly limit: number;
  /** The rows of `vector v`, or of another table like it, and what decides which fit. */
  readonly table: Part;
  readonly fits: Part;
}

/** The nearest rows with their cosines, as a part of a statement. */
async function near(
  sql: Sql,
  { number = 0, dimensions, scans }: Partial<ModelInUse>,
  asked: Near,
): Promise<Part> {
  if (asked.vector.length !== dimensions) return part`(select 0, 0 limit 0)`;
  return scans ? scanned(number, asked) : compared(sql, number, asked);
}

/**
 * An index of pgvector is walked by signs, and what that finds is compared exactly; where it
 * answers too few, or where there are few, all is.
 */
function scanned(model: number, { vector, scopes, limit, table, fits }: Near): Part {
  const many = Math.max(COMPARED.fewest, COMPARED.times * limit);
  return part`(with asked as materialized (
      select ${sentVector(vector)}::real[] as floats, ${numbersOf(scopes)} as scopes,
        [current](${model}) as model
    ), near as materialized (
      select v.number, 1 - (v.embedding::vector <=> floats::vector) as cosine
      from asked cross join lateral
          [by_signs]('${table}', asked.model, asked.scopes, floats, ${many}) signed (number)
        join ${table} v on v.number = signed.number ${fits} order by cosine desc limit ${limit}
    )
    select * from near where (select count(*) from near) >= ${limit}
    union all (
      select v.number, 1 - (v.embedding::vector <=> floats::vector) as cosine
      from asked join ${table} v on v.scope = any(asked.scopes) and v.model = asked.model
        and v.embedding is not null and (select count(*) from near) < ${limit} ${fits}
      order by cosine desc limit ${limit}
    ))`;
}

/** Without pgvector each is compared here, a slice at a time. */
async function compared(
  { rows }: Sql,
  model: number,
  { scopes, limit, table, fits, ...asked }: Near,
): Promise<Part> {
  const vector = unit(asked.vector);
  const slice = Math.ceil(SLICE / vector.length);
  let best: (readonly [number: number, cosine: number])[] = [];
  let found: { readonly number: number; readonly floats: string }[];
  let last = 0;
  do {
    found = await rows`select v.number, ${FLOATS} from ${table} v join [model] held
        on held.number = ${model} and current and v.model = held.number and v.number > ${last}
        and v.scope = any(${numbersOf(scopes)}) and v.embedding is not null ${fits}
      order by v.number limit ${slice}`;
    for (const { number, floats } of found)
      best.push([(last = number), dot(vector, toFloats(floats))]);
    best = best.sort(([, one], [, other]) => other - one).slice(0, limit);
  } while (found.length === slice);
  return part`unnest(${best.map(([number]) => number)}::bigint[],
    ${best.map(([, cosine]) => cosine)}::float8[])`;
}

interface UsedModel extends ModelInUse {
  readonly notes?: string;
  /** pgvector is not there. */
  readonly why: string;
  /** Indexes that are to be made. */
  readonly unmade: readonly string[];
}

const nearestIn = (sql: Sql, model: Partial<ModelInUse>): Answers<Nearest> => ({
  async memories(asked) {
    // Each is looked up by its number: a join would read every memory there is.
    const fits = part`cross join lateral (select from [memory] m
      where m.number = v.number and ${narrowed(asked)} limit 1) fits`;
    const best = await near(sql, model, { ...asked, fits, table: part`[vector]` });
    const found = await sql.rows<ValueRow & { cosine: number }>`
      select ${MEMORY}, cosine from ${best} best (number, cosine)
        join [memory] m on m.number = best.number join [scope] s on s.number = m.scope
      order by cosine desc, m.id`;
    return found.map((one) => ({ ...toCandidate(one), cosine: one.cosine }));
  },
  async pages(asked) {
    const best = await near(sql, model, { ...asked, fits: part``, table: part`[chunk_vector]` });
    const found = await sql.rows<ChunkRow & Pick<NearChunk, "weight" | "cosine">>`
      select ${CHUNK}, 0 as weight, cosine from ${best} best (number, cosine)
        join [chunk] c on c.number = best.number join [page] p on p.number = c.page
        join [scope] s on s.number = c.scope order by cosine desc, p.path`;
    return found.map(toFound);
  },
  turns: ({ root, vector, limit }) =>
    sql.rows`select * from [near_turns](
      ${model.number}, ${root}, ${sentVector(vector)}::real[], ${limit})`,
});

const missingIn = ({ run }: Sql, model: Partial<ModelInUse>): Answers<Missing> => ({
  memories: (limit) => run`select * from [missing_memories](${model.number}, ${limit})`,
  pages: async (limit) =>
    (
      await run<ShownRow & { chunk: number }>`
        select * from [missing_chunks](${model.number}, ${limit})`
    ).map(({ chunk, ...row }) => ({ chunk, content: embeddedText(row) })),
  turns: (limit) => run`select * from [missing_turns](${model.number}, ${limit})`,
});

/** Vectors beside memories, the chunks of pages and past turns, of one model. */
export function vectorIndex(sql: Sql, without?: (why: string) => void) {
  const { rows, run } = sql;
  const model: Partial<UsedModel> = {};

  /** No writer waits for an index that is made; until it is there all is compared. */
  async function make(unmade: readonly string[]): Promise<void> {
    for (const text of unmade) await run`${literal(text)}`.catch(() => undefined);
  }
  const index: VectorIndex = {
    async use({ name, dimensions }, notes) {
      const isFirst = model.number === undefined;
      const [used] =
        await run<UsedModel>`select * from [use_model](${name}, ${dimensions}, ${notes})`;
      const { scans, why = "", unmade = [] } = Object.assign(model, used);
      if (isFirst && scans === false) without?.(why);
      void make(unmade);
      return used?.notes;
    },
    missing: byIndex<Missing>(missingIn(sql, model)),
    nearest: byIndex<Nearest>(nearestIn(sql, model)),
    async cosines(values, scopes, given) {
      const vector = unit(given);
      const found = await rows<{ n: number; floats: string }>`select n, ${FLOATS}
        from unnest(${values.map(({ id }) => id)}::text[],
            ${values.map(({ version }) => version)}::bigint[])
          with ordinality asked (id, version, n)
          join [memory] m using (id, version) join [vector] v on v.number = m.number
        where v.scope = any(${numbersOf(scopes)}) and model = [current](${model.number})
          and embedding is not null`;
      const told = new Map(found.map(({ n, floats }) => [n, dot(vector, toFloats(floats))]));
      return values.map((_, at) => told.get(at + 1));
    },
    async sample(scopes, limit) {
      const found = await rows<{ floats: string }>`select ${FLOATS}
        from [sample](${model.number}, ${numbersOf(scopes)}, ${limit}) v (embedding)
        limit ${limit}`;
      return found.map(({ floats }) => toFloats(floats));
    },
  };
  return {
    index,
    /** As the server's function reads them. Throws "embed" for what is no vector of the model's. */
    sent(given: NonNullable<Unit["vectors"]>): object | undefined {
      const { number, name = "", dimensions = 0 } = model;
      if (number === undefined) return undefined;
      const rows = Object.entries(given).map(([of, vectors]) => [
        of,
        vectors.map(({ vector, ...key }) => {
          checkVector(vector, { name, dimensions });
          return { ...key, vector: sentVector(vector) };
        }),
      ]);
      return { model: number, ...Object.fromEntries(rows) };
    },
  };
}
