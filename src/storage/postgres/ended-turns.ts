import { ENDED, type EndedAsked, type EndedRow, toTurn, TURNS } from "../history-port.ts";
import { part, type Sql } from "./sql.ts";

const LAST_TOLD = `select told from [ended] where session = _session and told is not null
  and number < coalesce(_first, number + 1) order by number desc limit 1`;

/**
 * Turns that have ended. `told` is null where it is as in the last row of the session that has it.
 * Behind the number that `ended_upto` answers no row comes to stand that has a lower one.
 */
export const ENDED_STEP = `
create table [ended] (
  number bigint generated always as identity primary key, session text collate "C" not null,
  at bigint not null, model text, used bigint not null, bound bigint not null,
  mark text not null, read bigint not null, written bigint not null, cached bigint not null,
  dollars float8, ms bigint not null, waited bigint not null, fold text, told text,
  recalled text not null
);
create index on [ended] (session, number);
create index on [ended] (session, number) where told is not null;
create function [put_ended](_turn jsonb) returns void language plpgsql as $f$
declare
  _session text := _turn->>'session';
  _number bigint;
  _first bigint;
begin
  insert into [ended] (${ENDED})
    select ${ENDED.replace("told", `nullif(told, (${LAST_TOLD}))`)}
    from jsonb_populate_record(null::[ended], _turn) returning number into _number;
  if _number % ${TURNS.counted} <> 0 then return; end if;
  select number into _first from [ended] where session = _session
    order by number desc offset ${TURNS.kept - 1} limit 1;
  update [ended] set told = coalesce(told, (${LAST_TOLD})) where number = _first;
  delete from [ended] where session = _session and number < _first;
end $f$;
create function [ended_upto]() returns bigint language plpgsql as $f$
begin
  perform pg_advisory_xact_lock(hashtextextended('[line]', 0));
  return (select max(number) from [ended]);
end $f$;
`;

const LISTS = part`recalled, coalesce(told, (select told from [ended] b where b.session = e.session
  and b.number < e.number and told is not null order by number desc limit 1)) as told`;

/** Turns as they were. */
export const endedReads = ({ rows, run }: Sql) => ({
  async ended({ order, limit, bare, ...asked }: EndedAsked) {
    const { root, conversation, memory, since } = asked;
    const after = asked.after === undefined ? undefined : Number(asked.after);
    const isLatest = order === "latest";
    const [{ upto = 0 } = {}] =
      after === undefined || isLatest
        ? []
        : await run<{ upto: number }>`select case when exists (select from [ended]
            where number > ${after}::bigint) then [ended_upto]() end as upto`;
    const conditions = [
      conversation !== undefined && part`e.session = ${conversation}`,
      root !== undefined && part`e.session in (select id from [session] where root = ${root})`,
      since !== undefined && part`e.at >= ${since}::bigint`,
      after !== undefined &&
        (isLatest
          ? part`number < ${after}::bigint`
          : part`number > ${after}::bigint and number <= ${upto}::bigint`),
      memory !== undefined &&
        part`(${memory} = any(string_to_array(recalled, ' ')) or exists (select from telling t
          where t.session = e.session and e.number >= first and e.number < coalesce(last, 1e18)))`,
    ];
    const where = conditions.reduce<unknown>(
      (all, one) => (one === false ? all : part`${all} and ${one}`),
      part`true`,
    );
    const found = await rows<EndedRow & { number: number }>`with telling as (
        select session, number as first, (select min(number) from [ended] n
          where n.session = o.session and n.number > o.number and told is not null) as last
        from [ended] o where told is not null
          and ${memory ?? ""} = any(string_to_array(told, ' '))
      )
      select number, session, at, model, used, bound, mark, read, written, cached, dollars, ms,
        waited, fold, ${bare ? part`'' as recalled, '' as told` : LISTS}
      from [ended] e where ${where}
      order by number ${isLatest ? part`desc` : part`asc`} limit ${limit}::bigint`;
    return found.map(toTurn);
  },
});
