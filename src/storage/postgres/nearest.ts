import { dot, unit, type VectorModel } from "../../core/vectors.ts";
import { part, type Sql } from "./sql.ts";

/** Rows whose signs are nearest, so many or so many times the limit, are compared exactly. */
const COMPARED = { fewest: 240, times: 8 };
/** Numbers that are read and compared at once where there is no pgvector: 4 MB on the wire. */
const SLICE = 400_000;

/** The numbers of a vector at length 1, as text for the server. */
export const sentVector = (vector: Float32Array): string => `{${unit(vector).join()}}`;

/** A vector as `array_send` writes it: 20 bytes, then each number's length and the number. */
export const FLOATS = part`encode(array_send(v.embedding), 'base64') as floats`;
export function toFloats(sent: string): Float32Array {
  const bytes = Buffer.from(sent, "base64");
  return Float32Array.from({ length: (bytes.length - 20) / 8 }, (_, at) =>
    bytes.readFloatBE(24 + 8 * at),
  );
}

type Part = ReturnType<typeof part>;

/** The numbers of scopes. */
export const numbersOf = (scopes: readonly string[]): Part =>
  part`array(select number from [scope] where name = any(${scopes}::text[]))`;

export interface ModelInUse extends VectorModel {
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
export async function near(
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
