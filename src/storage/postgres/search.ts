import type { PageSearch, TurnSearch, WordSearch } from "../methods.ts";
import type { Storage } from "../port.ts";
import {
  categoryWords,
  type ChunkRow,
  type FoundTurn,
  LATER,
  MEMBERS,
  pairsOf,
  toCandidate,
  toFound,
  type ValueRow,
} from "../rows.ts";
import type { Counted, HeldWord, PageStamp, Stretch, Weighed } from "../search-index.ts";
import { MEMORY, narrowed } from "./read-memories.ts";
import { asJson, END, fromJson, part, type Row, type Sql } from "./sql.ts";

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

/** Rows read of one term, the newest: beyond, a word tells nothing apart. */
const MOST_CHUNKS = 5_000;

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
            order by t.number desc limit ${MOST_CHUNKS}
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

/**
 * Rows one question reads before it stops taking in commoner words: those are looked up only in the
 * stretches that the rarer ones chose.
 */
const MOST_TURNS = 10_000;

export const turnReads = ({
  rows,
  row,
}: Sql): TurnSearch & Pick<Storage, "beginning" | "turns"> => ({
  frequencies: async ({ root, terms, besides }) =>
    (await row<Counted["turns"][1]>`select r.turns as documents, r.words, r.stretches,
        array(select (coalesce((select turns from [turn_word] w
            where w.root = r.number and w.term = asked.term), 0)
          - coalesce((select sum(bit_count(p.places::bit(64))) from [stretch] s
            join [turn_place] p on p.root = r.number and p.term = asked.term
              and p.stretch = s.number
            where s.root = r.number and s.session = ${besides}::text), 0))::integer
          from unnest(${terms}::text[]) with ordinality asked (term, n) order by n) as holding
      from [root] r where name = ${root}`) ?? {
      ...{ documents: 0, words: 0, stretches: 0 },
      holding: terms.map(() => 0),
    },

  beginning: ({ root, start, limit }) =>
    rows<HeldWord>`select term, turns as holding from [turn_word]
      where root = (select number from [root] where name = ${root})
        and term >= ${start} and term < ${start + END}
      order by turns desc, term limit ${limit}`,

  async turns(root, keys, isWithWords = false) {
    const found = await rows`select id, s.session, position, role, t.name, text, t.at, ref,
        t.stretch, t.place, case when ${isWithWords}::boolean then (
          select json_agg(json_build_object('term', term, 'holding', w.turns, 'first',
              (select p.stretch = t.stretch
                and p.places & ((1::bigint << t.place) - 1) = 0 from [turn_place] p
                where p.root = t.root and p.term = w.term order by p.stretch limit 1)
            ) order by n)
          from unnest(t.words[1:100]) with ordinality said (term, n)
            join [turn_word] w using (term) where w.root = t.root and term not like '@%'
        )::text end as words
      from unnest(${keys.map(({ stretch }) => stretch)}::bigint[],
          ${keys.map(({ place }) => place)}::integer[]) with ordinality named (stretch, place, n)
        join [turn] t on t.stretch = named.stretch and t.place = named.place
        join [stretch] s on s.number = t.stretch
      where t.root = (select number from [root] where name = ${root}) order by n`;
    return found.map(({ words, ...turn }: Row) => ({
      ...{ ...turn, root },
      ...(isWithWords && { words: words === undefined ? [] : fromJson(String(words)) }),
    })) as unknown as FoundTurn[];
  },

  async candidates({ root, terms, limit, besides }) {
    const found = await rows<Stretch>`with asked as (
        select given.term, weight, n, r.number as root, w.turns,
          sum(least(w.turns, r.stretches)) filter (where weight > 0)
            over (order by w.turns, n) as rows,
          least(w.turns, r.stretches) as own
        from [root] r cross join unnest(${terms.map(({ term }) => term)}::text[],
            ${terms.map(({ weight }) => weight)}::float8[]) with ordinality given (term, weight, n)
          join [turn_word] w on w.root = r.number and w.term = given.term
        where r.name = ${root}
      ), best as (
        select s.number, sum(weight * 2 * held / (held + 1) order by turns, n) as total
        from asked join [turn_place] p using (root, term)
          join [stretch] s on s.number = p.stretch
          cross join lateral (select bit_count(p.places::bit(64))::float8 as held) counted
        where weight > 0 and (rows <= ${MOST_TURNS} or rows = own)
          and s.session is distinct from ${besides}::text
        group by s.number order by total desc, s.number limit ${limit}
      )
      select s.number, s.at, s.opens, s.lengths, s.cues, (select count(*) from (
          select from [stretch] later where later.root = s.root and later.at > s.at
            limit ${LATER}) later) as later,
        array(select coalesce((select places from [turn_place] p where p.root = s.root
            and p.term = given.term and p.stretch = s.number), 0)::float8
          from unnest(${terms.map(({ term }) => term)}::text[]) with ordinality given (term, n)
          order by n) as places
      from best join [stretch] s on s.number = best.number order by total desc, s.number`;
    return found.map((stretch) => ({
      ...stretch,
      lengths: Uint16Array.from(stretch.lengths),
      cues: Uint16Array.from(stretch.cues),
    }));
  },
});
