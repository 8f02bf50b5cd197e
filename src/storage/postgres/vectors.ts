import { checkVector, dot, unit } from "../../core/vectors.ts";
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
import { FLOATS, type ModelInUse, near, numbersOf, sentVector, toFloats } from "./nearest.ts";
import { MEMORY, narrowed } from "./read-memories.ts";
import { CHUNK } from "./search-pages.ts";
import { literal, part, type Sql } from "./sql.ts";

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
