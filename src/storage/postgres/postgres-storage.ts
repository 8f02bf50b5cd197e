import { randomUUID } from "node:crypto";
import { methods, searches, troubleOf } from "../methods.ts";
import type { Storage, Unit, VectorStorage } from "../port.ts";
import { dataReads } from "./data-rows.ts";
import { endedReads } from "./ended-turns.ts";
import { besideReads, messageReads, sessionReads } from "./read-history.ts";
import { memoryReads } from "./read-memories.ts";
import { fileRows } from "./page-files.ts";
import { belt, migrate, type Standing } from "./schema.ts";
import { pageReads, turnReads, wordReads } from "./search.ts";
import { again, explained, openServer } from "./server.ts";
import type { Whole } from "../whole.ts";
import { asJson, type Server, type Sql, sqlOn } from "./sql.ts";
import { sentUnit } from "./units.ts";
import { vectorIndex } from "./vectors.ts";
import { wholeSchema } from "./whole-schema.ts";

/** Opens what stands at an address. Rejects with "store" or "config". */
export async function openPostgres(
  address: string,
  { read, ...how }: VectorsTold & OpeningSchema & { readonly read?: string | undefined } = {},
): Promise<VectorStorage> {
  const { server, schema, where } = openServer(address);
  try {
    const replica = read === undefined ? undefined : openServer(read).server;
    return await postgresStorage(server, schema, { ...how, where, replica });
  } catch (thrown) {
    await server.close().catch(() => undefined);
    throw thrown;
  }
}

/** Makes a schema, or brings it to the newest step. Answers where it is. */
export async function migratePostgres(address: string, { rls }: { rls: boolean }): Promise<string> {
  const { server, schema, where } = openServer(address);
  try {
    await migrate(server, schema);
    if (rls) await server.send(belt(schema), []);
    return where;
  } catch (thrown) {
    throw explained("store", `${where} cannot be brought up to date`, thrown);
  } finally {
    await server.close();
  }
}

/** ms in which a replica has what this process saved, or is not asked again when it failed. */
const REPLAYED = 5_000;

/** Reads of a replica; of the server itself where the replica fails, or may not have it yet. */
function beside(server: Server, replica: Server) {
  let until = -Infinity;
  const avoid = (): void => void (until = performance.now() + REPLAYED);
  const send: Server["send"] = async (...asked) =>
    performance.now() < until
      ? server.send(...asked)
      : replica.send(...asked).catch(() => {
          avoid();
          return server.send(...asked);
        });
  return { avoid, send };
}

interface VectorsTold {
  /** Is told once, where that matters, that pgvector is not there. */
  readonly missing?: (why: string) => void;
}

interface OpeningSchema extends Standing {
  readonly where?: string;
  /** Recall and search read of it. */
  readonly replica?: Server | undefined;
}

/** Storage in one schema of a PostgreSQL database. */
export async function postgresStorage(
  server: Server,
  schema: string,
  { where = "PostgreSQL", missing, isThere, replica }: VectorsTold & OpeningSchema = {},
): Promise<VectorStorage> {
  const patient: Server = { ...server, send: (...asked) => again(() => server.send(...asked)) };
  const sql = sqlOn(patient, schema);
  await migrate(server, schema, isThere).catch((thrown: unknown) => {
    throw explained("store", `${where} cannot be opened`, thrown);
  });
  const read = replica && beside(patient, replica);
  const search: Sql = read
    ? { ...sqlOn({ ...patient, send: read.send }, schema), run: sql.run }
    : sql;
  const vectors = vectorIndex(search, missing);
  /** Something was committed that the disk may not have yet. */
  let isBehind = false;
  const commit: Storage["commit"] = async (unit, { durable = false } = {}) => {
    if (Object.keys(unit).length === 0 && !(durable && isBehind)) return true;
    const isSynced = durable || unit.memories !== undefined;
    if (isSynced) isBehind = false;
    try {
      const sent = asJson({
        ...sentUnit(unit),
        vectors: unit.vectors && vectors.sent(unit.vectors),
      });
      const [done] = await sql.run`select
        [commit](${randomUUID()}, ${sent}::jsonb, ${isSynced}) as stands`;
      if (done?.stands === true) server.peers?.tell("rows");
      if (unit.memories ?? unit.pages ?? unit.gone) read?.avoid();
      isBehind ||= !isSynced;
      return done?.stands === true;
    } catch (thrown) {
      isBehind = true;
      throw thrown;
    }
  };
  /** The uses counted last: what is asked next about memories waits for them. */
  let counted: Promise<unknown> = Promise.resolve();
  const telling = <Port>(port: object): Port =>
    methods(Object.keys(port), async (call, name, [unit]) => {
      const trouble = troubleOf(where, name === "commit" ? (unit as Unit) : name);
      try {
        if (trouble[0] === "store") await counted;
        const answer = call(port) as Promise<unknown>;
        if (name === "commit" && (unit as Unit).used !== undefined)
          counted = answer.catch(() => undefined);
        return await answer;
      } catch (thrown) {
        throw explained(...trouble, thrown);
      }
    });
  return {
    ...telling<StorageReads>({ ...reads(sql, search), commit }),
    vectors: telling(vectors.index),
    files: fileRows(sql, server, (thrown) =>
      explained("workspace", `The pages in ${where} could not be reached`, thrown),
    ),
    whole: { where, ...telling<Omit<Whole, "where">>(wholeSchema(sql, server, schema)) },
    others(hear) {
      const isSure = server.peers?.hear((what) => what !== "files" && hear("all"));
      return async () => {
        if (isSure?.() !== true) hear("all");
      };
    },
    close: async () => {
      await Promise.all([server.close(), replica?.close()]);
    },
  };
}

type StorageReads = Omit<Storage, "vectors" | "files" | "whole" | "others" | "close">;

function reads(sql: Sql, search: Sql): object {
  const [pages, turns] = [pageReads(search), turnReads(search)];
  return {
    ...sessionReads(sql),
    ...messageReads(sql),
    ...besideReads(sql),
    ...memoryReads(sql),
    ...dataReads(sql),
    ...endedReads(sql),
    ...{ beginning: turns.beginning, turns: turns.turns, pages: pageReads(sql).pages },
    ...searches(wordReads(search), turns, pages),
  };
}
