import { asDict, parsed } from "../../core/base.ts";
import { terms } from "../../core/text/terms.ts";
import { ENDED } from "../history-port.ts";
import type { Owned, TableRow, Whole } from "../whole.ts";
import { asJson, givenJson, part, type Server, type Sql, sqlOn } from "./sql.ts";

/**
 * Rows of truth come in, by their tables. A conversation or memory that is there stays as it is,
 * and so does a memory whose key or words another has. Bodies without conversations are for those
 * that come next.
 */
export const WHOLE_FUNCTIONS = `
create function [take_in](_rows jsonb, out brought text[], out stays text[])
language plpgsql as $f$
#variable_conflict use_column
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('[line]', 0));
  with added as (
    insert into [session] select * from jsonb_populate_recordset(null::[session], _rows->'session')
      order by id on conflict do nothing returning id
  ) select array_agg(id) || '{""}' into brought from added;
  insert into [body] select * from jsonb_populate_recordset(null::[body], _rows->'body')
    where not _rows ? 'session' or hash in (
      select r->>'body' from jsonb_array_elements(coalesce(_rows->'entry', '[]')
        || coalesce(_rows->'aside', '[]')) r where r->>'session' = any(brought)
    ) order by hash on conflict do nothing;
  insert into [entry] (session, position, chain, content, said, role, reply, anchor, prefix,
      thought, at, name, ref, body)
    select session, position, chain, content, said, role, reply, anchor, prefix, thought, at,
      name, ref, body
    from jsonb_populate_recordset(null::[entry], _rows->'entry') where session = any(brought);
  insert into [aside] (session, before, content, kind, body, prefix, thought, id, number, at)
    select session, before, content, kind, body, prefix, thought, id,
      case when number = 1 then nextval('[line]') end, at
    from jsonb_populate_recordset(null::[aside], _rows->'aside') where session = any(brought);
  insert into [fold] select * from jsonb_populate_recordset(null::[fold], _rows->'fold')
    where session = any(brought);
  insert into [learnt] select * from jsonb_populate_recordset(null::[learnt], _rows->'learnt')
    where session = any(brought);
  insert into [ended] (${ENDED})
    select ${ENDED} from jsonb_populate_recordset(null::[ended], _rows->'ended')
    where session = any(brought);
  insert into [job] select * from jsonb_populate_recordset(null::[job], _rows->'job')
    where session = any(brought) on conflict do nothing;
  insert into [pin] select * from jsonb_populate_recordset(null::[pin], _rows->'pin')
    where session = any(brought) order by id on conflict do nothing;
  insert into [spent] select * from jsonb_populate_recordset(null::[spent], _rows->'spent')
    order by root, purpose on conflict do nothing;
  insert into [data] select * from jsonb_populate_recordset(null::[data], _rows->'data')
    order by repository, key on conflict do nothing;
  insert into [note] as held
    select * from jsonb_populate_recordset(null::[note], _rows->'note') order by name
    on conflict (name) do update set text = excluded.text where held.name like 'page:%';
  perform [lock_scopes](array(
    select s->>'name' from jsonb_array_elements(_rows->'scope') s
    union select m->>'scope' from jsonb_array_elements(_rows->'memory') m
  ), '{}');
  stays := array(
    select m->>'id' from jsonb_array_elements(_rows->'memory') m join [scope] s
      on s.name = m->>'scope' where exists (select from [memory] where id = m->>'id')
      or m->>'valid_to' is null and [is_taken](s.number, m->>'key', m->>'same')
  );
  with added as (
    insert into [memory] (id, version, scope, key, content, same, terms, kind, category,
        importance, source, origin, tags, at, updated_at, stated_at, expires_at, uses, used_at,
        valid_from, valid_to, sorted)
      select m.id, version, s.number, key, content, same, m.terms, kind, category, importance,
        source, origin, tags, at, updated_at, stated_at, expires_at, uses, used_at, valid_from,
        valid_to, sorted
      from jsonb_array_elements(_rows->'memory') with ordinality given (row, n)
        join [scope] s on s.name = row->>'scope',
        jsonb_populate_record(null::[memory], row - 'scope') m
      where m.id <> all(stays) order by n
      returning number, scope, terms, valid_to
  ), words as (
    insert into [memory_term] select distinct scope, term, number, valid_to is not null
      from added, string_to_table(terms, ' ') term where term <> ''
  )
  update [scope] s set memories = s.memories + held.count
    from (select scope, count(*) from added where valid_to is null group by scope) held
    where s.number = held.scope;
end $f$;

create function [forget_names](_scope text, _roots text[]) returns void language plpgsql as $f$
declare
  _numbers bigint[] := array(select number from [root] where name = any(_roots));
begin
  update [scope] set name = 'user:forgotten-' || number where name = _scope;
  delete from [data] where 'user:' || (value->>'user') = _scope;
  delete from [pin] where root = any(_roots);
  delete from [spent] where root = any(_roots);
  delete from [turn_place] where root = any(_numbers);
  delete from [turn_word] where root = any(_numbers);
  delete from [turn] where root = any(_numbers);
  delete from [stretch] where root = any(_numbers);
  delete from [root] where number = any(_numbers);
end $f$;
`;

/** As SQLite has them: what belongs to neither, conversations, memories, data. */
const PORTIONS = [
  [
    part`select '{""}'::text[] as ids`,
    part`select 'pin' as table, to_jsonb(p) as row from [pin] p
        where session = '' and root in (table roots)
      union all select 'spent', to_jsonb(s) from [spent] s where root in (table roots)
      union all select 'scope', jsonb_build_object('name', name) from [scope]
        where name in (table scopes)
      union all select 'note', to_jsonb(n) from [note] n
        where (table whole) and name <> 'turns read'
          or name like 'page:%' and substr(name, 6) in (table scopes)`,
  ],
  [
    part`select array_agg(id) as ids from (
        select id, div(sum(length + 1) over (order by at, id), 500) as nth from [session]
        where root in (table roots)
      ) s group by nth order by nth`,
    part`select 'body' as table, to_jsonb(b) as row from [body] b where hash in (
        select body from [entry] where session in (table mine)
        union select body from [aside] where session in (table mine))
      union all select 'session', to_jsonb(s) from [session] s where id in (table mine)
      union all (select 'entry', to_jsonb(e) - 'number' from [entry] e
        where session in (table mine) order by e.number)
      union all (select 'aside', to_jsonb(a) - 'row'
          || jsonb_build_object('number', (number is not null)::int)
        from [aside] a where session in (table mine) order by a.row)
      union all select 'fold', to_jsonb(f) from [fold] f where session in (table mine)
      union all select 'learnt', to_jsonb(l) from [learnt] l where session in (table mine)
      union all select 'job', to_jsonb(j) from [job] j where session in (table mine)
      union all (select 'ended', to_jsonb(t) - 'number' from [ended] t
        where session in (table mine) order by t.number)
      union all select 'pin', to_jsonb(p) from [pin] p where session in (table mine)`,
  ],
  [
    part`select array_agg(id) as ids from (
        select m.id, row_number() over (order by min(m.number)) / 1000 as nth from [memory] m
        join [scope] s on s.number = m.scope where s.name in (table scopes) group by m.id
      ) m group by nth order by nth`,
    part`select 'memory' as table, to_jsonb(m) - '{number,terms}'::text[]
        || jsonb_build_object('scope', s.name) as row
      from [memory] m join [scope] s on s.number = m.scope
      where id in (table mine) and s.name in (table scopes) order by m.number`,
  ],
  [
    part`select array_agg(to_jsonb(array[repository, key])::text) as ids from (
        select repository, key, row_number() over (order by repository, key) / 1000 as nth
        from [data] where (table whole) or 'user:' || (value->>'user') in (table scopes)
      ) d group by nth order by nth`,
    part`select 'data' as table, to_jsonb(d) as row from [data] d
      where (repository, key) in (select id::jsonb->>0, id::jsonb->>1 from mine)
      order by repository, key`,
  ],
] as const;

const PAGES = [
  [
    part`select array_agg(path) as ids from (
        select path, row_number() over (order by path) / 50 as nth from [file]
      ) f group by nth order by nth`,
    part`select 'file' as table, jsonb_build_object('file', path, 'text', text) as row
      from [file] where path in (table mine) order by path`,
  ],
] as const;

/** Characters of bodies that go in one trip. */
const BODIES_AT_ONCE = 8_000_000;

/** A schema as a whole. */
export function wholeSchema({ rows, run }: Sql, server: Server, schema: string) {
  const put = (given: object): Promise<Record<"brought" | "stays", readonly unknown[]>[]> =>
    run`select * from [take_in](${asJson(given)}::jsonb)`;
  return {
    owners: (now) => rows`
      select scope, sum(memory)::int as memories, sum(conversation)::int as conversations,
        max(at) as "updatedAt" from (
          select s.name as scope, 1 as memory, 0 as conversation, updated_at as at
            from [memory] m join [scope] s on s.number = m.scope
            where valid_to is null and (expires_at is null or expires_at > ${now})
          union all
          select coalesce('user:' || (root::json->>3), 'agent:' || (root::json->>0)), 0, 1,
            updated_at from [session]
        ) held group by scope order by 4 desc, scope`,
    async conversations(isOwn) {
      const [found] = await rows<{ sessions: readonly string[]; messages: number }>`
        select coalesce(array_agg(id order by id), '{}') as sessions,
          coalesce(sum(length), 0)::float8 as messages
        from [session] where root = any(${await rootsOf(rows, isOwn)})`;
      return found ?? { sessions: [], messages: 0 };
    },
    reading(of, work) {
      const { atOnce = (one) => one(server.send) } = server;
      return atOnce(async (send) => work(await heldIn({ ...server, send }, schema, of)));
    },
    /** All or nothing but for bodies of long conversations. */
    async take(given) {
      let [batch, size]: [Record<string, object[]>, number] = [{}, 0];
      for (const { table, row } of given) {
        if (table === "body" && (size += String(row.json).length) > BODIES_AT_ONCE) {
          await put(batch);
          [batch, size] = [{}, 0];
        }
        (batch[table] ??= []).push({
          ...row,
          ...(table === "data" && { value: parsed(String(row.value)) }),
          ...(table === "memory" && {
            tags: parsed(String(row.tags)),
            terms: terms(String(row.content)).join(" "),
          }),
        });
      }
      const [taken] = await put(batch);
      const [brought, stays] = [new Set(taken?.brought), new Set(taken?.stays)];
      return given.filter(({ table, row: { id, session = id } }) =>
        table === "memory" ? !stays.has(id) : brought.has(session),
      );
    },
    async forgetNames({ scope, isOwn }) {
      await run`select [forget_names](${scope}, ${await rootsOf(rows, isOwn)})`;
    },
  } satisfies Omit<Whole, "where">;
}

async function rootsOf(rows: Sql["rows"], isOwn: Owned["isOwn"] = () => true): Promise<string[]> {
  const found = await rows<{ root: string }>`select root from [session] union select root from [pin]
    union select root from [spent] union select name from [root]`;
  return found.map(({ root }) => root).filter((root) => isOwn(root));
}

/** Truth is 0 or 1 there, and all that has parts is JSON. */
const valueOf = (value: unknown): unknown => {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
};

async function heldIn(server: Server, schema: string, of: Owned | undefined) {
  const { rows } = sqlOn(server, schema);
  const roots = await rootsOf(rows, of?.isOwn);
  const scopes =
    of?.scopes ?? (await rows<{ name: string }>`select name from [scope]`).map(({ name }) => name);
  const within = part`roots as (select unnest(${roots}::text[])),
    scopes as (select unnest(${scopes}::text[])), whole as (select ${of === undefined}::boolean)`;
  async function* read(portions: typeof PORTIONS | typeof PAGES): AsyncGenerator<TableRow[]> {
    for (const [batches, all] of portions)
      for (const { ids } of await rows`with ${within} ${batches}`) {
        const found = await rows<Record<"table" | "row", string>>`with ${within},
          mine as (select unnest(${ids}::text[]) as id)
          select "table", "row"::text as "row" from (${all}) held`;
        yield found.map(({ table, row }) => {
          const columns = Object.entries(asDict(givenJson(row)));
          return {
            table,
            row: Object.fromEntries(columns.map(([name, value]) => [name, valueOf(value)])),
          };
        });
      }
  }
  async function* files() {
    for await (const some of read(PAGES))
      for (const { row } of some) yield { file: String(row.file), text: String(row.text) };
  }
  return { rows: () => read(PORTIONS), files };
}
