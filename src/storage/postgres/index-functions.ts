import { PAUSE, STRETCH } from "../rows.ts";

/** Which turns hold which words, and how many of a root hold each. */
const TURNS = `
create function [unmark](_turn [turn]) returns void language plpgsql as $f$
begin
  update [turn_place] set places = places & ~(1::bigint << (_turn).place)
    where root = (_turn).root and term = any((_turn).words) and stretch = (_turn).stretch;
  delete from [turn_place] where root = (_turn).root and term = any((_turn).words)
    and stretch = (_turn).stretch and places = 0;
  update [turn_word] set turns = turns - 1
    where root = (_turn).root and term = any((_turn).words);
  delete from [turn_word]
    where root = (_turn).root and term = any((_turn).words) and turns <= 0;
end $f$;
create function [put_turns](_rows jsonb) returns void language plpgsql as $f$
#variable_conflict use_column
declare
  _given jsonb;
  _root bigint;
  _at bigint;
  _length integer;
  _words text[];
  _old [turn];
  _sheet [stretch];
  _is_new boolean;
  _goes_on boolean;
begin
  insert into [root] (name) select distinct r->>'root' from jsonb_array_elements(_rows) r
    where not exists (select from [root] where name = r->>'root')
    order by r->>'root' on conflict do nothing;
  perform from [root] where name in (select r->>'root' from jsonb_array_elements(_rows) r)
    order by name for update;
  for _given in select jsonb_array_elements(_rows) loop
    _root := (select number from [root] where name = _given->>'root');
    _at := (_given->>'at')::bigint;
    _length := (_given->>'length')::integer;
    _words := [texts](_given->'words');
    select * into _old from [turn] where root = _root and id = _given->>'id';
    _is_new := not found;
    if not _is_new then
      -- One that is there gives up its words and keeps its place.
      perform [unmark](_old);
      delete from [turn] where stretch = _old.stretch and place = _old.place;
      select * into _sheet from [stretch] where number = _old.stretch;
      -- What follows it is embedded anew with it.
      _sheet.signs := _sheet.signs[1:_old.place];
    else
      select * into _sheet from [stretch] where session = _given->>'session' and root = _root
        order by number desc limit 1;

      _goes_on := found and _at - _sheet.until < ${PAUSE};
      if not _goes_on or cardinality(_sheet.lengths) >= ${STRETCH} then
        insert into [stretch] (root, session, at, until, opens)
          values (_root, _given->>'session', _at, _at, not _goes_on) returning * into _sheet;
      end if;
      _old.stretch := _sheet.number;
      _old.place := cardinality(_sheet.lengths);
    end if;
    update [root] set turns = turns + _is_new::integer,
        words = words + _length - coalesce(_sheet.lengths[_old.place + 1], 0),
        stretches = stretches + (_sheet.lengths = '{}')::integer
      where number = _root;
    _sheet.lengths[_old.place + 1] := _length;
    _sheet.cues[_old.place + 1] := (_given->>'cues')::integer;
    update [stretch] set lengths = _sheet.lengths, cues = _sheet.cues, signs = _sheet.signs,
        until = greatest(until, _at) where number = _old.stretch;
    insert into [turn] (
      stretch, place, root, id, position, role, name, text, at, ref, words
    ) values (
      _old.stretch, _old.place, _root, _given->>'id', (_given->>'position')::bigint,
      _given->>'role', _given->>'name', _given->>'text', _at, _given->>'ref', _words
    );
    insert into [turn_word] as held (root, term, turns)
      select _root, term, 1 from unnest(_words) term
      on conflict (root, term) do update set turns = held.turns + 1;
    insert into [turn_place] as held (root, term, stretch, places)
      select _root, term, _old.stretch, 1::bigint << _old.place from unnest(_words) term
      on conflict (root, term, stretch) do update
        set places = held.places | excluded.places;
  end loop;
end $f$;
create function [forget_turns](_sessions text[]) returns void language plpgsql as $f$
#variable_conflict use_column
declare
  _turn [turn];
begin
  perform from [root] where number in (
    select root from [stretch] where session = any(_sessions)
  ) order by name for update;
  for _turn in
    delete from [turn] t using [stretch] s
      where s.number = t.stretch and s.session = any(_sessions) returning t.*
  loop
    perform [unmark](_turn);
  end loop;
  with gone as (delete from [stretch] where session = any(_sessions) returning *)
  update [root] r set turns = r.turns - held.turns, words = r.words - held.words,
      stretches = r.stretches - held.stretches
    from (
      select root, sum(cardinality(lengths)) as turns, count(*) as stretches,
        sum((select sum(length) from unnest(lengths) length)) as words
      from gone group by root
    ) held where r.number = held.root;
end $f$;
`;

/** Chunks that show the same are the same, and stay when the rest of their page changes. */
const PAGES = `
create function [forget_chunks](_numbers bigint[]) returns void language plpgsql as $f$
begin
  with gone as (delete from [chunk] where number = any(_numbers) returning *)
  delete from [chunk_term] t using gone where t.scope = gone.scope
    and t.term = any(regexp_split_to_array(gone.terms, '[[:space:]]')) and t.number = gone.number;
end $f$;
create function [forget_pages](_numbers bigint[]) returns void language sql as $f$
  select [forget_chunks](array(select number from [chunk] where page = any(_numbers)));
  delete from [page] where number = any(_numbers);
$f$;
create function [put_pages](_pages jsonb) returns void language plpgsql as $f$
#variable_conflict use_column
declare
  _given jsonb;
  _scope bigint;
  _page bigint;
begin
  perform [lock_scopes](array(select p->>'scope' from jsonb_array_elements(_pages) p), '{}');
  for _given in select jsonb_array_elements(_pages) loop
    _scope := (select number from [scope] where name = _given->>'scope');
    insert into [page] (scope, path, kind, stamp)
      values (_scope, _given->>'path', _given->>'kind', _given->>'stamp')
      on conflict (scope, path) do update set kind = excluded.kind, stamp = excluded.stamp
      returning number into _page;
    perform [forget_chunks](array(
      select number from (
        select number, headings, passages,
          row_number() over (partition by headings, passages order by number desc) as n
        from [chunk] where page = _page
      ) held where n > (
        select count(*) from jsonb_array_elements(_given->'chunks') c
          where c->>'headings' = held.headings and c->>'passages' = held.passages
      )
    ));
    with added as (
      insert into [chunk] (page, scope, headings, passages, terms)
        select _page, _scope, headings, passages, terms from (
          select c->>'headings' as headings, c->>'passages' as passages, c->>'terms' as terms, n,
            row_number() over (partition by c->>'headings', c->>'passages' order by n) as nth
          from jsonb_array_elements(_given->'chunks') with ordinality given (c, n)
        ) wanted where nth > (
          select count(*) from [chunk] held where page = _page
            and held.headings = wanted.headings and held.passages = wanted.passages
        ) order by n
      returning number, terms
    )
    insert into [chunk_term] (scope, term, number)
      select distinct _scope, term, number
      from added, regexp_split_to_table(terms, '[[:space:]]') term where term <> '';
  end loop;
end $f$;
`;

export const INDEX_FUNCTIONS = TURNS + PAGES;
