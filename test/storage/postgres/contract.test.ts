import * as vitest from "vitest";
import { postgresStorage } from "../../../src/storage/postgres/postgres-storage.ts";
import { storageContract } from "../../contracts/index.ts";
import { vectorsContract } from "../../contracts/vectors.ts";
import { reused } from "../../support/emptied.ts";
import { pglite } from "../../support/pglite.ts";

const [{ server, schema }, bare] = [pglite(), pglite("bare")];
const { open, again } = reused((name) => postgresStorage(server, name), {
  ...{ schema, send: (text) => server.send(text, []) },
});
storageContract(vitest, "PostgreSQL in this process", open, { again });
vectorsContract(vitest, "PostgreSQL without pgvector", () =>
  postgresStorage(bare.server, bare.schema()),
);
