import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { createSerial } from "../../src/core/base.ts";
import type { Row, Server } from "../../src/storage/postgres/sql.ts";

function served(extensions: { vector?: typeof vector }): Server {
  let database: Promise<PGlite> | undefined;
  const inTurn = createSerial();
  return {
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
}

const SERVERS = { whole: served({ vector }), bare: served({}) };
let schemas = 0;

/** PostgreSQL in this process, with pgvector or without: one for all its files of tests, since a start takes seconds; a schema for each test. */
export const pglite = (kind: keyof typeof SERVERS = "whole") => ({
  server: SERVERS[kind],
  schema: (): string => `test ${(schemas += 1)}`,
});
