const ENTRY = "chain, content, said, role, reply, anchor, prefix, thought, at, name, ref, body";

/** Messages enter the line, leave it, go over into a branch. Their numbers rise with places. */
const MESSAGES = `
create function [move_out](
  _session text, _from bigint, _to bigint, _kind text, _id text, _at bigint
) returns void language plpgsql as $f$
begin
  insert into [aside] (session, before, content, kind, body, prefix, thought, id, number, at)
    select session, position, content, _kind, body, prefix, thought, _id,
      case when _kind = 'form' or role <> 'assistant' then nextval('[line]') end,
      coalesce(_at, at)
    from (
      select * from [entry] where session = _session and position >= _from and position < _to
        order by position
    ) moved on conflict do nothing;
  delete from [entry] where session = _session and position >= _from and position < _to;
end $f$;
create function [put_bodies](_said jsonb) returns void language plpgsql as $f$
begin
  insert into [body] (hash, json)
    select distinct on (s->>'body') s->>'body', s->>'json' from jsonb_array_elements(_said) s
    order by s->>'body' on conflict do nothing;
end $f$;
create function [put_entries](_session text, _entries jsonb) returns void language plpgsql as $f$
begin
  perform [put_bodies](_entries);
  insert into [entry] (session, position, ${ENTRY})
    select _session, position, ${ENTRY} from jsonb_to_recordset(_entries) as given (
      position bigint, chain text, content text, said text, role text, reply boolean,
      anchor text, prefix text, thought text, at bigint, name text, ref text, body text
    ) order by position;
end $f$;
create function [copy_session](_to text, _of text, _before bigint) returns void
language sql as $f$
  insert into [entry] (session, position, ${ENTRY})
    select _to, position, ${ENTRY} from (
      select * from [entry] where session = _of and position < _before order by position
    ) shared;
  insert into [pin] (id, root, session, text)
    select id, root, _to, text from [pin] where session = _of on conflict do nothing;
  insert into [learnt] (session, memory, first, last)
    select _to, memory, first, last from [learnt] where session = _of and first < _before;
  insert into [aside] (session, before, content, kind, body, prefix, thought, id, number, at)
    select _to, before, content, kind, body, prefix, thought, id, nextval('[line]'), at from (
      select * from [aside] where session = _of and kind = 'form' and before < _before
        order by row
    ) forms;
$f$;
create function [move_entries](_session text, _from bigint, _places bigint[]) returns void
language plpgsql as $f$
declare
  _ends bigint[];
  _numbers bigint[];
begin
  for _at in 1 .. cardinality(_places) loop
    -- A range ends behind the last that stands of it.
    _ends := _ends || least(_places[_at], coalesce(_places[_at - 1], _from - 1) + 1);
    if _places[_at] = _places[_at + 1] then
      perform [move_out](_session, _from + _at - 1, _from + _at, 'replaced', null, null);
    end if;
    -- What moved is read anew by the search index.
    _numbers := _numbers || nextval('[line]');
  end loop;
  -- Each steps aside first, so that none meets another on its way.
  update [entry] set number = _numbers[position - _from + 1],
      position = -1 - _places[position - _from + 1]
    where session = _session and position >= _from;
  update [entry] set position = -1 - position where session = _session and position < 0;
  update [aside] set before = -1 - coalesce(_places[before - _from + 1], before)
    where session = _session;
  update [aside] set before = -1 - before where session = _session;
  update [learnt] set first = coalesce(_places[first - _from + 1], first),
      last = coalesce(_ends[last - _from + 1], last) where session = _session;
  update [job] set first = coalesce(_places[first - _from + 1], first),
      last = coalesce(_ends[last - _from + 1], last) where session = _session;
  delete from [job] where session = _session and first = last;
end $f$;
`;

/** Folds, jobs, and what was learnt. */
const BESIDE = `
create function [put_beside](_session text, _change jsonb, _learns boolean) returns void
language plpgsql as $f$
declare
  _job text;
begin
  if _change ? 'folds' then
    insert into [fold] (
      session, id, up_to, text, summary, messages, tokens_before, tokens_after, at, detail
    )
      select _session, id, "upTo", text, summary, messages, before, after, at, detail
      from jsonb_to_recordset(_change->'folds') as given (
        id text, "upTo" bigint, text text, summary text, messages bigint, before bigint,
        after bigint, at bigint, detail text
      ) on conflict do nothing;
  end if;
  if _change ? 'jobs' then
    insert into [job] (id, session, first, last, attempts, error, not_before)
      select id, session, "from", "to", attempts, error, "notBefore"
      from jsonb_to_recordset(_change->'jobs') as given (
        id text, session text, "from" bigint, "to" bigint, attempts bigint, error text,
        "notBefore" bigint
      ) on conflict (id) do update set attempts = excluded.attempts, error = excluded.error,
        not_before = excluded.not_before;
  end if;
  if _change ? 'doneJobs' then
    for _job in select jsonb_array_elements_text(_change->'doneJobs') loop
      delete from [job] where id = _job;
      -- Another process has done it, and stored what it taught.
      if not found and _learns then raise sqlstate 'TM000'; end if;
    end loop;
  end if;
  if _change ? 'learnt' then
    insert into [learnt] as held (session, memory, first, last)
      select _session, memory, first, last
      from jsonb_to_recordset(_change->'learnt') as given (
        memory text, first bigint, last bigint
      ) on conflict (session, memory) do update set first = least(held.first, excluded.first),
        last = greatest(held.last, excluded.last);
  end if;
  if _change ? 'undone' then
    update [fold] set undone_at = (_change->'undone'->>'at')::bigint where session = _session
      and id in (select jsonb_array_elements_text(_change->'undone'->'folds'));
  end if;
end $f$;
`;

/**
 * One change of one conversation. Rows of conversations are locked in the order of their ids; those
 * of one label, which may not exist yet, by a name.
 */
const SESSION = `
create function [write_session](_change jsonb, _learns boolean) returns void
language plpgsql as $f$
#variable_conflict use_column
declare
  _given jsonb := _change->'session';
  _id text := _given->>'id';
  _from bigint := (_change->>'from')::bigint;
  _unread bigint := (_change->>'unread')::bigint;
  _siblings bigint := (_change->>'siblings')::bigint;
  _last bigint;
  _form jsonb;
begin
  if _siblings is not null then
    perform pg_advisory_xact_lock(
      hashtextextended(concat('[session]', _given->>'root', _given->>'label'), 0)
    );
  end if;
  perform from [session] where id in (_id, _change->>'copyOf') or id in (
    select other.session from [entry] own join [entry] other using (chain, at)
      where own.session = _id and own.position = _unread
  ) order by id for update;
  if coalesce((select revision from [session] where id = _id), 0)
      <> (_given->>'revision')::bigint - 1
    or _siblings <> (select count(*) from [session]
      where root = _given->>'root' and label = _given->>'label')
    or exists (
      select from [entry] own join [entry] other using (chain, at)
        join [session] s on s.id = other.session and s.watermark > other.position
        where own.session = _id and own.position = _unread
    )
  then raise sqlstate 'TM000'; end if;
  insert into [session] as held (
    id, root, label, imported, at, updated_at, confirmed, watermark, noted, length, state,
    revision
  )
    select id, root, label, imported, at, "updatedAt", confirmed, watermark, noted, length,
      state, revision
    from jsonb_to_record(_given) as given (
      id text, root text, label text, imported boolean, at bigint, "updatedAt" bigint,
      confirmed bigint, watermark bigint, noted bigint, length bigint, state text,
      revision bigint
    ) on conflict (id) do update set updated_at = excluded.updated_at,
      confirmed = excluded.confirmed, watermark = excluded.watermark, noted = excluded.noted,
      length = excluded.length, state = excluded.state, revision = excluded.revision
      where held.revision = excluded.revision - 1;
  -- Another process began it at this moment.
  if not found then raise sqlstate 'TM000'; end if;
  _last := coalesce((select max(position) from [entry] where session = _id), -1);
  if _change ? 'moved' then
    perform [move_entries](_id, (_change->'moved'->>'from')::bigint,
      array(select jsonb_array_elements_text(_change->'moved'->'places')::bigint));
  elsif _change ? 'copyOf' then
    perform [copy_session](_id, _change->>'copyOf', _from);
  elsif _last >= _from then
    perform [move_out](_id, _from, _last + 1, 'replaced', null, null);
    -- The messages that stand there from now on are distilled with the rest.
    update [job] set last = _from where session = _id and last > _from and first < _from;
  end if;
  if _change ? 'forms' then
    for _form in select jsonb_array_elements(_change->'forms') loop
      perform [move_out](_id, (_form->>'position')::bigint, (_form->>'position')::bigint + 1,
        'form', _form->>'id', (_form->>'at')::bigint);
      perform [put_entries](_id, jsonb_build_array(_form->'entry'));
    end loop;
  end if;
  if _change ? 'chains' then
    update [entry] set chain = named.chain
      from jsonb_array_elements_text(_change->'chains'->'chains') with ordinality named (chain, n)
      where session = _id and position = (_change->'chains'->>'from')::bigint + n - 1;
  end if;
  perform [put_entries](_id, _change->'entries');
  if _change ? 'asides' then
    perform [put_bodies](_change->'asides');
    insert into [aside] (session, before, content, kind, body, prefix, thought, id, number, at)
      select _id, before, content, kind, body, prefix, thought, id,
        -- A search finds the newest of replies made anew.
        case when kind = 'condensed' then nextval('[line]') end,
        coalesce(at, (_given->>'updatedAt')::bigint)
      from jsonb_to_recordset(_change->'asides') as given (
        before bigint, content text, kind text, body text, prefix text, thought text, id text,
        at bigint
      ) on conflict do nothing;
  end if;
  perform [put_beside](_id, _change, _learns);
end $f$;
`;

/** Conversations go with all that is theirs, and with them bodies that nothing refers to now. */
const GONE = `
create function [forget_sessions](_sessions text[]) returns void language plpgsql as $f$
declare
  _bodies text[];
begin
  perform from [session] where id = any(_sessions) order by id for update;
  with line as (delete from [entry] where session = any(_sessions) returning body),
    beside as (delete from [aside] where session = any(_sessions) returning body)
  select array_agg(body) into _bodies from (table line union table beside) held;
  delete from [body] where hash = any(_bodies)
    and not exists (select from [entry] where body = hash)
    and not exists (select from [aside] where body = hash);
  delete from [fold] where session = any(_sessions);
  delete from [learnt] where session = any(_sessions);
  delete from [ended] where session = any(_sessions);
  delete from [job] where session = any(_sessions);
  delete from [pin] where session = any(_sessions);
  delete from [session] where id = any(_sessions);
end $f$;
`;

/** Behind a number no other comes to stand that is less: who reads on waits for who writes. */
const UNINDEXED = `
create function [unindexed](_after bigint, _limit bigint) returns table (
  number bigint, session text, root text, place bigint, role text, said text, name text,
  ref text, at bigint, aside boolean
) language plpgsql as $f$
#variable_conflict use_column
begin
  if _after is null then
    _after := coalesce((select text::bigint from [note] where name = 'turns read'), 0);
  end if;
  if exists (select from [entry] where number > _after)
    or exists (select from [aside] where number > _after)
  then
    perform pg_advisory_xact_lock(hashtextextended('[line]', 0));
  end if;
  return query
    select * from (
      (select e.number, e.session, s.root, e.position, e.role, b.json, e.name, e.ref, e.at, false
        from [entry] e join [session] s on s.id = e.session join [body] b on b.hash = e.body
        where e.number > _after order by e.number limit _limit)
      union all
      (select a.number, a.session, s.root, a.before, '', b.json, null, null,
        coalesce(a.at, s.updated_at), true
        from [aside] a join [session] s on s.id = a.session join [body] b on b.hash = a.body
        where a.number > _after order by a.number limit _limit)
    ) unread order by 1 limit _limit;
end $f$;
`;

export const HISTORY_FUNCTIONS = MESSAGES + BESIDE + SESSION + GONE + UNINDEXED;
