import { AsyncLocalStorage } from "node:async_hooks";
import {
  type BigIntStats,
  type Dirent,
  lstatSync,
  promises as fs,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { breaths, makeFolders, PRIVATE } from "../../core/base.ts";
import { isBusy } from "../../storage/sqlite/database-file.ts";
import { type LockFile, lockFile, patience } from "../../storage/sqlite/shared-file.ts";
import {
  codeOf,
  type FilePlace,
  type FileStanding,
  type Folder,
  isPage,
  type Listed,
  locate,
  ownPath,
  partOf,
  type Tell,
  type TextPart,
  troubled,
  troubleWith,
} from "./folder.ts";
import {
  appendLines,
  readRegular,
  stampOf,
  withRegular,
  writeNew,
  writeWhole,
} from "./write-whole.ts";

const readPart = (path: string, part: TextPart): Promise<string> =>
  withRegular(path, async (handle, size) => {
    // A UTF-16 unit takes at most three bytes of UTF-8.
    const length = Math.min(size, part.characters * 3 + 3);
    const start = part.keep === "end" ? size - length : 0;
    const buffer = Buffer.alloc(length);
    const { bytesRead } = await handle.read(buffer, 0, length, start);
    return partOf(buffer.subarray(0, bytesRead).toString("utf8"), part);
  });

/** Files on disk under `root`. `tell` hears of files a listing had to pass over. */
export function diskFolder(root: string, tell: Tell): Folder {
  const top = resolve(root);
  const walk = walker(top, tell);
  const alone = <T>(work: () => Promise<T>): Promise<T> => exclusively(top, work);
  const write = <T>(place: FilePlace, work: (path: string) => Promise<T>): Promise<T> =>
    guarded("write", top, place, (path) => alone(() => work(path)));

  return {
    read: (place, part) =>
      guarded("read", top, place, (path) =>
        (part ? readPart(path, part) : readRegular(path)).catch(orAbsent),
      ),
    change: (place, change) =>
      write(place, async (path) => {
        const before = await readRegular(path).catch(orAbsent);
        const after = await change(before);
        if (after !== undefined && after !== before) await writeWhole(path, after);
      }),
    append: (place, text, opening) =>
      write(place, async (path) => appendLines(path, text, opening)),
    create: (place, text) => write(place, (path) => writeNew(path, text)),
    remove: (place) => write(place, (path) => fs.rm(path, { recursive: true, force: true })),
    copy: (from, to) =>
      write(to, async (path) => writeNew(path, await fs.readFile(await locate(top, from)))),
    look: (place) => guarded("read", top, above(place), async (path) => standing(path, place)),
    entries: (place) =>
      guarded("read", top, place, async (path) => {
        const found = statOf(path)?.isDirectory()
          ? await fs.readdir(path, { withFileTypes: true })
          : [];
        return found
          .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
          .sort((one, other) => (one.name < other.name ? -1 : 1));
      }),
    makeFolder: (place) => write(place, async (path) => makeFolders(path, PRIVATE)),
    move: (from, to) =>
      write(to, async (path) => {
        makeFolders(dirname(path), PRIVATE);
        await fs.rename(await locate(top, from), path);
      }),
    alone,
    list: (place) => Array.fromAsync(walk(place)),
    walk,
  };
}

async function guarded<T>(
  what: "read" | "write",
  top: string,
  place: FilePlace,
  work: (path: string) => Promise<T>,
): Promise<T> {
  try {
    return await work(await locate(top, place));
  } catch (error) {
    throw troubleWith(what, top, place, error);
  }
}

const orAbsent = (error: unknown): undefined => {
  if (codeOf(error) !== "ENOENT") throw error;
};

const above = ({ base, path }: FilePlace): FilePlace => ({ base, path: dirname(path) });

function standing(folder: string, place: FilePlace): FileStanding | undefined {
  try {
    const stat = lstatSync(join(folder, basename(place.path)), { throwIfNoEntry: false });
    return stat && { kind: kindOf(stat), bytes: stat.size, changed: Math.trunc(stat.mtimeMs) };
  } catch (error) {
    // The folder it would stand in is a file.
    if (codeOf(error) !== "ENOTDIR") throw error;
    return undefined;
  }
}

function kindOf(found: Dirent | Stats): FileStanding["kind"] {
  if (found.isDirectory()) return "folder";
  if (found.isSymbolicLink()) return "link";
  return found.isFile() ? "file" : "other";
}

/**
 * At once: the way through the pool of threads takes longer than the look, and a turn that folds
 * waits for a dozen.
 */
const statOf = (path: string): BigIntStats | undefined => statSync(path, AS_IT_IS);
const AS_IT_IS = { bigint: true, throwIfNoEntry: false } as const;

/** Walks what stands below a root; `tell` hears of files that had to be passed over. */
function walker(top: string, tell: Tell): Folder["walk"] {
  /**
   * Pages in the order of their names. `path` is real already: only links inside have to be looked
   * after. Ten thousand files take a while: others have their turn meanwhile.
   */
  async function* below(path: string, place: FilePlace): AsyncGenerator<Listed> {
    const due = breaths();
    // An entry's kind comes with its stamp, for less than with its name.
    for (const name of (await fs.readdir(path)).sort()) {
      if (name.startsWith(".")) continue;
      const inner = { base: place.base, path: `${place.path}/${name}` };
      const at = `${path}${sep}${name}`;
      try {
        const stat = lstatSync(at, AS_IT_IS);
        if (!stat?.isDirectory())
          yield* fileAt(inner, stat?.isSymbolicLink() ? statOf(await locate(top, inner)) : stat);
        else yield* below(at, inner);
      } catch (error) {
        tell(troubleWith("read", top, inner, error));
      }
      await due();
    }
  }

  return async function* (place) {
    try {
      const path = await locate(top, place);
      const stat = statOf(path);
      yield* stat?.isDirectory() ? below(path, place) : fileAt(place, stat);
    } catch (error) {
      throw troubleWith("read", top, place, error);
    }
  };
}

const fileAt = (place: FilePlace, stat: BigIntStats | undefined): Listed[] =>
  stat?.isFile() && isPage(place) ? [{ place, stamp: stampOf(stat) }] : [];

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
