import type { PageSearch } from "../methods.ts";
import type { Storage } from "../port.ts";
import { type ChunkRow, toFound } from "../rows.ts";
import type { PageStamp } from "../search-index.ts";
import { asJson, END, part, type Sql } from "./sql.ts";

/** Rows read of one term, the newest: beyond, a word tells nothing apart. */
const MOST_ROWS = 5_000;

/** The columns of `chunk c` with its page and scope, as the members they fill. */
export const CHUNK = part`s.name as scope, p.path, p.kind, c.headings, c.passages, c.terms`;

export const pageReads = ({ rows, row }: Sql): PageSearch & Pick<Storage, "pages"> => ({
  pages: (scope) =>
    rows<PageStamp>`select path, stamp from [page]
      where scope = (select number from [scope] where name = ${scope}) order by path`,

  frequencies: async ({ scopes, terms }) =>
    (
      await row<{ holding: number[] }>`select array(
        select (select count(distinct number)::integer from [chunk_term] t
          where t.term between asked.term and asked.upto and t.scope = any(array(
            select number from [scope] where name = any(${scopes}::text[]))))
        from unnest(${terms.map(({ term }) => term)}::text[],
            ${terms.map(({ term, open }) => (open ? term + END : term))}::text[])
          with ordinality asked (term, upto, n) order by n) as holding`
    )?.holding ?? [],

  candidates: async ({ scopes, terms, least, limit }) => {
    const asks = terms.map(({ term, open, weight }) => ({
      ...{ term, weight },
      upto: open ? term + END : term,
    }));
    const found = await rows<ChunkRow & { weight: number }>`with held as (
        select weight, t.number from jsonb_to_recordset(${asJson(asks)}::jsonb)
            as ask (term text, upto text, weight float8)
          cross join lateral (
            select distinct t.number from [chunk_term] t where t.scope = any(array(
                select number from [scope] where name = any(${scopes}::text[])))
              and t.term between ask.term and ask.upto
            order by t.number desc limit ${MOST_ROWS}
          ) t
      ), best as (
        select number, sum(weight order by weight desc) as weight from held group by number
      )
      select ${CHUNK}, best.weight
      from best join [chunk] c on c.number = best.number join [page] p on p.number = c.page
        join [scope] s on s.number = c.scope
      where weight >= ${least}::float8 order by weight desc, best.number desc limit ${limit}`;
    return found.map(toFound);
  },
});
