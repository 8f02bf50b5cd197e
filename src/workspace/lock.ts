import { AsyncLocalStorage } from "node:async_hooks";
import { existsSync, mkdirSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { TidemarkError } from "../model/errors.ts";
import { codeOf } from "./locate.ts";
import { takingTurns } from "./turns.ts";

/** Looks for the lock so often, ms: between the two, the longer it is held the rarer. */
const [FIRST, LAST] = [1, 25];
/** Nobody changes a file for so long; who does has hung, ms. */
const PATIENCE = 10_000;

const inTurn = takingTurns();
/** Roots whose lock the work under way holds: a change that makes a backup first must not wait for itself. */
const holding = new AsyncLocalStorage<ReadonlySet<string>>();
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * One writer of a workspace's files at a time, over all processes: reading a file, changing it and renaming it into place must
 * not meet another's. The lock is SQLite's, on a file of its own: the system lets go of it when its holder dies, however that
 * happens, and a lock of ours would have to guess.
 */
export async function exclusively<T>(root: string, work: () => Promise<T>): Promise<T> {
  const held = holding.getStore();
  if (held?.has(root)) return work();
  return inTurn(root, async () => {
    const folder = join(root, ".tidemark");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, "lock.db");
    // Nothing is ever written to it; it is its owner's only all the same.
    if (!existsSync(path)) writeFileSync(path, "", { flag: "a", mode: 0o600 });
    const database = new Database(path, { timeout: 0 });
    try {
      await taken(database, path, root);
      return await holding.run(new Set([...(held ?? []), root]), work);
    } finally {
      // Closing ends the transaction, and with it the lock.
      database.close();
    }
  });
}

async function taken(database: Database.Database, file: string, root: string): Promise<void> {
  const until = performance.now() + PATIENCE;
  for (let wait = FIRST; ; wait = Math.min(LAST, wait * 2)) {
    try {
      database.exec("begin immediate");
      return;
    } catch (thrown) {
      // Nothing is kept in it: whatever stands there is no use, and emptied it stays the file that others lock.
      if (/^SQLITE_(?:NOTADB|CORRUPT)/.test(codeOf(thrown)) && statSync(file).size > 0) truncateSync(file);
      else if (!/^SQLITE_(?:BUSY|LOCKED)/.test(codeOf(thrown))) throw thrown;
      if (performance.now() > until)
        throw new TidemarkError("workspace", `Another process has been writing to ${root} for ${PATIENCE / 1000} s. Look whether one hangs, end it, and try again.`, { cause: thrown });
      await pause(wait);
    }
  }
}
