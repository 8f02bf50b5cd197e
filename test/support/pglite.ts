import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import type { Row, Server } from "../../src/storage/postgres/sql.ts";

/** PostgreSQL in this process: one for a file of tests, a schema for each test. */
export function pglite() {
  let database: Promise<PGlite> | undefined;
  let schemas = 0;
  const server: Server = {
    async send(text, values) {
      database ??= PGlite.create({ extensions: { vector } });
      const { rows } = await (
        await database
      ).query<Row>(text, [...values], { parsers: { 20: Number } });
      return rows;
    },
    close: async () => undefined,
  };
  return { server, schema: (): string => `test ${(schemas += 1)}` };
}
