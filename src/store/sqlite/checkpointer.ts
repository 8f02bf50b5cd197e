import { rmSync, statSync } from "node:fs";
import { open as openFile } from "node:fs/promises";
import { resolve } from "node:path";
import { Worker } from "node:worker_threads";
import { threadFile } from "../../model/installed.ts";
import { AUTOMATIC, type Connection } from "./database.ts";

/** Pages in the log from which on the next write waits until the thread has written back: without a break in the writing the log is never begun anew. */
const CROWDED = 4_000;
/** The commit that finds so many writes back itself, where the thread is too slow. */
const NET = 8_000;
/** Bytes the file of the log keeps when a long transaction made it longer. */
const KEPT = 8_388_608;
/** ms and times to wait for another process that writes, writes back or reads the old log at this moment. */
const PAUSE = 25;
const TRIES = 200;

/** One for all databases of a process, begun when the first of them has a long log. */
let thread: Worker | undefined;
/** A thread that could not be begun, or died, is not tried again. */
let refused = false;
let waiting = 0;
const asked = new Map<string, PromiseWithResolvers<boolean>>();
const open = new Set<Connection>();

function answer(path: string, helped: boolean): void {
  const one = asked.get(path);
  asked.delete(path);
  one?.resolve(helped);
}

function begin(): Worker | undefined {
  try {
    const made = new Worker(threadFile("store/sqlite/checkpoint-worker"), {
      name: "tidemark",
      execArgv: [],
    });
    made.on("message", (told: { path: string; helped: boolean }) => answer(told.path, told.helped));
    const lost = (): void => {
      if (thread !== made) return;
      [thread, refused] = [undefined, true];
      for (const path of asked.keys()) answer(path, false);
    };
    made.on("error", lost).on("exit", lost);
    // Behind the listeners: one for messages holds the process once more.
    made.unref();
    return made;
  } catch {
    refused = true;
    return undefined;
  }
}

/** Has the log of a database written back by the thread. False: that is not possible. One question a path at a time. */
function writeBackApart(path: string): Promise<boolean> {
  const one = Promise.withResolvers<boolean>();
  asked.set(path, one);
  thread ??= refused ? undefined : begin();
  if (thread === undefined) answer(path, false);
  else thread.postMessage(path);
  return one.promise;
}

export const isWritingBack = (path: string): boolean => asked.has(path);

/** Until nothing is under way for this path. Only a waiter keeps the process alive. */
export async function writtenBack(path: string): Promise<void> {
  waiting += 1;
  thread?.ref();
  try {
    for (let one = asked.get(path); one !== undefined; one = asked.get(path)) await one.promise;
  } finally {
    waiting -= 1;
    if (waiting === 0) thread?.unref();
  }
}

/** Until no connection of ours but the open ones is at work on a database. */
export const atRest = (path: string): Promise<void> => writtenBack(resolve(path));

/** The write-ahead log of one connection, written back in another thread: on this one, each commit would wait for the disk. */
export function logOf(database: Connection, path: string) {
  const name = resolve(path);
  const files = filesOf(name);
  const index = fileAt(`${name}-shm`);
  open.add(database);
  database.pragma(`wal_autocheckpoint = ${NET}`);
  database.pragma(`journal_size_limit = ${KEPT}`);
  const log = writtenLog(database, { name, files });
  const run = <T>(work: () => T | Promise<T>): T | Promise<T> => {
    const made = work();
    if (made instanceof Promise) return (made as Promise<T>).finally(log.look);
    log.look();
    return made;
  };
  return {
    /** Are the file and its log the ones that were opened, and is the log as long as its index says? */
    stands: () => filesOf(name) === files && !log.isCut(),
    /** The files at its path belong to another database: what is left there of this one's log goes, or it would be read into that. */
    leave(): void {
      if (files.startsWith(`${fileAt(name)} `)) return;
      if (files.endsWith(` ${fileAt(`${name}-wal`)}`)) rmSync(`${name}-wal`);
      if (index === fileAt(`${name}-shm`)) rmSync(`${name}-shm`);
    },
    /** Runs a write. */
    written: <T>(work: () => T | Promise<T>): T | Promise<T> =>
      log.isCrowded() && isWritingBack(name) ? writtenBack(name).then(() => run(work)) : run(work),
    /** What was taken out must not live on in the log, which may be hours old. */
    emptied: () => emptied(database, name),
    /** Closes the connection; afterwards no other of ours is open. */
    async close(): Promise<void> {
      if (thread !== undefined) log.ask();
      if (isWritingBack(name)) await writtenBack(name);
      database.close();
      // What could not be used was closed by its opener.
      for (const one of open) if (!one.open) open.delete(one);
      if (open.size > 0) return;
      const ended = thread;
      thread = undefined;
      await ended?.terminate();
    },
  };
}

export type Log = ReturnType<typeof logOf>;

/** What was written to the log, and when the thread is asked to write it back. */
function writtenLog(database: Connection, { name, files }: { name: string; files: string }) {
  const frame = (database.pragma("page_size", { simple: true }) as number) + 24;
  const count = database.prepare("pragma wal_checkpoint(noop)").raw();
  /** Bytes the log must have by what was last seen of it. */
  let least = 0;
  // Of one in memory there is nothing to write back.
  let [alone, crowded] = [database.memory, false];

  const goAlone = (): void => {
    [alone, crowded] = [true, false];
    if (database.open) database.pragma(`wal_autocheckpoint = ${AUTOMATIC}`);
  };
  const ask = (): void => {
    if (alone || !database.open || isWritingBack(name)) return;
    // By its name the thread would open what took the place of a file, and its log for the other's.
    if (filesOf(name) !== files) return goAlone();
    void writeBackApart(name).then((helped) => {
      crowded = false;
      if (!helped) goAlone();
    });
  };
  const look = (): void => {
    if (alone || !database.open) return;
    try {
      const [, all = 0, back = 0] = count.get() as number[];
      crowded = all >= CROWDED && back < all;
      least = all * frame;
      if (all - back >= AUTOMATIC) ask();
    } catch {
      // In the middle of other work it cannot be told. What was written is written: the next write looks again.
    }
  };
  /** Another process may have begun the log anew since it was last seen, or between the two looks. */
  const isCut = (): boolean => {
    const size = (): number => statSync(`${name}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (size() >= least) return false;
    const frames = (): number => (count.get() as number[])[1] ?? 0;
    const all = frames();
    least = all * frame;
    return size() < least && frames() === all;
  };
  return { look, ask, isCut, isCrowded: () => crowded };
}

async function emptied(database: Connection, name: string): Promise<void> {
  for (let time = 0; time < TRIES; time += 1) {
    if (isWritingBack(name)) await writtenBack(name);
    const [{ busy }] = database.pragma("wal_checkpoint(TRUNCATE)") as [{ busy: number }];
    if (busy === 0) return;
    await new Promise((go) => setTimeout(go, PAUSE));
  }
}

function fileAt(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return `${String(stat?.dev)}:${String(stat?.ino)}`;
}
const filesOf = (path: string): string => `${fileAt(path)} ${fileAt(`${path}-wal`)}`;

/**
 * Has a database's log reach the disk in the pool of threads. For what is not lost with the power, only done again: a disk
 * that takes ten milliseconds would take them from the turn that folds.
 */
export function syncBehind(path: string) {
  let running: Promise<void> = Promise.resolve();
  const sync = async (): Promise<void> => {
    // Windows flushes only what may be written to.
    const log = await openFile(`${path}-wal`, "r+");
    await log.sync().finally(() => log.close());
  };
  return {
    /** What was written so far is on disk soon. Where it fails, or the log was just written back, the next commit that waits for the disk takes along what is left. */
    begin: (): void => void (running = running.then(sync).catch(() => undefined)),
    /** Until it is. */
    ended: (): Promise<void> => running,
  };
}
