import { type Store } from "../model/store.ts";
import { breaths } from "../base/async.ts";
import { patience, type Patiently } from "./sqlite/busy.ts";
import { categoryWords } from "./memories/category-words.ts";
import { type Log, logOf } from "./sqlite/checkpointer.ts";
import { type Connection, guarded, openDatabase, orClosed, watched } from "./sqlite/database.ts";
import { keptListings } from "./memories/kept-listings.ts";
import { memoryReader } from "./memories/read.ts";
import { MEMORY_STEPS } from "./memories/schema.ts";
import { memoryWriter } from "./memories/write.ts";
import { scopeTable } from "./sqlite/scopes.ts";
import { termIndex } from "./memories/term-index.ts";
import { TURN_STEPS, turnTable } from "./turns/turns.ts";
import { countedUses } from "./memories/uses.ts";
import { dropFormerIndex, VECTOR_STEPS } from "./vectors/schema.ts";
import { vectorIndex } from "./vectors/vectors.ts";

interface SqliteStoreOptions {
  /** Hears of what a broken file makes of a question. */
  readonly damaged?: (thrown: unknown) => void;
}

/** The store port over SQLite: a file, or ":memory:". */
export function openSqliteStore(path: string, options: SqliteStoreOptions = {}): Store {
  const database = openDatabase(path, [...MEMORY_STEPS, ...VECTOR_STEPS, ...TURN_STEPS], "store");
  return orClosed(database, () => {
    dropFormerIndex(database);
    return storeOver(database, path, options);
  });
}

function storeOver(database: Connection, path: string, { damaged }: SqliteStoreOptions): Store {
  const log = logOf(database, path);
  const index = termIndex(database, "memory_index");
  const scopes = scopeTable(database);
  const read = memoryReader(database, index, scopes);
  const categories = categoryWords(database);
  const vectors = vectorIndex(database, scopes);
  const write = memoryWriter(database, index, { scopes, vectors: vectors.write, categories });
  const [reading, waiting, counting] = [patience(), patience(), patience()];
  const writing: Patiently = (work) => waiting(() => log.written(work));
  const uses = countedUses(database, scopes, (work) => counting(() => log.written(work)));
  const list = keptListings(database, read.list);
  const breath = breaths();
  // Asynchronous for callers even where SQLite is not: what it throws leaves as a rejection.
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      return watched(
        () =>
          guarded("store", `The memory index at ${path} could not be ${what}`, () => {
            throw thrown;
          }),
        damaged,
      );
    }
  };

  const ask = async <T>(what: string, work: () => T | Promise<T>): Promise<T> => {
    await breath();
    uses.write();
    return attempt(what, () => (what === "read" ? reading(work) : writing(work)));
  };

  return {
    put: (changes) => ask("written", () => write.put(changes)),
    get: (id, visible) => ask("read", () => read.get(id, visible)),
    byKey: (key, scope, asOf) => ask("read", () => read.byKey(key, scope, asOf)),
    same: (digest, visible) => ask("read", () => read.same(digest, visible)),
    find: (target) => ask("read", () => read.find(target)),
    list: (listing) => ask("read", () => list(listing)),
    frequencies: (visible, terms, past) =>
      ask("read", () => read.frequencies(visible, terms, past)),
    beginning: (visible, start, limit) => ask("read", () => read.beginning(visible, start, limit)),
    categories: (scope, terms) =>
      ask("read", () => scopes.numbers([scope]).flatMap((number) => categories.of(number, terms))),
    candidates: (query) => ask("read", () => read.candidates(query)),
    containing: (query) => ask("read", () => read.containing(query)),
    used(ids, visible, at) {
      // Noted at once: a close behind it finds it there.
      const counted = uses.count(ids, visible, at);
      counted.catch(() => undefined);
      return attempt("written", () => counted);
    },
    remove: (ids, visible) =>
      ask("written", () => flushed(log, write.remove.immediate(ids, visible))),
    removeExpired: (now, visible) =>
      ask("written", () => {
        const owners = visible ?? read.everyScope();
        return flushed(log, write.remove.immediate(read.expired(owners, now), owners));
      }),
    values: (page) => ask("read", () => read.values(page)),
    restore: (ids, values) => ask("written", () => write.restore.immediate(ids, values)),
    counts: (visible, now) => ask("read", () => read.counts(visible, now)),
    turns: turnTable(database, { ask, gone: (count) => flushed(log, count) }),
    vectors: vectors.index(ask),
    // What was asked before may be waiting for others to have their turn: it is answered first.
    close: () =>
      attempt("closed", async () => {
        await breath();
        await uses.ended();
        await log.close();
      }),
  };
}

/** What was taken out must not live on in the log. */
async function flushed(log: Log, gone: number): Promise<number> {
  if (gone > 0) await log.emptied();
  return gone;
}
