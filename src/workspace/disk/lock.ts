import { AsyncLocalStorage } from "node:async_hooks";
import { lstatSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolders, PRIVATE } from "../../core/base.ts";
import { type LockFile, lockFile } from "../../storage/sqlite/lock-file.ts";
import { codeOf, ownPath, troubled } from "./folder.ts";

/** Looks for the lock so often, ms: between the two, the longer it is held the rarer. */
const [FIRST, LAST] = [1, 25];
/** No change of a file takes so long; one that does has hung, ms. */
const PATIENCE = 30_000;

const inTurn = takingTurns();
/**
 * Roots whose lock the work under way holds: a change that makes a backup first must not wait for
 * itself.
 */
const holding = new AsyncLocalStorage<ReadonlySet<string>>();
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * One writer of a workspace's files at a time, over all processes: reading a file, changing it and
 * renaming it into place must not meet another's. The lock is SQLite's, on a file of its own: the
 * system lets go of it when its holder dies, however that happens, and a lock of ours would have to
 * guess.
 */
export async function exclusively<T>(root: string, work: () => Promise<T>): Promise<T> {
  const held = holding.getStore();
  if (held?.has(root)) return work();
  return inTurn(root, async () => {
    const path = join(root, ".tidemark", "lock.db");
    const lock = opened(path);
    const own = new Set([...(held ?? []), root]);
    try {
      await taken(lock, path, root);
      return await holding.run(own, work);
    } finally {
      // Work that was begun and not waited for holds nothing any more.
      own.delete(root);
      // The end of the connection is the end of the lock.
      lock.close();
    }
  });
}

const isHeld = (thrown: unknown): boolean => /^SQLITE_(?:BUSY|LOCKED)/.test(codeOf(thrown));

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
  for (let [waited, wait] = [0, FIRST]; ; wait = Math.min(LAST, wait * 2)) {
    try {
      lock.take();
      return;
    } catch (thrown) {
      if (codeOf(thrown) === "SQLITE_NOTADB")
        throw troubled(`${file} is no lock of ours. Remove it.`, { cause: thrown });
      if (!isHeld(thrown)) throw thrown;
      // A process that was stopped for a minute has not been kept waiting for one.
      if (waited > PATIENCE)
        throw troubled(
          `Another process has been writing to ${root} for ${PATIENCE / 1000} s. Look ` +
            "whether one hangs, end it, and try again.",
          { cause: thrown },
        );
      await pause(wait);
      waited += wait;
    }
  }
}

/** Work on one key, one after the other, in the order asked; a failure does not stop the next. */
export function takingTurns(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
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
