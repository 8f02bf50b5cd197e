import type { Dict } from "../../core/base.ts";
import type { DataRows, DataSum, DataSums } from "../data-port.ts";
import { asJson, givenJson, literal, part, type Sql } from "./sql.ts";

/** A row that is no longer what it was, or there, leaves the transaction. */
export const DATA_FUNCTION = `
create function [write_data](_data jsonb) returns void language plpgsql as $f$
begin
  if not _data ? 'value' then
    delete from [data] where repository = _data->>'repository' and key = _data->>'key'
      and (not _data ? 'was' or value = _data->'was');
  elsif jsonb_typeof(_data->'was') = 'object' then
    update [data] set value = _data->'value' where repository = _data->>'repository'
      and key = _data->>'key' and value = _data->'was';
  else
    insert into [data] (repository, key, value)
      values (_data->>'repository', _data->>'key', _data->'value')
      on conflict (repository, key) do update set value = excluded.value
        where not _data ? 'was';
  end if;
  if not found then raise sqlstate 'TM000'; end if;
end $f$;
`;

/** Operational data: rows of JSON by repository and key. */
export function dataReads({ rows, run }: Sql) {
  const indexed = new Set<string>();
  /** Rows with these members; an index of a member is made when it is first asked for. */
  async function narrowed({ repository, where }: Pick<DataSums, "repository" | "where">) {
    let text = part`from [data] where repository = ${repository}`;
    for (const [name, value] of Object.entries(where)) {
      const member = literal(`(value -> '${name}')`);
      // A role that may not make it finds the rows without.
      if (!indexed.has(name))
        await run`do $do$ begin
          perform pg_advisory_xact_lock(hashtextextended('tidemark [data]', 0));
          create index if not exists ${literal(`"data_${name}"`)}
            on [data] (repository, ${member}, key) where ${member} is not null;
        end $do$`.catch(() => undefined);
      indexed.add(name);
      text = part`${text} and ${member} = ${asJson(value)}::jsonb`;
    }
    return text;
  }
  return {
    async dataRows({ at, key, limit, ...asked }: DataRows): Promise<Dict[]> {
      const found = await rows<{ json: string }>`select value::text as json
        ${await narrowed(asked)} and key ${literal(at)} ${key}
        order by key ${literal(at === "<" ? "desc" : "")} limit ${limit}`;
      return found.map(({ json }) => givenJson(json) as Dict);
    },
    async dataSums({ of, by, limit, ...asked }: DataSums): Promise<DataSum[]> {
      return rows`select "group", count(*) as count, sum(number) as sum, min(number) as min,
          max(number) as max
        from (select nullif(value -> ${by}::text, 'null') as "group",
            case when jsonb_typeof(value -> ${of}::text) = 'number'
              then (value -> ${of}::text)::float8 end as number ${await narrowed(asked)}) held
        group by 1 order by 2 desc, "group"::text collate "C" nulls first limit ${limit}`;
    },
  };
}
