import type { WordSearch } from "../methods.ts";
import { categoryWords, MEMBERS, pairsOf, toCandidate, type ValueRow } from "../rows.ts";
import type { Counted, Weighed } from "../search-index.ts";
import { MEMORY, narrowed } from "./read-memories.ts";
import { asJson, type Sql } from "./sql.ts";

/** Rows read of one term: beyond, a word tells nothing apart. */
const MOST_ROWS = 20_000;
/** Terms, and pairs of those that are too common alone, as they are looked for. */
const asksOf = ({ terms, together }: Weighed["memories"][0]): object[] => [
  ...terms.map(({ term, or = [], weight }) => ({ words: [term, ...or], weight })),
  ...pairsOf(together).map(({ one, other, weight }) => ({
    words: [one.term],
    also: other.term,
    weight,
  })),
];

/** By the words that memories hold. */
export const wordReads = ({ rows, row }: Sql): WordSearch => ({
  frequencies: async ({ scopes, terms, past = false }) =>
    (await row<Counted["memories"][1]>`select
      (select coalesce(sum(memories), 0)::float8 from [scope] where name = any(${scopes}::text[]))
        as documents,
      array(select (select count(*)::integer from [memory_term] t
          where t.term = asked.term and (${past}::boolean or not t.past) and t.scope = any(array(
            select number from [scope] where name = any(${scopes}::text[]))))
        from unnest(${terms}::text[]) with ordinality asked (term, n) order by n) as holding`) ?? {
      documents: 0,
      holding: [],
    },

  async categories({ scope, terms }) {
    const members = await rows<Pick<ValueRow, "category" | "terms">>`select category, terms from (
        select category, terms, sorted from [memory] where valid_to is null
          and scope = (select number from [scope] where name = ${scope})
        order by updated_at desc, id limit ${MEMBERS}
      ) latest where not sorted`;
    return categoryWords(members, terms);
  },

  // Sums are made in one order, so that of two rows with the same words neither is the heavier; one
  // sorting does for all. Each row is looked up by its number: a join would read every memory.
  async candidates(asked) {
    const isPast = asked.ever ?? asked.asOf !== undefined;
    const found = await rows<ValueRow>`with held as (
        select ask.weight, t.number from jsonb_to_recordset(${asJson(asksOf(asked))}::jsonb)
            as ask (words text[], also text, weight float8)
          cross join lateral (
            select distinct t.number from [memory_term] t where t.scope = any(array(
                select number from [scope] where name = any(${asked.scopes}::text[])))
              and t.term = any(ask.words) and (${isPast}::boolean or not t.past)
              and (ask.also is null or exists (select from [memory_term] other
                where other.scope = t.scope and other.term = ask.also
                  and other.number = t.number))
            order by t.number desc limit ${MOST_ROWS}
          ) t
      ), best as (
        select number, sum(weight) as total
        from (select number, weight from held order by number desc, weight desc) sorted
        group by number order by total desc, number desc
      )
      select ${MEMORY} from best
        cross join lateral (select * from [memory] m where number = best.number limit 1) m
        join [scope] s on s.number = m.scope
      where ${narrowed(asked)} order by total desc, best.number desc limit ${asked.limit}`;
    return found.map(toCandidate);
  },
});
