const TRAITS = "kind, category, importance, source, origin";

/** One value of a memory at a time, with its words and its count. */
const ROWS = `
create function [is_taken](_scope bigint, _key text, _same text) returns boolean
language plpgsql stable as $f$
begin
  return exists (
    select from [memory] where scope = _scope and md5(key) = md5(_key) and key = _key
      and valid_to is null
  ) or exists (
    select from [memory] where scope = _scope and same = _same and valid_to is null
      and (key is null or _key is null)
  );
end $f$;
create function [add_memory](_given jsonb, _scope bigint, _uses bigint, _used_at bigint)
returns void language plpgsql as $f$
begin
  with added as (
    insert into [memory] (
      id, version, scope, key, content, same, terms, ${TRAITS}, tags, at, updated_at, stated_at,
      expires_at, uses, used_at, valid_from, sorted
    )
      select id, version, _scope, key, content, same, terms, ${TRAITS},
        array(select jsonb_array_elements_text(_given->'memory'->'tags')), at, "updatedAt",
        "statedAt", "expiresAt", coalesce(_uses, uses),
        case when _uses is null then "usedAt" else _used_at end, "validFrom",
        coalesce(sorted, false)
      from jsonb_to_record(_given->'memory') as m (
        id text, version bigint, key text, content text, kind text, category text,
        importance float8, source text, origin text, at bigint, "updatedAt" bigint,
        "expiresAt" bigint, uses bigint
      ), jsonb_to_record(_given) as s (
        same text, terms text, "statedAt" bigint, "usedAt" bigint, "validFrom" bigint,
        sorted boolean
      )
      returning number, terms
  )
  insert into [memory_term] (scope, term, number)
    select distinct _scope, term, number from added, string_to_table(terms, ' ') term
    where term <> '';
  update [scope] set memories = memories + 1 where number = _scope;
end $f$;
create function [retire](_old [memory], _at bigint) returns void language plpgsql as $f$
begin
  update [memory] set valid_to = greatest(valid_from, _at) where number = (_old).number;
  update [vector] set past = true where number = (_old).number;
  update [memory_term] set past = true where scope = (_old).scope
    and term = any(string_to_array((_old).terms, ' ')) and number = (_old).number;
  update [scope] set memories = memories - 1 where number = (_old).scope;
end $f$;
create function [forget_memories](_ids text[], _scopes text[]) returns void
language sql as $f$
  select number from [scope] where number in (select scope from [memory] where id = any(_ids))
    order by name for update;
  with gone as (
    delete from [memory] m using [scope] s where s.number = m.scope and m.id = any(_ids)
      and (_scopes is null or s.name = any(_scopes)) returning m.*
  ), words as (
    delete from [memory_term] t using gone where t.scope = gone.scope
      and t.term = any(string_to_array(gone.terms, ' ')) and t.number = gone.number
  )
  update [scope] s set memories = s.memories - held.count
    from (select scope, count(*) from gone where valid_to is null group by scope) held
    where s.number = held.scope;
  delete from [debt] where kind = 'log' and memory = any(_ids);
$f$;
create function [lock_scopes](_names text[], _ids text[]) returns void language plpgsql as $f$
begin
  insert into [scope] (name) select distinct name from unnest(_names) name
    where name is not null and not exists (select from [scope] s where s.name = name.name)
    order by name on conflict do nothing;
  perform from [scope] where name = any(_names)
    or number in (select scope from [memory] where id = any(_ids)) order by name for update;
end $f$;
`;

/** Planned changes of memories; rows of scopes are locked in the order of their names. */
const CHANGES = `
create function [write_memories](_changes jsonb) returns void language plpgsql as $f$
#variable_conflict use_column
declare
  _change jsonb;
  _given jsonb;
  _memory jsonb;
  _do text;
  _was bigint;
  _scope bigint;
  _old [memory];
  _held [memory][];
begin
  perform [lock_scopes](
    array(select c->'row'->'memory'->>'scope' from jsonb_array_elements(_changes) c),
    array(select coalesce(c->>'id', c->'row'->'memory'->>'id')
      from jsonb_array_elements(_changes) c)
  );
  for _change in select jsonb_array_elements(_changes) loop
    _given := _change->'row';
    _memory := _given->'memory';
    _do := _change->>'do';
    _was := (_change->>'was')::bigint;
    _scope := (select number from [scope] where name = _memory->>'scope');
    if _do in ('insert', 'resume') then
      if exists (select from [memory] where id = _memory->>'id' and valid_to is null)
        or [is_taken](_scope, _memory->>'key', _given->>'same')
      then raise sqlstate 'TM000'; end if;
      if _do = 'resume' then
        _held := array(select m from [memory] m where id = _memory->>'id' and scope = _scope
          and version >= _was);
        if cardinality(_held) <> 1 or (_held[1]).version <> _was
        then raise sqlstate 'TM000'; end if;
        update [memory] set valid_to = greatest(valid_from, (_given->>'validFrom')::bigint)
          where number = (_held[1]).number;
      end if;
      perform [add_memory](_given, _scope, null, null);
      continue;
    end if;
    select * into _old from [memory]
      where id = coalesce(_change->>'id', _memory->>'id') and valid_to is null;
    if _old.version is distinct from _was then raise sqlstate 'TM000'; end if;
    if _do = 'end' then
      perform [retire](_old, (_change->>'at')::bigint);
    elsif _do = 'replace' then
      perform [retire](_old, (_given->>'validFrom')::bigint);
      if [is_taken](_scope, _memory->>'key', null) then raise sqlstate 'TM000'; end if;
      -- Uses counted since the plan was made belong to the memory, not to the plan.
      perform [add_memory](_given, _scope, _old.uses, _old.used_at);
    else
      -- Another process may have given it a key since the plan was made; what is said again
      -- takes none away.
      if _old.key is distinct from _memory->>'key'
        and (_old.key is not null or [is_taken](_old.scope, _memory->>'key', null))
      then raise sqlstate 'TM000'; end if;
      update [memory] set (key, ${TRAITS}, tags, updated_at, stated_at, expires_at, sorted) = (
        select key, ${TRAITS}, array(select jsonb_array_elements_text(_memory->'tags')),
          "updatedAt", (_given->>'statedAt')::bigint, "expiresAt",
          coalesce((_given->>'sorted')::boolean, false)
        from jsonb_to_record(_memory) as m (
          key text, kind text, category text, importance float8, source text, origin text,
          "updatedAt" bigint, "expiresAt" bigint
        )
      ) where number = _old.number;
    end if;
  end loop;
end $f$;
`;

export const MEMORY_FUNCTIONS = ROWS + CHANGES;
