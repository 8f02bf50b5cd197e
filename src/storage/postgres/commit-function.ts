const SPENT = ["calls", "input", "cache_write", "cache_read", "output", "dollars", "unpriced"];
const summed = SPENT.map((name) => `${name} = held.${name} + excluded.${name}`).join(", ");

/**
 * Parts of a unit that are of no session and no memory; what is not there is not asked for. A job
 * that is taken keeps its moment.
 */
const SMALL = `
create function [write_small](_unit jsonb) returns void language plpgsql as $f$
#variable_conflict use_column
declare
  _one jsonb;
begin
  if _unit ? 'queued' then
    _one := _unit->'queued';
    insert into [job] as held (id, session, first, last, attempts, error, not_before)
      select _one->>'id', id, (_one->>'from')::bigint, (_one->>'to')::bigint, 0,
        _one->>'error', (_one->>'notBefore')::bigint
      from [session] where id = _one->>'session'
      on conflict (id) do update set last = excluded.last,
        not_before = least(held.not_before, excluded.not_before)
        where held.attempts = 0;
    if not found then raise sqlstate 'TM000'; end if;
  end if;
  if _unit ? 'taken' then
    _one := _unit->'taken';
    update [job] set attempts = (_one->'next'->>'attempts')::bigint,
        not_before = (_one->'next'->>'notBefore')::bigint
      where id = _one->'job'->>'id' and attempts = (_one->'job'->>'attempts')::bigint
        and not_before = (_one->'job'->>'notBefore')::bigint;
    if not found then raise sqlstate 'TM000'; end if;
  end if;
  if _unit ? 'pinned' then
    insert into [pin] (id, root, session, text)
      select id, root, coalesce(session, ''), text from jsonb_to_record(_unit->'pinned')
        as given (id text, root text, session text, text text)
      on conflict (id, session) do update set text = excluded.text;
  end if;
  if _unit ? 'unpinned' then
    delete from [pin] where id = _unit->'unpinned'->>'id'
      and root = _unit->'unpinned'->>'root';
    if not found then raise sqlstate 'TM000'; end if;
  end if;
  if _unit ? 'spent' then
    insert into [spent] as held (root, purpose, ${SPENT.join(", ")})
      select _unit->'spent'->>'root', line->>'purpose', calls, input, "cacheWrite", "cacheRead",
        output, dollars, unpriced
      from jsonb_array_elements(_unit->'spent'->'lines') line,
        jsonb_to_record(line->'spent') as sums (
          calls bigint, input bigint, "cacheWrite" bigint, "cacheRead" bigint, output bigint,
          dollars float8, unpriced bigint
        )
      order by line->>'purpose'
      on conflict (root, purpose) do update set ${summed};
  end if;
  if _unit ? 'unchanged' then
    for _one in select jsonb_build_object('name', key, 'was', value)
        from jsonb_each(_unit->'unchanged') order by key loop
      -- Of two that find none the later one waits here for the other.
      if _one->>'was' is null then
        insert into [note] (name, text) values (_one->>'name', '') on conflict do nothing;
      else
        perform from [note] where name = _one->>'name' and text = _one->>'was' for update;
      end if;
      if not found then raise sqlstate 'TM000'; end if;
    end loop;
  end if;
  if _unit ? 'notes' then
    delete from [note] where name in (
      select key from jsonb_each(_unit->'notes') where value = 'null'
    );
    insert into [note] (name, text)
      select key, value from jsonb_each_text(_unit->'notes') where value is not null
      order by key on conflict (name) do update set text = excluded.text;
  end if;
  if _unit ? 'used' then
    update [memory] set uses = uses + 1, used_at = (_unit->'used'->>'at')::bigint
      where number in (
        select number from [memory] where valid_to is null
          and id in (select jsonb_array_elements_text(_unit->'used'->'ids'))
          and scope in (select number from [scope]
            where name in (select jsonb_array_elements_text(_unit->'used'->'scopes')))
        order by number for update
      );
  end if;
  if _unit ? 'debts' then
    for _one in select jsonb_array_elements(_unit->'debts') loop
      delete from [debt] where kind = 'page' and _one->>'kind' = 'page'
        and scope = _one->>'scope';
      insert into [debt] (kind, scope, at, text, memory) values (_one->>'kind',
        _one->>'scope', (_one->>'at')::bigint, _one->>'text', _one->>'memory');
    end loop;
  end if;
  if _unit ? 'paid' then
    delete from [debt]
      where id in (select (d->>'id')::bigint from jsonb_array_elements(_unit->'paid') d);
  end if;
end $f$;
create function [texts](_list jsonb) returns text[] language plpgsql immutable as $f$
begin
  return case when _list is not null then array(select jsonb_array_elements_text(_list)) end;
end $f$;
create function [write_gone](_gone jsonb) returns void language plpgsql as $f$
begin
  if _gone ? 'memories' then
    perform [forget_memories]([texts](_gone->'memories'->'ids'),
      [texts](_gone->'memories'->'scopes'));
  end if;
  if _gone ? 'expired' then
    perform [forget_memories](array(
      select id from [memory] where expires_at <= (_gone->>'expired')::bigint
        and valid_to is null
    ), null);
  end if;
  if _gone ? 'turns' then perform [forget_turns]([texts](_gone->'turns')); end if;
  if _gone ? 'pages' then
    perform [lock_scopes](array[_gone->'pages'->>'scope'], '{}');
    perform [forget_pages](array(
      select p.number from [page] p join [scope] s on s.number = p.scope
        where s.name = _gone->'pages'->>'scope' and (not _gone->'pages' ? 'paths'
          or p.path in (select jsonb_array_elements_text(_gone->'pages'->'paths')))
    ));
  end if;
  if _gone ? 'sessions' then perform [forget_sessions]([texts](_gone->'sessions')); end if;
end $f$;
`;

/**
 * A unit in one trip, all of it or nothing; no transaction is open between two. False where it was
 * made on what is no longer so. One that was sent again, since its answer was lost, stands already.
 */
const COMMIT = `
create function [commit](_id text, _unit jsonb, _durable boolean) returns boolean language plpgsql
set lock_timeout = '5s' as $f$
begin
  -- Who waits for the disk waits for all that was committed before.
  if not _durable then perform set_config('synchronous_commit', 'off', true); end if;
  insert into [done] (id) values (_id) on conflict do nothing;
  if not found then return true; end if;
  if _unit ?| '{session,memories,pages}' then
    perform pg_advisory_xact_lock_shared(hashtextextended('[line]', 0));
  end if;
  if _unit ? 'session' then
    perform [write_session](_unit->'session', _unit ? 'memories');
  end if;
  if _unit ? 'ended' then perform [put_ended](_unit->'ended'); end if;
  if _unit ? 'memories' then perform [write_memories](_unit->'memories'); end if;
  if _unit ? 'gone' then perform [write_gone](_unit->'gone'); end if;
  if _unit ? 'turns' then perform [put_turns](_unit->'turns'->'rows'); end if;
  if _unit ? 'pages' then perform [put_pages](_unit->'pages'); end if;
  if _unit ? 'vectors' then perform [put_vectors](_unit->'vectors'); end if;
  perform [write_small](_unit);
  if _unit ? 'data' then perform [write_data](_unit->'data'); end if;
  if random() < 0.001 then delete from [done] where at < now() - interval '1 day'; end if;
  return true;
exception when sqlstate 'TM000' then return false;
end $f$;
`;

export const COMMIT_FUNCTIONS = SMALL + COMMIT;
