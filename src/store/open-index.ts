import type { Scope } from "../model/identity.ts";
import type { Store } from "../model/store.ts";
import { breathe, breaths } from "../base/async.ts";
import { type AskDatabase, askedAll, asking } from "./sqlite/busy.ts";
import { categoryWords } from "./memories/category-words.ts";
import { logOf } from "./sqlite/log.ts";
import { type Connection, deskOf, openDatabase, orClosed } from "./sqlite/database.ts";
import { memoryReader } from "./memories/read.ts";
import { memoryWriter } from "./memories/write.ts";
import { scopeTable } from "./sqlite/scopes.ts";
import { termIndex } from "./memories/term-index.ts";
import { pageTable } from "./pages/page-table.ts";
import { pageVectorTable } from "./pages/vectors.ts";
import { turnTable } from "./turns/turns.ts";
import { INDEX_STEPS } from "./index-steps.ts";
import type { VectorOptions } from "./vectors/models.ts";
import { vectorIndex } from "./vectors/vectors.ts";
import { loadScan } from "../model/installed.ts";

interface SqliteStoreOptions {
  /** Hears of what a broken file makes of a question. */
  readonly damaged?: (thrown: unknown) => void;
  readonly vectors?: VectorOptions;
  readonly key?: string | undefined;
}

/** The store port over SQLite: a file, or ":memory:". */
export function openSqliteStore(path: string, options: SqliteStoreOptions = {}): Store {
  const database = openDatabase({ path, key: options.key }, INDEX_STEPS, "store");
  return orClosed(database, () => storeOver(database, path, options));
}

function storeOver(
  database: Connection,
  path: string,
  { damaged, vectors: compared }: SqliteStoreOptions,
): Store {
  const log = logOf(database, path);
  const desk = deskOf(database);
  const index = termIndex(desk, "memory_index");
  const scopes = scopeTable(database, desk);
  const { expired, ...reads } = memoryReader(desk, index, scopes);
  const words = categoryWords(desk);
  const vectors = vectorIndex(desk, scopes, { load: () => loadScan(database), ...compared });
  const pageVectors = pageVectorTable(vectors.room);
  const write = memoryWriter(desk, index, {
    scopes,
    vectors: vectors.write,
    categories: words,
  });
  const attempt = asking("store", `The memory index at ${path}`, { damaged });
  const breath = breaths();
  /** The uses counted last. */
  let counted: Promise<unknown> = Promise.resolve();
  const ask: AskDatabase = async (what, work) => {
    await breath();
    await counted;
    return attempt(what, work);
  };
  /** The log must not hold on to rows that were taken out. */
  const flushed = async (gone: number): Promise<number> => {
    if (gone > 0) await log.emptied();
    return gone;
  };

  return {
    ...askedAll(ask, "be read", {
      ...reads,
      categories: (scope: Scope, terms: readonly string[]) =>
        scopes.numbers([scope]).flatMap((number) => words.of(number, terms)),
    }),
    ...askedAll(ask, "be written", {
      put: write.put,
      restore: write.restore,
      remove: (ids: readonly string[], visible: readonly Scope[]) =>
        flushed(write.remove(ids, visible)),
      removeExpired: (now: number) => flushed(write.remove(expired(now), undefined)),
    }),
    /**
     * Behind the answer they belong to, since counting takes as long as a third of the finding;
     * what is asked next waits for it.
     */
    async used(...given) {
      const counting = breathe().then(() => attempt("be written", () => write.used(...given)));
      counted = counting.catch(() => undefined);
      await counting;
    },
    turns: turnTable(desk, { ask, gone: flushed }),
    pages: pageTable(desk, scopes, { ask, gone: flushed, eraseVector: pageVectors.erase }),
    vectors: { ...vectors.index(ask), pages: pageVectors.index(ask) },
    // An earlier question may still be waiting for its turn: it is answered first.
    close: () =>
      attempt("be closed", async () => {
        await breath();
        await counted;
        database.close();
      }),
  };
}
