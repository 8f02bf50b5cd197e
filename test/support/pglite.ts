import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { createSerial } from "../../src/core/base.ts";
import type { Row, Server } from "../../src/storage/postgres/sql.ts";

/** PostgreSQL in this process: one for a file of tests, a schema for each test. */
export function pglite(extensions: PGliteOptions["extensions"] = { vector }) {
  let database: Promise<PGlite> | undefined;
  let schemas = 0;
  const inTurn = createSerial();
  const server: Server = {
    async send(text, values) {
      database ??= PGlite.create({ extensions });
      const { rows } = await (
        await database
      ).query<Row>(text, [...values], { parsers: { 20: Number } });
      return rows;
    },
    // All that use the database are in this process.
    alone: (_name, work) => inTurn(work),
    close: async () => undefined,
  };
  return { server, schema: (): string => `test ${(schemas += 1)}` };
}
