import { rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { AUTOMATIC, type Connection } from "./database.ts";
import {
  beginThread,
  endThread,
  hasThread,
  isWritingBack,
  writeBackApart,
  writtenBack,
} from "./checkpoint-thread.ts";

/** Pages in the log from which on the next write waits until the thread has written back: without a break in the writing the log is never begun anew. */
const CROWDED = 4_000;
/** Pages from which on the thread is begun in the next pause: that takes as long as a hundred writes, and they would be half as fast meanwhile. */
const EARLY = 100;
/** ms without a write that are a pause. */
const QUIET = 50;
/** Pages at which it is begun where there was no pause: by the time the log is crowded it is there. */
const LONG = 1_500;
/** The commit that finds so many writes back itself, where the thread is too slow. */
const NET = 8_000;
/** Bytes the file of the log keeps when a long transaction made it longer. */
const KEPT = 8_388_608;
/** ms and times to wait for another process that writes, writes back or reads the old log at this moment. */
const PAUSE = 25;
const TRIES = 200;

/** The write-ahead log of one connection, written back in another thread: on this one, each commit would wait for the disk. */
export interface Log {
  /** Runs a write. */
  written<T>(work: () => T | Promise<T>): T | Promise<T>;
  /** What was taken out must not live on in the log, which may be hours old. */
  emptied(): Promise<void>;
  /** Are the file and its log the ones that were opened, and is the log as long as its index says? */
  stands(): boolean;
  /** The files at its path belong to another database: what is left there of this one's log goes, or it would be read into that. */
  leave(): void;
  /** Closes the connection; afterwards no other of ours is open. */
  close(): void | Promise<void>;
}

const open = new Set<Connection>();

export function logOf(database: Connection, path: string): Log {
  if (database.memory) return inMemory(database);
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
    stands: () => filesOf(name) === files && !log.isCut(),
    leave() {
      log.wait();
      if (files.startsWith(`${fileAt(name)} `)) return;
      if (files.endsWith(` ${fileAt(`${name}-wal`)}`)) rmSync(`${name}-wal`);
      if (index === fileAt(`${name}-shm`)) rmSync(`${name}-shm`);
    },
    written: (work) =>
      log.isCrowded() && isWritingBack(name) ? writtenBack(name).then(() => run(work)) : run(work),
    emptied: () => emptied(database, name),
    close() {
      log.wait();
      const end = (): void | Promise<void> => {
        database.close();
        // What could not be used was closed by its opener.
        for (const one of open) if (!one.open) open.delete(one);
        if (open.size === 0 && hasThread()) return endThread();
      };
      if (hasThread()) log.ask();
      return isWritingBack(name) ? writtenBack(name).then(end) : end();
    },
  };
}

const inMemory = (database: Connection): Log => ({
  written: (work) => work(),
  emptied: async () => {},
  stands: () => true,
  leave: () => undefined,
  close: () => void database.close(),
});

/** What was written to the log, and when the thread is asked to write it back. */
function writtenLog(database: Connection, { name, files }: { name: string; files: string }) {
  const frame = (database.pragma("page_size", { simple: true }) as number) + 24;
  const count = database.prepare("pragma wal_checkpoint(noop)").raw();
  /** Bytes the log must have by what was last seen of it. */
  let least = 0;
  let [alone, crowded] = [false, false];
  let soon: NodeJS.Timeout | undefined;

  const goAlone = (): void => {
    [alone, crowded] = [true, false];
    if (database.open) database.pragma(`wal_autocheckpoint = ${AUTOMATIC}`);
  };
  const wait = (): void => {
    clearTimeout(soon);
    soon = undefined;
  };
  const ask = (): void => {
    wait();
    if (alone || !database.open) return;
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
      const rest = all - back;
      if (isWritingBack(name)) return;
      if (crowded || rest >= (hasThread() ? AUTOMATIC : LONG)) {
        ask();
        // A host that never pauses may never let a timer come.
        beginThread();
      } else if (rest >= EARLY && !hasThread())
        soon = soon?.refresh() ?? setTimeout(ask, QUIET).unref();
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
  return { look, ask, wait, isCut, isCrowded: () => crowded };
}

async function emptied(database: Connection, name: string): Promise<void> {
  for (let time = 0; time < TRIES; time += 1) {
    if (isWritingBack(name)) await writtenBack(name);
    const [{ busy }] = database.pragma("wal_checkpoint(TRUNCATE)") as [{ busy: number }];
    if (busy === 0) return;
    await new Promise((go) => setTimeout(go, PAUSE));
  }
}

/** Until no connection of ours but the open ones is at work on a database. */
export const atRest = (path: string): Promise<void> => writtenBack(resolve(path));

function fileAt(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return `${String(stat?.dev)}:${String(stat?.ino)}`;
}
const filesOf = (path: string): string => `${fileAt(path)} ${fileAt(`${path}-wal`)}`;
