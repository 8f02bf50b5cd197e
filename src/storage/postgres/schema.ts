import { OLDER, TidemarkError } from "../../core/errors-and-events.ts";
import { WHOLE_FUNCTIONS } from "./whole-schema.ts";
import { COMMIT_FUNCTIONS } from "./commit-function.ts";
import { DATA_FUNCTION } from "./data-rows.ts";
import { ENDED_STEP } from "./ended-turns.ts";
import { INDEX_FUNCTIONS } from "./index-functions.ts";
import { HISTORY_FUNCTIONS } from "./history-functions.ts";
import { MEMORY_FUNCTIONS } from "./memory-functions.ts";
import { FILE_FUNCTIONS } from "./page-files.ts";
import { inSchema, quoted, type Server } from "./sql.ts";
import { TABLES } from "./tables.ts";
import { VECTOR_FUNCTIONS } from "./vector-functions.ts";

export interface Standing {
  /** It is refused where there is none; "as it is": where it is of an older version, too. */
  readonly isThere?: boolean | "as it is";
}

/** Append only from the first release on: a step that has shipped is never edited. */
const STEPS = [
  [
    "001-tidemark",
    [
      ...[TABLES, MEMORY_FUNCTIONS, HISTORY_FUNCTIONS, INDEX_FUNCTIONS],
      ...[COMMIT_FUNCTIONS, FILE_FUNCTIONS, VECTOR_FUNCTIONS, DATA_FUNCTION, WHOLE_FUNCTIONS],
    ].join("\n"),
  ],
  // Older schemas have functions that know nothing of turns.
  [
    "002-ended",
    ENDED_STEP + COMMIT_FUNCTIONS.replaceAll("create function", "create or replace function"),
  ],
] as const;

/** A schema's name within a text of the server's. */
const nameOf = (schema: string): string => quoted(schema).replaceAll("'", "''");

/** Makes the steps that are not there yet in one trip, by one process at a time. */
const made = (schema: string): string => `do $do$ begin
  perform pg_advisory_xact_lock(hashtextextended('tidemark [migration]', 0));
  if to_regnamespace('${nameOf(schema)}') is null then
    create schema ${quoted(schema)};
  end if;
  create table if not exists [migration] (name text primary key, at timestamptz default now());
  ${STEPS.map(
    ([name, step]) => `if not exists (select from [migration] where name = '${name}') then
      ${step} insert into [migration] (name) values ('${name}');
    end if;`,
  ).join("\n")}
end $do$`;

/** Brings a schema to the newest step; several processes may at once. */
export async function migrate(
  server: Server,
  schema: string,
  isThere: Standing["isThere"] = false,
): Promise<void> {
  const done = async (): Promise<string[]> =>
    (await server.send(inSchema("select name from [migration]", schema), [])).map((row) =>
      String(row.name),
    );
  const known = STEPS.map(([name]): string => name);
  const before = await done().catch((thrown: { code?: unknown }) => {
    // No such schema, or no such table.
    if (thrown.code === "3F000" || thrown.code === "42P01") return [];
    throw thrown;
  });
  const foreign = before.filter((name) => !known.includes(name));
  if (foreign.length > 0)
    throw new TidemarkError(
      "store",
      `The schema "${schema}" was written by a newer Tidemark (${foreign.join(", ")}); update ` +
        "the package, or name another schema.",
    );
  if (isThere && before.length === 0)
    throw new TidemarkError(
      "store",
      `The schema "${schema}" holds nothing of Tidemark: check its name in the address.`,
    );
  if (isThere === "as it is" && known.length > before.length)
    throw new TidemarkError("store", `The schema "${schema}" ${OLDER}`);
  if (known.length > before.length) await server.send(inSchema(made(schema), schema), []);
}

/**
 * Rows are shown to members of their owner's role alone, whatever else may read its tables by a
 * grant too many.
 */
export const belt = (schema: string): string => `do $do$ declare held record; begin
  for held in select oid::regclass as name, pg_get_userbyid(relowner) as owner from pg_class
      where relkind = 'r' and relnamespace = to_regnamespace('${nameOf(schema)}') loop
    execute format('alter table %s enable row level security', held.name);
    execute format('drop policy if exists tidemark on %s', held.name);
    execute format('create policy tidemark on %s using (pg_has_role(%L, ''member''))',
      held.name, held.owner);
  end loop;
end $do$`;
