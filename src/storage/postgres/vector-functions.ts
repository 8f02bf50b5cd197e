/** In a scope with fewer, comparing each takes no longer than walking an index. */
const FEW = 2_000;

/** `why` pgvector is not there, where it cannot be made; `unmade`: its indexes, to be made. */
const MODELS = `
create function [use_model](_name text, _dimensions bigint, _notes text) returns table (
  number bigint, name text, dimensions bigint, notes text, scans boolean, why text,
  unmade text[]
) language plpgsql as $f$
#variable_conflict use_column
declare
  _scans boolean;
  _why text := 'it is older than 0.8, or outside the search path';
  _number bigint;
  _unmade boolean;
begin
  begin
    create extension if not exists vector;
  exception when others then _why := sqlerrm;
  end;
  _scans := exists (select from pg_extension where extname = 'vector'
    and to_regtype('vector') is not null
    and string_to_array(extversion, '.')::integer[] >= '{0,8}');
  insert into [model] (name, dimensions) values (_name, _dimensions) on conflict do nothing;
  select number into _number from [model] where name = _name and dimensions = _dimensions;
  -- Vectors that another model took over meanwhile are missing again.
  update [model] set current = not current, memories = 0, chunks = 0
    where current <> (number = _number);
  if found then update [stretch] set signs = '{}' where signs <> '{}'; end if;
  update [model] set notes = _notes where number = _number and _notes is not null;
  update [model] set indexed = true where number = _number and _scans and not indexed;
  _unmade := found;
  return query select number, name, dimensions, notes, _scans, _why,
      array(select format('create index concurrently if not exists %s_signs_%s
        on %s using hnsw ((binary_quantize(embedding::vector)::bit(%s)) bit_hamming_ops)
        where model = %2$s and not past', name, _number, held, _dimensions)
        from (values ('vector', '[vector]'), ('chunk_vector', '[chunk_vector]'))
          as tables (name, held) where _unmade)
    from [model] where number = _number;
end $f$;
create function [signs](_vector real[]) returns varbit language sql immutable as $f$
  select string_agg((value > 0)::integer::text, '' order by n)::varbit
    from unnest(_vector) with ordinality held (value, n);
$f$;
create function [current](_model bigint) returns bigint language sql stable as $f$
  select number from [model] where number = _model and current;
$f$;
`;

/**
 * Vectors of the model in use, of what is current or there. Turns have the signs of theirs, each
 * behind those of the turns before it.
 */
const WRITES = `
create function [put_vectors](_given jsonb) returns void language plpgsql as $f$
declare
  _model bigint := [current]((_given->>'model')::bigint);
  _turn jsonb;
begin
  -- Another process has put another model in use.
  if _model is null then return; end if;
  insert into [vector] (number, model, scope, embedding)
    select m.number, _model, m.scope, case when 0 <> any(vector) then vector end
      from jsonb_to_recordset(_given->'memories')
        as given (id text, version bigint, vector real[])
      join [memory] m using (id, version) where valid_to is null
    on conflict (number) do update set model = _model, embedding = excluded.embedding;
  insert into [chunk_vector] (number, model, scope, embedding)
    select c.number, _model, c.scope, case when 0 <> any(vector) then vector end
      from jsonb_to_recordset(_given->'pages')
        as given (chunk bigint, vector real[])
      join [chunk] c on c.number = chunk
    on conflict (number) do update set model = _model, embedding = excluded.embedding;
  for _turn in select jsonb_array_elements(_given->'turns') loop
    update [stretch] set signs = signs || [signs]((_turn->>'vector')::real[])
      where number = (_turn->>'stretch')::bigint
        and cardinality(signs) = (_turn->>'place')::bigint
        and cardinality(signs) < cardinality(lengths);
  end loop;
end $f$;
`;

/**
 * What has no vector of the model, if it is in use. What was looked through is not looked through
 * again.
 */
const MISSING = `
create function [missing_turns](_model bigint, _limit bigint)
returns table (stretch bigint, place integer, content text) language sql as $f$
  select s.number, t.place, t.text from [stretch] s
    join [turn] t on t.stretch = s.number and t.place >= cardinality(signs)
    where cardinality(signs) < cardinality(lengths) and [current](_model) is not null
    order by s.number, t.place limit _limit;
$f$;
create function [missing_memories](_model bigint, _limit bigint)
returns table (id text, version bigint, content text) language plpgsql as $f$
#variable_conflict use_column
declare
  _after bigint := (select memories from [model] where number = [current](_model));
  _found bigint[];
begin
  if _limit < 1 or not exists (select from [memory] where number > _after) then return; end if;
  -- Who writes is waited for: then none comes to stand before what is seen.
  perform pg_advisory_xact_lock(hashtextextended('[line]', 0));
  _found := array(select number from [memory] m where number > _after and valid_to is null
    and not exists (select from [vector] v where v.number = m.number and model = _model)
    order by number limit _limit);
  update [model] set memories = coalesce(_found[1] - 1, (select max(number) from [memory]))
    where number = _model;
  return query select id, version, content from [memory]
    where number = any(_found) order by number;
end $f$;
create function [missing_chunks](_model bigint, _limit bigint)
returns table (chunk bigint, headings text, passages text) language plpgsql as $f$
#variable_conflict use_column
declare
  _after bigint := (select chunks from [model] where number = [current](_model));
  _found bigint[];
begin
  if _limit < 1 or not exists (select from [chunk] where number > _after) then return; end if;
  perform pg_advisory_xact_lock(hashtextextended('[line]', 0));
  _found := array(select c.number from [chunk] c join [page] p on p.number = page
    where c.number > _after and kind <> 'conversation'
      and not exists (select from [chunk_vector] v where v.number = c.number and model = _model)
    order by 1 limit _limit);
  update [model] set chunks = coalesce(_found[1] - 1, (select max(number) from [chunk]))
    where number = _model;
  return query select number, headings, passages from [chunk]
    where number = any(_found) order by number;
end $f$;
`;

/** Turns whose signs are most like those of a vector, with the cosines these stand for. */
const TURNS = `
create function [near_turns](_model bigint, _root text, _vector real[], _limit bigint)
returns table (stretch bigint, place bigint, cosine float8) language sql stable as $f$
  select s.number, n - 1, cos(pi() * bit_count(sign # [signs](_vector)) / m.dimensions)
    from [root] r join [stretch] s on s.root = r.number join [model] m on m.number = _model
      cross join unnest(signs) with ordinality held (sign, n)
    where r.name = _root and m.current and m.dimensions = cardinality(_vector)
    order by 3 desc, 1, 2 limit _limit;
$f$;
`;

/** Vectors at even distances, of each scope in the order in which they came. */
const SAMPLE = `
create function [sample](_model bigint, _scopes bigint[], _limit bigint) returns setof real[]
language plpgsql as $f$
declare
  _table regclass;
begin
  if [current](_model) is null then return; end if;
  foreach _table in array array['[vector]', '[chunk_vector]']::regclass[] loop
    return query execute format('select embedding from (
        select distinct on (scope.scope, v.number) v.embedding from unnest($2) scope
          cross join lateral (
            select min(number) as low, max(number) as high from %1$s v
              where v.scope = scope.scope and model = $1
          ) ends cross join generate_series(0, $3 - 1) n cross join lateral (
            select number, embedding from %1$s v where v.scope = scope.scope and model = $1
              and embedding is not null
              and number >= ceil(low + (high - low) * n / $3::float8)::bigint
            order by number limit 1
          ) v order by scope.scope, v.number
      ) spread', _table) using _model, _scopes, _limit;
  end loop;
end $f$;
`;

/**
 * The rows whose vectors' signs are most like those of one, by an index of pgvector; none where
 * there are few, or no such index. Whatever its statistics say, the planner has to take the index.
 */
const SIGNS = `
create function [by_signs](
  _table regclass, _model bigint, _scopes bigint[], _vector real[], _limit bigint
) returns setof bigint rows 240 language plpgsql as $f$
declare
  _is_few boolean := true;
begin
  if exists (select from pg_index
    where indexrelid = to_regclass(_table::text || '_signs_' || _model) and indisvalid)
  then
    execute format('select count(*) < ${FEW} from (
      select from %s where scope = any($1) limit ${FEW}) held', _table) into _is_few using _scopes;
  end if;
  if _is_few then return; end if;
  perform set_config('hnsw.iterative_scan', 'relaxed_order', true),
    set_config('hnsw.ef_search', '400', true), set_config('enable_sort', 'off', true);
  return query execute format('select number from %s
    where model = %s and not past and scope = any($1)
    order by binary_quantize(embedding::vector)::bit(%s)
      <~> binary_quantize($2::vector)::bit(%3$s) limit $3', _table, _model, cardinality(_vector))
    using _scopes, _vector, _limit;
end $f$;
`;

export const VECTOR_FUNCTIONS = MODELS + WRITES + MISSING + TURNS + SAMPLE + SIGNS;
