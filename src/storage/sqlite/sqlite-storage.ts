import { breathe, breaths, slices } from "../../core/base.ts";
import { loadScan } from "../../core/installed.ts";
import { methods, searches, troubleOf } from "../methods.ts";
import type { Unit, VectorStorage } from "../port.ts";
import { dataTable } from "./data-rows.ts";
import { type Connection, guarded, orClosed } from "./database-file.ts";
import { endedTurns } from "./ended-turns.ts";
import { scopeTable } from "./memory-rows.ts";

import type { VectorOptions } from "./nearest-vectors.ts";
import { vectorIndex } from "./page-and-turn-vectors.ts";
import { pageReader, pageWriter } from "./pages.ts";
import { forgetSessions, historyReads, smallWrites } from "./read-history.ts";
import { memoryReader } from "./read-memories.ts";
import { rebuildDerived } from "./salvage.ts";
import { openTables } from "./schema.ts";
import { type AskDatabase, asking, committer, type Log, logOf, type Sync } from "./shared-file.ts";
import { historySql, type HistorySql, sqlOn } from "./sql.ts";
import { NO_INDEXES } from "./table-rows.ts";
import { termIndex } from "./term-index.ts";
import { turnTable } from "./turns.ts";
import { vectorRoom } from "./vectors.ts";
import { sessionWriter } from "./write-history.ts";
import { memoryWriter } from "./write-memories.ts";

interface DatabaseOptions {
  /** Hears of what a broken file makes of a question. */
  readonly damaged?: (thrown: unknown) => void;
  readonly key?: string | undefined;
  /** It is refused where it is of an older version. */
  readonly look?: boolean;
  readonly vectors?: VectorOptions;
  /** For tests: waits for the disk in place of the system's own. */
  readonly sync?: Sync;
}

/** SQLite has vectors. */
export type Sqlite = VectorStorage;

/**
 * Storage in one SQLite file, or ":memory:", over one connection. Throws "store" for a file that
 * does not open.
 */
export function openStorage(path: string, options: DatabaseOptions = {}): Sqlite {
  const database = openTables({ path, key: options.key, look: options.look });
  return orClosed(database, () => {
    const unlike =
      `${path} does not hold what this version holds; update the package, or open another ` +
      "workspace";
    return guarded("store", unlike, () => {
      indexed(database);
      return storageOver({ database, path, log: logOf(database, path, options.sync), ...options });
    });
  });
}

/** A backup that was put in its place, or what an archive held, has no indexes yet. */
function indexed(database: Connection): void {
  const sql = sqlOn(database);
  if (sql.value`select 1 from note where name = ${NO_INDEXES}` === undefined) return;
  rebuildDerived(sql);
  sql.run`delete from note where name = ${NO_INDEXES}`;
}

interface Under extends DatabaseOptions {
  readonly database: Connection;
  readonly path: string;
  readonly log: Log;
}

/** Rows read of one term: 2 to 4 ms. */
const MOST_ROWS = 20_000;

/** All that reads and writes the tables of a file, at once; writes within the open transaction. */
function tablesOf({ database, vectors: compared }: Under, sql: HistorySql) {
  const index = termIndex(sql, "memory_index", MOST_ROWS);
  const scopes = scopeTable(sql);
  const room = vectorRoom(sql, scopes, { load: () => loadScan(database), ...compared });
  const vectors = vectorIndex(room);
  const memories = memoryWriter(sql, index, { scopes, vectors: vectors.write });
  const { debts, paid, ...parts } = memories.parts;
  const pages = pageWriter(sql, scopes, vectors.erasePage);
  const turns = turnTable(sql);
  const session = sessionWriter(sql);
  const { put: data, ...dataReads } = dataTable(sql);
  const { parts: endings, ended } = endedTurns(sql);
  /** Rows taken out by the last unit. */
  let gone = 0;
  const carryOut = committer(sql, {
    ...parts,
    session: (change, unit) => session(change, unit.memories !== undefined),
    ...{ ...smallWrites(sql), ...endings, data },
    ...turns.parts,
    pages: (put) => void (gone += pages.put(put)),
    vectors: vectors.put,
    gone({ memories: named, expired, pages: of }) {
      if (named !== undefined) gone += memories.remove(named.ids, named.scopes);
      if (expired !== undefined) gone += memories.removeExpired(expired);
      if (of !== undefined) gone += pages.remove(of.scope, of.paths);
    },
    // Lines that are owed of what is gone went with it.
    debts,
    paid,
  });
  return {
    ...{ vectors, turns, dataReads },
    memories: memoryReader(sql, index, scopes),
    pages: pageReader(sql, scopes),
    history: { ...historyReads(sql), ended },
    written(unit: Unit): { readonly stands: boolean; readonly gone: number } {
      gone = 0;
      return { stands: carryOut(unit), gone };
    },
  };
}
type Tables = ReturnType<typeof tablesOf>;

function storageOver(under: Under): Sqlite {
  const { database, path, log } = under;
  const sql = historySql(sqlOn(database));
  const tables = tablesOf(under, sql);
  const attempt = asking(under);
  const breath = breaths();
  /** The uses counted last. */
  let counted: Promise<unknown> = Promise.resolve();
  const ask: typeof attempt = async (trouble, work) => {
    if (trouble[0] === "store") {
      await breath();
      await counted;
    }
    return attempt(trouble, work);
  };
  const asked = <Port>(port: object): Port =>
    methods(Object.keys(port), (call, name) => ask(troubleOf(path, name), () => call(port)));
  const commit = committing(under, sql, tables);
  const version = (): unknown => sql.value`pragma data_version`;
  return {
    ...asked<StorageReads>(readsOf(tables)),
    vectors: asked(tables.vectors.index),
    commit(unit, how) {
      const trouble = troubleOf(path, unit);
      if (unit.used === undefined) return commit((work) => ask(trouble, work), unit, how);
      // Behind the answer it belongs to, since counting takes as long as a third of the finding;
      // what is asked next waits for it.
      const counting = breathe().then(() => commit((work) => attempt(trouble, work), unit, how));
      counted = counting.catch(() => undefined);
      return counting;
    },
    others(hear) {
      let last = version();
      return async () => {
        const now = version();
        if (now !== last) hear("all");
        last = now;
      };
    },
    // An earlier question may still be waiting for its turn: it is answered first.
    close: () =>
      attempt(["store", `The memory in ${path} could not be closed`], async () => {
        await breath();
        await counted;
        log.leave();
        database.close();
      }),
  };
}

/** So many conversations are taken out in one transaction: some ten milliseconds. */
const BATCH = 10;

function committing({ log }: Under, sql: HistorySql, { written, turns }: Tables) {
  /** Takes out what would hold up everything else, and leaves no row of it in the log. */
  async function clean(
    ask: AskDatabase,
    { gone, paid = [], notes }: Unit,
    rows: number,
  ): Promise<void> {
    const { sessions = [], turns: spoken = [] } = gone ?? {};
    // Each goes with its turns: no later look would find those of a conversation that is gone.
    const own = new Set(sessions);
    const all = [...new Set([...spoken, ...sessions])];
    const forget = sql.inOne((some: readonly string[], isLast: boolean) => {
      turns.remove(some);
      forgetSessions(
        sql,
        some.filter((id) => own.has(id)),
        isLast && own.size > 0,
      );
    });
    for await (const { from, to } of slices(0, all.length, { size: BATCH, often: 1 }))
      await ask(() => forget(all.slice(from, to), to === all.length));
    // A page's last writings may have held words of what was forgotten, and so may what waits.
    const isErased = paid.some(({ kind }) => kind === "erase") || notes?.proposals !== undefined;
    // On a full disk the log still holds on to rows that were taken out.
    if (isErased || rows + all.length > 0) await log.emptied().catch(() => undefined);
  }
  return async (
    ask: AskDatabase,
    unit: Unit,
    { durable = false }: { readonly durable?: boolean } = {},
  ): Promise<boolean> => {
    await ask(log.checkPlace);
    if (Object.keys(unit).length > 0) {
      const { stands, gone } = await ask(() => written(unit));
      if (!stands) return false;
      log.grew();
      await clean(ask, unit, gone);
    }
    if (durable) await ask(log.synced);
    return true;
  };
}

type StorageReads = Omit<Sqlite, "vectors" | "commit" | "others" | "close">;

function readsOf({ memories, pages, turns, history, dataReads }: Tables): object {
  const { words, ...values } = memories;
  const { beginning, turns: named } = turns.reads;
  return {
    ...{ ...history, ...values, ...dataReads },
    ...{ beginning, turns: named, pages: pages.pages },
    ...searches(words, turns.reads, pages),
  };
}
