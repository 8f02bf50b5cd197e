import { breathe, breaths } from "../base/async.ts";
import type { Keep } from "../model/history.ts";
import type { HistoryStore } from "../model/history-store.ts";
import type { Scope } from "../model/identity.ts";
import { loadScan } from "../model/installed.ts";
import type { Debt, OwedDebt, Store } from "../model/store.ts";
import { type HistoryDesk, historyDesk } from "./history/desk.ts";
import { forgetSessions } from "./history/forget.ts";
import { keptAs, noteKept } from "./history/kept.ts";
import { historyReads, smallWrites } from "./history/read.ts";
import { masked } from "./history/redact.ts";
import { inItsPlace, type OpenFile } from "./history/replaced-file.ts";
import { historyWriter, type PutMemories, spentTable } from "./history/write.ts";
import { NO_INDEXES } from "./history/table-rows.ts";
import { categoryWords } from "./memories/category-words.ts";
import { memoryReader } from "./memories/read.ts";
import { termIndex } from "./memories/term-index.ts";
import { memoryWriter } from "./memories/write.ts";
import { pageTable } from "./pages/page-table.ts";
import { pageVectorTable } from "./pages/vectors.ts";
import { rebuildDerived } from "./repair/derived.ts";
import { type AskDatabase, askedAll, asking } from "./sqlite/busy.ts";
import { type Connection, deskOf, guarded, orClosed, valueOf } from "./sqlite/database.ts";
import { type Log, logOf, type Sync } from "./sqlite/log.ts";
import { openTables } from "./sqlite/schema.ts";
import { scopeTable } from "./sqlite/scopes.ts";
import { turnTable } from "./turns/turns.ts";
import type { VectorOptions } from "./vectors/models.ts";
import { vectorIndex } from "./vectors/vectors.ts";

export interface DatabaseOptions {
  /** Hears of what a broken file makes of a question. */
  readonly damaged?: (thrown: unknown) => void;
  /**
   * Hears of a file that another took the place of while it was open. Absent: that is not looked
   * for.
   */
  readonly moved?: (told: string) => void;
  /** Default: what the file kept last, all of it at first. */
  readonly keep?: Keep | undefined;
  /** Takes secrets out of what is to be stored masked. */
  readonly key?: string | undefined;
  readonly vectors?: VectorOptions;
  /** For tests: waits for the disk in place of the system's own. */
  readonly sync?: Sync;
}

export type OpenStores = Pick<OpenFile, "history" | "store">;

/**
 * The ports over one SQLite file, or ":memory:", and one connection: whichever is closed first ends
 * it. Throws "store" for a file that does not open.
 */
export function openStores(path: string, options: DatabaseOptions = {}): OpenStores {
  const { keep, ...first } = openFile(path, options);
  const { moved } = options;
  // The file in its place may be new, and must not keep more of a message than this one did.
  const masks = keep === "masked" ? { keep } : {};
  const open = (): OpenFile => openFile(path, { ...options, ...masks });
  const { history, store } =
    moved === undefined || first.database.memory ? first : inItsPlace(first, { path, open, moved });
  return { history: keep === "masked" ? masked(history) : history, store };
}

function openFile(path: string, options: DatabaseOptions): OpenFile & { keep: Keep } {
  const database = openTables({ path, key: options.key });
  return orClosed(database, () => {
    const unlike =
      `${path} does not hold what this version holds; update the package, or open another ` +
      "workspace";
    return guarded("store", unlike, () => {
      indexed(database);
      const held = keptAs(database);
      const keep = options.keep ?? held;
      if (keep !== held) noteKept(database, keep);
      const under = { database, path, log: logOf(database, path, options.sync), ...options };
      const { store, remember } = storeOver(under);
      return { ...under, store, history: historyOver(under, remember), keep };
    });
  });
}

/** A backup that was put in its place, or what an archive held, has no indexes yet. */
function indexed(database: Connection): void {
  const missing = valueOf(database, "select 1 from note where name = ?", NO_INDEXES);
  if (missing === undefined) return;
  rebuildDerived(database);
  database.prepare("delete from note where name = ?").run(NO_INDEXES);
}

interface Under extends DatabaseOptions {
  readonly database: Connection;
  readonly path: string;
  readonly log: Log;
}

function historyOver(under: Under, remember: PutMemories): HistoryStore {
  const { database, path, log } = under;
  const desk = historyDesk(database);
  const ask = asking("history", `The history in ${path}`, under);
  const { write, writes, reads } = tables(desk, remember);
  const version = desk.value<number>("pragma data_version");
  return {
    keeps: { keep: "verbatim" },
    ...askedAll(ask, "be read", reads),
    ...askedAll(ask, "be written", writes),
    async write(change) {
      const done = await ask("be written", () => write(change));
      if (done && change.durable) await ask("be written", log.synced);
      return done;
    },
    forget: (sessions) =>
      ask("be written", async () => {
        if (sessions.length === 0) return;
        await forgetSessions(desk, sessions);
        await log.emptied();
      }),
    version: () => version() ?? 0,
    close: () => ask("be closed", () => void database.close()),
  };
}

function tables(desk: HistoryDesk, remember: PutMemories) {
  const { put, account, spent } = spentTable(desk);
  const write = historyWriter(desk, { account: put, remember });
  return {
    write,
    writes: { ...smallWrites(desk), account },
    reads: { ...historyReads(desk), spent },
  };
}

function storeOver(under: Under): { store: Store; remember: PutMemories } {
  const { database, path, log, vectors: compared } = under;
  const desk = deskOf(database);
  const index = termIndex(desk, "memory_index");
  const scopes = scopeTable(desk);
  const { expired, ...reads } = memoryReader(desk, index, scopes);
  const words = categoryWords(desk);
  const vectors = vectorIndex(desk, scopes, { load: () => loadScan(database), ...compared });
  const pageVectors = pageVectorTable(vectors.room);
  const beside = { scopes, vectors: vectors.write, categories: words };
  const write = memoryWriter(desk, index, beside);
  const attempt = asking("store", `The memory in ${path}`, under);
  const breath = breaths();
  /** The uses counted last. */
  let counted: Promise<unknown> = Promise.resolve();
  const ask: AskDatabase = async (what, work) => {
    await breath();
    await counted;
    return attempt(what, work);
  };
  /** The log must not hold on to rows that were taken out; on a full disk it still does. */
  const flushed = async (gone: number): Promise<number> => {
    if (gone > 0) await log.emptied().catch(() => undefined);
    return gone;
  };
  const remove = async (...given: Parameters<typeof write.remove>): Promise<number> => {
    const gone = await flushed(write.remove(...given));
    await log.synced();
    return gone;
  };

  const store = {
    ...askedAll(ask, "be read", {
      ...reads,
      categories: (scope: Scope, terms: readonly string[]) =>
        scopes.numbers([scope]).flatMap((number) => words.of(number, terms)),
    }),
    ...askedAll(ask, "be written", {
      keepNote: write.keepNote,
      put: write.put,
      durable: log.synced,
      async restore(...given: Parameters<typeof write.restore>) {
        write.restore(...given);
        await log.synced();
      },
      remove,
      removeExpired: (now: number, debts?: readonly Debt[]) =>
        remove(expired(now), undefined, debts),
      async paid(debts: readonly OwedDebt[]) {
        await write.paid(debts);
        // Where words of what was forgotten stood in a page's last writings, they stand in the log.
        await flushed(debts.filter(({ kind }) => kind === "erase").length);
      },
    }),
    /**
     * Behind the answer they belong to, since counting takes as long as a third of the finding;
     * what is asked next waits for it.
     */
    async used(...given: Parameters<typeof write.used>) {
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
  return { store, remember: write.put };
}
