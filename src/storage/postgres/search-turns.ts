import type { TurnSearch } from "../methods.ts";
import { type FoundTurn, LATER } from "../rows.ts";
import type { Storage } from "../port.ts";
import type { Counted, HeldWord, Stretch } from "../search-index.ts";
import { END, fromJson, type Row, type Sql } from "./sql.ts";

/**
 * Rows one question reads before it stops taking in commoner words: those are looked up only in the
 * stretches that the rarer ones chose.
 */
const MOST_ROWS = 10_000;

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
        where weight > 0 and (rows <= ${MOST_ROWS} or rows = own)
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
