import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  openSync,
  promises as fs,
  readSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { makeFolders, PRIVATE } from "../../core/base.ts";
import { codeOf } from "./folder.ts";

/**
 * Without waiting: a pipe would be waited for until something is written into it. A link that
 * stands there was put there since the path was settled. Windows has no such pipes, and no such
 * flags.
 */
const AT_ONCE =
  constants.O_RDONLY |
  (process.platform === "win32" ? 0 : constants.O_NONBLOCK | constants.O_NOFOLLOW);
/**
 * A disk that has not answered by then hangs, as a lost network drive does: so many ms, and so many
 * turns of the event loop. After a stall of the process, answers are read before the next turn.
 */
const ANSWERS_WITHIN = 5_000;
const TURNS = 10;

/** Runs `work` after `ms` unless called off. */
type Timer = (ms: number, work: () => void) => () => void;

const byTheClock: Timer = (ms, work) => {
  const running = setTimeout(work, ms).unref();
  return () => clearTimeout(running);
};

const trouble = (code: string, words: string): Error => Object.assign(new Error(words), { code });

/**
 * Throws for a pipe, a socket or a device, with the code "EIRREGULAR", as for a folder with its
 * own.
 */
function checkRegular(stat: Stats | BigIntStats): void {
  if (stat.isDirectory()) throw trouble("EISDIR", "a folder");
  if (!stat.isFile()) throw trouble("EIRREGULAR", "no regular file");
}

/**
 * What a reader makes of a regular file, if the disk answers. Rejects with the file system's
 * errors, "EIRREGULAR" or "EHANGS".
 */
export function withRegular<T>(
  path: string,
  read: (handle: fs.FileHandle, size: number) => Promise<T>,
): Promise<T> {
  return answered(async () => {
    const handle = await fs.open(path, AT_ONCE);
    try {
      const stat = await handle.stat();
      checkRegular(stat);
      return await read(handle, stat.size);
    } finally {
      await handle.close();
    }
  });
}

export const readRegular = (path: string): Promise<string> =>
  withRegular(path, (handle) => handle.readFile("utf8"));

/**
 * The work's result, or a rejection with the code "EHANGS" when it does not come in time; the work
 * is left to itself.
 */
export async function answered<T>(work: () => Promise<T>, timer: Timer = byTheClock): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  let stop = (): void => undefined;
  const wait = (turns: number): void => {
    stop = timer(ANSWERS_WITHIN / TURNS, () => {
      if (turns > 1) wait(turns - 1);
      else reject(trouble("EHANGS", `no answer within ${ANSWERS_WITHIN / 1000} s`));
    });
  };
  wait(TURNS);
  try {
    return await Promise.race([work(), late]);
  } finally {
    stop();
  }
}

/** Conversations are private: files for their owner only, folders likewise. */
const FILE = 0o600;
let count = 0;

/** A file that changes has another stamp. */
export const stampOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${ino}-${size}-${mtimeNs}-${ctimeNs}`;

/** When a file of this stamp was last written to, ms since epoch. */
export const writtenAt = (stamp: string): number => Number(stamp.split("-")[2]) / 1e6;

type Content = string | Buffer | AsyncIterable<string>;

/**
 * All of the text or none of it, whatever happens in between. It is written beside `path` first;
 * exclusive creation makes that name ours, whatever else writes.
 */
export async function writeWhole(path: string, text: Content): Promise<void> {
  makeFolders(dirname(path), PRIVATE);
  for (;;) {
    const name = join(dirname(path), `.${basename(path)}.${process.pid}-${(count += 1)}.tmp`);
    try {
      await fs.writeFile(name, text, { flag: "wx", mode: FILE, flush: true });
      return await fs.rename(name, path);
    } catch (error) {
      if (codeOf(error) === "EEXIST") continue;
      await fs.rm(name, { force: true });
      throw error;
    }
  }
}

/** The same, but never over something that stands there already. */
export async function writeNew(path: string, text: Content): Promise<void> {
  if ((await fs.lstat(path).catch(() => undefined)) === undefined) await writeWhole(path, text);
}

/** Adds to the end in one write, so that two processes do not mix lines. */
export function appendLines(path: string, text: string, opening: string): void {
  makeFolders(dirname(path), PRIVATE);
  const file = openSync(path, "a+", FILE);
  try {
    const found = fstatSync(file);
    checkRegular(found);
    writeFileSync(file, `${found.size === 0 ? opening : endOf(file, found.size)}${text}`);
  } finally {
    closeSync(file);
  }
}

/** What has to stand before the next line: nothing, or the end of the last one. */
function endOf(file: number, size: number): "" | "\n" {
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last.toString() === "\n" ? "" : "\n";
}

/**
 * Takes away temporary files of a process that died between writing and renaming: they hold what a
 * later forgetting would miss. To be called by who is alone among the writers: nothing is under way
 * then.
 */
export async function sweep(folder: string, deep: boolean): Promise<void> {
  for (const path of await fs.readdir(folder, { recursive: deep }).catch(() => []))
    if (/^\..+\.\d+-\d+\.tmp$/.test(basename(path)))
      await fs.rm(join(folder, path), { force: true });
}

/**
 * Copies of a database that were not finished. They are made without the lock: only their age tells
 * that they will not be.
 */
export async function sweepDrafts(folder: string, olderThan: number): Promise<void> {
  for (const name of await fs.readdir(folder).catch(() => [])) {
    if (!name.endsWith(".db.tmp")) continue;
    const path = join(folder, name);
    const stat = await fs.lstat(path).catch(() => undefined);
    if (stat !== undefined && stat.mtimeMs < olderThan) await fs.rm(path, { force: true });
  }
}
