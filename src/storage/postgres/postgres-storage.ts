import { randomUUID } from "node:crypto";
import type { Storage, Unit, VectorStorage } from "../port.ts";
import type { Answers, Counted, Weighed } from "../search-index.ts";
import { dataReads } from "./data-rows.ts";
import { besideReads, messageReads, sessionReads } from "./read-history.ts";
import { memoryReads } from "./read-memories.ts";
import { fileRows } from "./page-files.ts";
import { migrate } from "./schema.ts";
import { wordReads } from "./search-memories.ts";
import { pageReads } from "./search-pages.ts";
import { turnReads } from "./search-turns.ts";
import { openServer } from "./server.ts";
import { asJson, type Server, type Sql, sqlOn } from "./sql.ts";
import { again, explained } from "./trouble.ts";
import { sentUnit } from "./units.ts";
import { vectorIndex } from "./vectors.ts";

/** These are told as trouble of the history. */
const HISTORY: ReadonlySet<string> = new Set(
  "sessions entries bodies asides folds learnt bindings belongings unindexed".split(" "),
);
const isHistory = ({ session, queued, taken, pinned, unpinned, spent, gone }: Unit): boolean =>
  [session, queued, taken, pinned, unpinned, spent, gone?.sessions].some(
    (one) => one !== undefined,
  );

/** Opens what stands at an address. Rejects with "store" or "config". */
export async function openPostgres(
  address: string,
  hear: VectorsTold = {},
): Promise<VectorStorage> {
  const { server, schema, where } = openServer(address);
  try {
    return await postgresStorage(server, schema, { where, ...hear });
  } catch (thrown) {
    await server.close().catch(() => undefined);
    throw thrown;
  }
}

interface VectorsTold {
  /** Is told once, where that matters, that pgvector is not there. */
  readonly missing?: (why: string) => void;
}

/** Storage in one schema of a PostgreSQL database. */
export async function postgresStorage(
  server: Server,
  schema: string,
  { where = "PostgreSQL", missing }: VectorsTold & { readonly where?: string } = {},
): Promise<VectorStorage> {
  const sql = sqlOn({ ...server, send: (...asked) => again(() => server.send(...asked)) }, schema);
  await migrate(server, schema).catch((thrown: unknown) => {
    throw explained("store", `${where} cannot be opened`, thrown);
  });
  const vectors = vectorIndex(sql, missing);
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
      isBehind ||= !isSynced;
      return done?.stands === true;
    } catch (thrown) {
      isBehind = true;
      throw thrown;
    }
  };
  /** The uses counted last: what is asked next about memories waits for them. */
  let counted: Promise<unknown> = Promise.resolve();
  const telling = <Of extends object>(all: Of): Of =>
    Object.fromEntries(Object.entries(all).map(asTold)) as Of;
  const asTold = ([name, method]: [string, unknown]): [string, unknown] => {
    const work = method as (...given: unknown[]) => Promise<unknown>;
    const told = async (...given: unknown[]): Promise<unknown> => {
      try {
        if (!HISTORY.has(name)) await counted;
        const answer = work(...given);
        if (name === "commit" && (given[0] as Unit).used !== undefined)
          counted = answer.catch(() => undefined);
        return await answer;
      } catch (thrown) {
        const ofHistory = name === "commit" ? isHistory(given[0] as Unit) : HISTORY.has(name);
        const what = name === "commit" ? "be written" : "be read";
        const code = ofHistory ? "history" : "store";
        throw explained(
          code,
          `The ${ofHistory ? code : "memory"} in ${where} could not ${what}`,
          thrown,
        );
      }
    };
    return [name, told];
  };
  return {
    ...telling({ ...reads(sql), commit }),
    vectors: telling(vectors.index),
    files: fileRows(sql, server, (thrown) =>
      explained("workspace", `The pages in ${where} could not be reached`, thrown),
    ),
    others(hear) {
      const isSure = server.peers?.hear((what) => what !== "files" && hear("all"));
      return async () => {
        if (isSure?.() !== true) hear("all");
      };
    },
    close: () => server.close(),
  };
}

function reads(sql: Sql): Omit<Storage, "commit" | "vectors" | "others" | "close"> {
  const words = wordReads(sql);
  const [pages, turns] = [pageReads(sql), turnReads(sql)];
  const frequencies: Answers<Counted> = {
    memories: words.frequencies,
    categories: words.categories,
    turns: turns.frequencies,
    pages: pages.frequencies,
  };
  const candidates: Answers<Weighed> = {
    memories: words.candidates,
    turns: turns.candidates,
    pages: pages.candidates,
  };
  return {
    ...sessionReads(sql),
    ...messageReads(sql),
    ...besideReads(sql),
    ...memoryReads(sql),
    ...dataReads(sql),
    frequencies: async (of, asked) => frequencies[of](asked),
    candidates: async (of, asked) => candidates[of](asked),
    beginning: turns.beginning,
    turns: turns.turns,
    pages: pages.pages,
  };
}
