import { isDeepStrictEqual } from "node:util";
import type { Dict } from "../../core/base.ts";
import type { DataChange, DataRows, DataSum, DataSums } from "../data-port.ts";
import type { HistorySql } from "./sql.ts";

/** Operational data: rows of JSON by repository and key. */
export function dataTable({ exec, run, said, value, values }: HistorySql) {
  const indexed = new Set<string>();
  const place = "from data where repository = ? and key = ?";
  /**
   * Rows with these members. An index of a member is made when it is first asked for, so that it
   * holds for the rows of before, too.
   */
  function narrowed({
    repository,
    where,
  }: Pick<DataSums, "repository" | "where">): [text: string, ...given: string[]] {
    const conditions = Object.keys(where).map((name) => {
      const member = `value -> '${name}'`;
      if (!indexed.has(name))
        exec(`create index if not exists data_${name} on data (repository, ${member}, key)
          where ${member} is not null`);
      indexed.add(name);
      return ` and ${member} = ?`;
    });
    return [
      `from data where repository = ?${conditions.join("")}`,
      ...[repository, ...Object.values(where).map((member) => JSON.stringify(member))],
    ];
  }
  return {
    put({ repository, key, value: given, was }: DataChange): boolean {
      const held = value<string>(`select value ${place}`, repository, key) ?? "null";
      if (was !== undefined && !isDeepStrictEqual(was, JSON.parse(held))) return false;
      if (given === undefined) return run(`delete ${place}`, repository, key).changes > 0;
      run`insert into data (repository, key, value)
        values (${repository}, ${key}, ${JSON.stringify(given)})
        on conflict do update set value = excluded.value`;
      return true;
    },
    dataRows({ at, key, limit, ...asked }: DataRows): Dict[] {
      const [text, ...given] = narrowed(asked);
      const order = at === "<" ? "desc" : "";
      const rows = `select value ${text} and key ${at} ? order by key ${order} limit ?`;
      return values<string>(rows, ...given, key, limit).map((json) => JSON.parse(json) as Dict);
    },
    dataSums({ of, by, limit, ...asked }: DataSums): DataSum[] {
      const [text, ...given] = narrowed(asked);
      const [group, number] = [by, of].map((name) => (name ? `value -> '${name}'` : "null"));
      return said<DataSum>(
        `select "group", count(*) as count, sum(number) as sum, min(number) as min,
           max(number) as max
         from (select nullif(${group}, 'null') as "group",
             case when json_type(${number}) in ('integer', 'real')
               then cast(${number} as real) end as number ${text})
         group by 1 order by 2 desc, 1 limit ?`,
        ...given,
        limit,
      );
    },
  };
}
