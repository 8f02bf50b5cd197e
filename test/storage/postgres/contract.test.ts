import * as vitest from "vitest";
import { postgresStorage } from "../../../src/storage/postgres/postgres-storage.ts";
import { storageContract } from "../../contracts/index.ts";
import { vectorsContract } from "../../contracts/vectors.ts";
import { pglite } from "../../support/pglite.ts";

const [{ server, schema }, bare] = [pglite(), pglite({})];
let last = "";
storageContract(
  vitest,
  "PostgreSQL in this process",
  () => postgresStorage(server, (last = schema())),
  { again: () => postgresStorage(server, last) },
);
vectorsContract(vitest, "PostgreSQL without pgvector", () =>
  postgresStorage(bare.server, bare.schema()),
);
