import * as vitest from "vitest";
import { postgresStorage } from "../../../src/storage/postgres/postgres-storage.ts";
import { storageContract } from "../../contracts/index.ts";
import { pglite } from "../../support/pglite.ts";

const { server, schema } = pglite();
let last = "";
storageContract(
  vitest,
  "PostgreSQL in this process",
  () => postgresStorage(server, (last = schema())),
  { vectors: false, again: () => postgresStorage(server, last) },
);
