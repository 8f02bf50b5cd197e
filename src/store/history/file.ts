import type { Keep } from "../../model/history.ts";
import type { HistoryStore } from "../../model/history-store.ts";
import { logOf, type Log } from "../sqlite/log.ts";
import { type Connection, guarded, openDatabase, orClosed } from "../sqlite/database.ts";
import type { Mask } from "../../secrets/mask.ts";
import { type HistoryDesk, historyDesk } from "./desk.ts";
import { keptAs, noteKept } from "./kept.ts";
import { masked } from "./redact.ts";
import { inItsPlace, type OpenFile } from "./replaced-file.ts";
import { HISTORY_STEPS, UNUSED } from "./schema.ts";
import { asking, askedAll } from "../sqlite/busy.ts";
import { historyReads, smallWrites } from "./read.ts";
import { historyWriter, spentTable } from "./write.ts";
import { slices } from "../../base/async.ts";

export interface HistoryFileOptions extends Pick<Under, "damaged"> {
  /**
   * Hears of a file that another took the place of while it was open. Absent: that is not looked
   * for.
   */
  readonly moved?: (told: string) => void;
  /** Default: what the file kept last, all of it at first. */
  readonly keep?: Keep | undefined;
  /** Takes secrets out of what is to be stored masked. */
  readonly mask?: () => Promise<Mask>;
  readonly key?: string | undefined;
}

/**
 * The history port over SQLite; `path` may be ":memory:". Throws "history" for a file that does not
 * open.
 */
export function openHistory(path: string, options: HistoryFileOptions = {}): HistoryStore {
  const { keep, ...first } = openFile(path, options);
  const { moved } = options;
  // The file in its place may be new, and must not keep more of a message than this one did.
  const masks = keep === "masked" ? { keep } : {};
  const open = (): OpenFile => openFile(path, { ...options, ...masks });
  const store =
    moved === undefined || first.database.memory
      ? first.store
      : inItsPlace(first, { path, open, moved });
  return keep === "masked" ? masked(store, options.mask) : store;
}

function openFile(path: string, options: HistoryFileOptions): OpenFile & { keep: Keep } {
  const database = openDatabase({ path, key: options.key }, HISTORY_STEPS, "history");
  return orClosed(database, () => {
    const held = guarded("history", `The history at ${path} could not be read`, () =>
      keptAs(database),
    );
    const keep = options.keep ?? held;
    if (keep !== held) noteKept(database, keep);
    const log = logOf(database, path);
    const store = historyOver(database, path, { log, ...options });
    return { database, log, store, keep };
  });
}

interface Under {
  /** Hears of what a broken file makes of a question. */
  readonly damaged?: (thrown: unknown) => void;
  readonly log: Log;
}

function historyOver(database: Connection, path: string, under: Under): HistoryStore {
  const { log } = under;
  const desk = historyDesk(database);
  const unlike =
    `${path} does not hold what a history of this version holds; update the package, or ` +
    "open another workspace";
  const ask = asking("history", `The history at ${path}`, under);
  const { writes, reads } = guarded("history", unlike, () => tables(database, desk));
  const version = desk.value<number>("pragma data_version");
  return {
    keeps: { keep: "verbatim" },
    ...askedAll(ask, "be read", reads),
    ...askedAll(ask, "be written", writes),
    forget: (sessions) =>
      ask("be written", async () => {
        if (sessions.length === 0) return;
        await forget(desk, sessions);
        await log.emptied();
      }),
    version: () => version() ?? 0,
    close: () => ask("be closed", () => void database.close()),
  };
}

function tables(database: Connection, desk: HistoryDesk) {
  const { put, account, spent } = spentTable(desk);
  return {
    writes: { ...smallWrites(desk), write: historyWriter(database, desk, put), account },
    reads: { ...historyReads(desk), spent },
  };
}

/** Conversations forgotten in one transaction: a few milliseconds. */
const BATCH = 50;

/**
 * Bodies and media go too, once nothing else refers to them: with the last batch, so that a process
 * that is killed before it forgets again.
 */
async function forget(
  { run: prepared, inOne }: HistoryDesk,
  sessions: readonly string[],
): Promise<void> {
  const named = "in (select value from json_each(?))";
  const removals = [
    ...["entry", "aside", "fold", "job", "pin", "learnt"].map(
      (table) => `delete from ${table} where session ${named}`,
    ),
    `delete from session where id ${named}`,
  ].map(prepared);
  const cleaning = UNUSED.map(prepared);
  const run = inOne((from: number, to: number) => {
    const batch = sessions.slice(from, to);
    for (const remove of removals) remove(batch);
    if (to === sessions.length) for (const clean of cleaning) clean();
  });
  for await (const { from, to } of slices(0, sessions.length, { size: BATCH, often: 1 }))
    run(from, to);
}
