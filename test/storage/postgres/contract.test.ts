import * as vitest from "vitest";
import type { Storage } from "../../../src/storage/port.ts";
import { postgresStorage } from "../../../src/storage/postgres/postgres-storage.ts";
import { storageContract } from "../../contracts/index.ts";
import { vectorsContract } from "../../contracts/vectors.ts";
import { pglite } from "../../support/pglite.ts";

const [{ server, schema }, bare] = [pglite(), pglite({})];
const free: string[] = [];
let last = "";

/** A schema that is closed is emptied for another test: to make one takes four times as long. */
async function emptied(): Promise<Storage> {
  const used = free.pop();
  last = used ?? schema();
  if (used !== undefined)
    await server.send(
      `do $$ begin execute (
        select 'truncate ' || string_agg(format('%I.%I', schemaname, tablename), ', ')
          || ' restart identity cascade'
        from pg_tables where schemaname = '${used}' and tablename <> 'migration'
      ); end $$`,
      [],
    );
  const [name, store] = [last, await postgresStorage(server, last)];
  return { ...store, close: () => store.close().finally(() => void free.push(name)) };
}
storageContract(vitest, "PostgreSQL in this process", emptied, {
  again: () => postgresStorage(server, last),
});
vectorsContract(vitest, "PostgreSQL without pgvector", () =>
  postgresStorage(bare.server, bare.schema()),
);
