import { basename, dirname, resolve } from "node:path";
import { expect } from "vitest";
import { TidemarkError } from "../../../src/core/errors-and-events.ts";
import { methods } from "../../../src/storage/methods.ts";
import type { Truth, VectorStorage } from "../../../src/storage/port.ts";
import { openPostgres, postgresStorage } from "../../../src/storage/postgres/postgres-storage.ts";
import { openServer } from "../../../src/storage/postgres/server.ts";
import { searched } from "../../../src/storage/sqlite/index-in-memory.ts";
import { afterwards, atLast } from "../afterwards.ts";
import { emptied } from "../emptied.ts";
import { memoryStorage } from "../memory-storage.ts";
import { pglite } from "../pglite.ts";

const TRUTH =
  "commit debts find values sessions entries bodies asides folds learnt bindings belongings " +
  "count note unindexed ended dataRows dataSums close";
const STORAGE = `${TRUTH} frequencies beginning candidates turns pages`;
const VECTORS = "use missing nearest cosines sample";

/** The methods of a storage that is still being opened; closed, it answers no more. */
function partOf<Of extends Truth>(opening: Promise<Of>) {
  let isClosed = false;
  return <Part>(names: string, of = (store: Of): object => store): Part =>
    methods(names.split(" "), async (call, name) => {
      if (isClosed && name === "close") return undefined;
      if (isClosed) throw new TidemarkError("store", "It is closed.");
      isClosed = name === "close";
      return call(of(await opening));
    });
}
/** Without pages: those are files of the test's folder. */
function later(opening: Promise<VectorStorage>): VectorStorage {
  const part = partOf(opening);
  const vectors = part<VectorStorage["vectors"]>(VECTORS, (store) => store.vectors);
  return {
    ...part<VectorStorage>(STORAGE),
    vectors,
    others(hear) {
      const look = opening.then((store) => store.others(hear));
      return async () => (await look)();
    },
  };
}
/** How often maps were written to. */
const written = new WeakMap<Truth, number>();
const writtenTo = (store: Truth): number => written.get(store) ?? 0;

/** Maps as one process of several has them. */
function again(store: Truth): Truth {
  const part = partOf(Promise.resolve(store))<Truth>(TRUTH);
  let own = 0;
  return {
    ...part,
    async commit(...given) {
      own += 1;
      written.set(store, writtenTo(store) + 1);
      return part.commit(...given);
    },
    others(hear) {
      let seen = writtenTo(store) - own;
      return async () => {
        const now = writtenTo(store) - own;
        if (now !== seen) hear("all");
        seen = now;
      };
    },
  };
}

const on = process.env.TIDEMARK_ON;
const here = pglite();
const BARE = "&options=-c%20search_path%3Dpg_catalog";

const open = (schema: string): Promise<VectorStorage> =>
  on === "pglite"
    ? postgresStorage(here.server, schema)
    : openPostgres(`${process.env.TIDEMARK_SERVER}?schema=${schema}${on === "bare" ? BARE : ""}`);
const send = async (text: string): Promise<unknown> => {
  if (on === "pglite") return here.server.send(text, []);
  const { server } = openServer(String(process.env.TIDEMARK_SERVER));
  return server.send(text, []).finally(server.close);
};

/** Runs when the test is over, or the file where no test runs yet. */
const over = (cleanup: () => unknown): void =>
  (expect.getState().currentTestName === undefined ? atLast : afterwards)(cleanup);

/** Schemas of tests that are over. */
const free: string[] = [];
const opened = new Map<string, Truth[]>();
let schemas = 0;
function schema(): string {
  const name = free.pop() ?? `on_${process.pid}_${(schemas += 1)}`;
  over(async () => {
    // A server has so many connections and no more.
    for (const store of opened.get(name) ?? []) await store.close().catch(() => undefined);
    opened.delete(name);
    await send(emptied(name));
    free.push(name);
  });
  return name;
}

const places = new Map<string, Truth | string>();
/** Of one folder there is one place. */
function placeOf(folder: string | undefined): Truth | string {
  const held = folder === undefined ? undefined : places.get(resolve(folder));
  if (held !== undefined) return held;
  const made = on === "memory" ? memoryStorage() : schema();
  if (folder !== undefined) places.set(resolve(folder), made);
  return made;
}

/** What stands for the database of a folder, or for one in memory: of maps, or of a server. */
export function storeIn(folder?: string): Truth {
  const place = placeOf(folder);
  if (typeof place !== "string") return again(place);
  const store = later(open(place));
  opened.set(place, [...(opened.get(place) ?? []), store]);
  return store;
}

/** The same for what asks for a database by its file. */
export function databaseIn(path: string): VectorStorage {
  const folder = dirname(dirname(path));
  const store = storeIn(basename(path) === path ? undefined : folder);
  if ("vectors" in store) return store as VectorStorage;
  const refused = (): Promise<never> => Promise.reject(new Error("It finds nothing by meaning."));
  return { ...searched(store), vectors: methods(VECTORS.split(" "), refused) };
}
