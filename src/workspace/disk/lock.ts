import { AsyncLocalStorage } from "node:async_hooks";
import { lstatSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolders, PRIVATE } from "../../core/base.ts";
import { isBusy } from "../../storage/sqlite/database-file.ts";
import { type LockFile, lockFile } from "../../storage/sqlite/lock-file.ts";
import { patience } from "../../storage/sqlite/shared-file.ts";
import { codeOf, ownPath, troubled } from "./folder.ts";

/** Looks for the lock, half a minute in all: no change of a file takes so long. */
const TRIES = 1_200;

/**
 * One writer of a workspace's files at a time, over all processes: reading a file, changing it and
 * renaming it into place must not meet another's. The lock is SQLite's, on a file of its own: the
 * system lets go of it when its holder dies, however that happens, and a lock of ours would have to
 * guess.
 */
export const exclusively = takingTurnsWithin(async (root, work) => {
  const path = join(root, ".tidemark", "lock.db");
  const lock = opened(path);
  try {
    await taken(lock, path, root);
    return await work();
  } finally {
    // The end of the connection is the end of the lock.
    lock.close();
  }
});

function opened(path: string): LockFile {
  makeFolders(ownPath(dirname(path)), PRIVATE);
  // Nothing is ever written to it; it is its owner's only all the same.
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) makeEmpty(path);
  return lockFile(ownPath(path));
}

/** Another process may be faster; what is made exclusively is made through no link. */
function makeEmpty(path: string): void {
  try {
    writeFileSync(path, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

async function taken(lock: LockFile, file: string, root: string): Promise<void> {
  try {
    await patience(undefined, TRIES)(lock.take);
  } catch (cause) {
    if (codeOf(cause) === "SQLITE_NOTADB")
      throw troubled(`${file} is no lock of ours. Remove it.`, { cause });
    if (!isBusy(cause)) throw cause;
    throw troubled(
      `Another process has been writing to ${root} for half a minute. Look whether one hangs, ` +
        "end it, and try again.",
      { cause },
    );
  }
}

type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Work on one key, one after the other, in the order asked; a failure does not stop the next. */
export function takingTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.catch(() => undefined);
    last.set(key, settled);
    try {
      return await mine;
    } finally {
      if (last.get(key) === settled) last.delete(key);
    }
  };
}

/**
 * The same, where work that is under way may ask for more on its own key: a change that makes a
 * backup first must not wait for itself. `around`: what is done before and after.
 */
export function takingTurnsWithin(around: Turns): Turns {
  const inTurn = takingTurns();
  const holding = new AsyncLocalStorage<ReadonlySet<string>>();
  return async (key, work) => {
    const held = holding.getStore();
    if (held?.has(key)) return work();
    return inTurn(key, async () => {
      const own = new Set([...(held ?? []), key]);
      try {
        return await around(key, () => holding.run(own, work));
      } finally {
        // Work that was begun and not waited for holds nothing any more.
        own.delete(key);
      }
    });
  };
}
