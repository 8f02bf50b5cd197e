import { closeSync, fdatasync, openSync, rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { sharing } from "../../core/base.ts";
import { Database } from "../../core/installed.ts";
import type { Trouble } from "../methods.ts";
import type { Unit } from "../port.ts";
import { codeOf, type Connection, explained, isBusy, isDamage } from "./database-file.ts";
import type { Sql } from "./sql.ts";

/** ms between two tries: the longer one waits, the rarer. */
const [FIRST, LAST] = [1, 25];
/**
 * Tries, five seconds in all; fewer where another has just waited in vain, or each caller would add
 * its five to the last one's.
 */
const [MOST, FEW] = [205, 10];

const pauseFor = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
type Patiently = <T>(work: () => T | Promise<T>) => Promise<T>;

/**
 * Tries again what another process's lock refuses. SQLite would wait for it on the spot, and
 * everything else in this process with it; here the event loop turns in between. What is tried must
 * have changed nothing where it was refused.
 */
export function patience(pause = pauseFor, most = MOST): Patiently {
  let inVain = false;
  return async (work) => {
    for (let [tries, ms] = [1, FIRST]; ; [tries, ms] = [tries + 1, Math.min(LAST, ms * 2)]) {
      try {
        const done = await work();
        inVain = false;
        return done;
      } catch (thrown) {
        if (!isBusy(thrown)) throw thrown;
        if (tries >= (inVain ? FEW : most)) {
          inVain = true;
          throw thrown;
        }
      }
      await pause(ms);
    }
  };
}

export const patiently: Patiently = (work) => patience()(work);

/** Runs a piece of work; its trouble is told. */
export type AskDatabase = <T>(work: () => T | Promise<T>) => Promise<T>;

/** A rejected promise, not a throw: ports are asynchronous for callers even where SQLite is not. */
export function asking({ damaged }: { damaged?: ((thrown: unknown) => void) | undefined }) {
  const trying = patience();
  return async <T>([code, what]: Trouble, work: () => T | Promise<T>): Promise<T> => {
    try {
      return await trying(work);
    } catch (thrown) {
      const failed = explained(code, what, thrown);
      if (isDamage(failed)) damaged?.(failed);
      throw failed;
    }
  };
}

/** Methods of a port as a table answers them, at once or in time. */
export type Answering<Port, Names extends keyof Port> = {
  readonly [Name in Names]: Port[Name] extends (...given: infer Given) => Promise<infer Answer>
    ? (...given: Given) => Answer | Promise<Answer>
    : never;
};

/** Commits after which the log is written back, and ms by which that is behind the last of them. */
const [OFTEN, BEHIND] = [50, 100];

/** `synced`: has the disk hold the log before, so that writing it back holds nothing up. */
function writingBack(database: Connection, synced: () => Promise<void>): () => void {
  let commits = 0;
  async function write(): Promise<void> {
    commits = 0;
    try {
      await synced();
      database.pragma("wal_checkpoint(PASSIVE)");
      // The commit that begins the log anew syncs its head: it is this one, which says nothing.
      database.pragma("user_version = 0");
    } catch {
      // What another process holds, or the disk refuses, is written back later, or at the close.
    }
  }
  return () => {
    commits += 1;
    if (commits === OFTEN) setTimeout(write, BEHIND).unref();
  };
}

/** Has the disk hold what was written to an open file; in the pool of threads. */
export type Sync = (file: number) => Promise<void>;

/**
 * The write-ahead log of one connection. It is written back where nothing is written; SQLite
 * does it by itself where the log grows on (`wal_autocheckpoint`), and at the close.
 */
export function logOf(database: Connection, path: string, sync: Sync = promisify(fdatasync)) {
  const name = resolve(path);
  const [file, log, index] = [watched(name), watched(`${name}-wal`), watched(`${name}-shm`)];
  let failed: unknown;

  /** The log may be hours old, and must not hold on to rows that were taken out. */
  const emptied = (): Promise<void> =>
    patiently(() => {
      const [{ busy }] = database.pragma("wal_checkpoint(TRUNCATE)") as [{ busy: number }];
      // Another process writes, or reads the old log, at this moment.
      if (busy !== 0) throw Object.assign(new Error("the log is in use"), { code: "SQLITE_BUSY" });
    });

  async function synced(): Promise<void> {
    // A sync after one that failed may succeed and have left out what that one was to write: only
    // the log's way into the database makes sure.
    if (failed !== undefined)
      await emptied().catch(() => {
        throw failed;
      });
    failed = undefined;
    let opened: number | undefined;
    try {
      // Opened anew each time, so it is the one that stands there; SQLite has no locks on it that
      // closing it would let go of.
      opened = openSync(log.path, "r+");
      await sync(opened);
    } catch (thrown) {
      // It goes when the database is closed, which writes it back; one in memory has none.
      if (codeOf(thrown) === "ENOENT") return;
      failed = thrown;
      throw thrown;
    } finally {
      if (opened !== undefined) closeSync(opened);
    }
  }

  const toDisk = sharing(synced);
  return {
    /**
     * Resolves when every commit of before survives a power cut, as after `synchronous = FULL`, but
     * without holding the event loop. A commit that was written back meanwhile does so already:
     * SQLite syncs the log, then the database, before it begins the log anew.
     */
    synced: toDisk,
    /** Throws where the file or its log is another than the one that was opened. */
    checkPlace(): void {
      if (!file.isOurs() || !log.isOurs())
        throw new Error(
          "the file was removed or replaced while it was open, and no word is written to it any " +
            "more. End what uses the workspace, then start again: conversations go on with their " +
            "next request",
        );
    },
    /**
     * Before the close. Where the file at its path is another database's, what is left there of
     * this one's log goes, or it would be read into that.
     */
    leave(): void {
      if (file.isOurs()) return;
      for (const side of [log, index]) if (side.isOurs()) rmSync(side.path, { force: true });
    },
    emptied,
    /** Behind each commit: so none waits for the disk to take in those before it. */
    grew: writingBack(database, toDisk),
  };
}

export type Log = ReturnType<typeof logOf>;

/** A file, and whether the one at its path is still the one that was there. */
function watched(path: string) {
  const look = (): string => {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return `${String(stat?.dev)}:${String(stat?.ino)}`;
  };
  const was = look();
  return { path, isOurs: () => look() === was };
}

/** Something is no longer what the unit was made on; leaves the transaction, never the store. */
class Overtaken extends Error {}

/** Each carries out its part of a unit; false where it was made on what is no longer so. */
export type Parts = {
  readonly [Name in keyof Unit]-?: (given: NonNullable<Unit[Name]>, unit: Unit) => unknown;
};

/** Carries out a unit as one transaction, its parts in the order in which they are given here. */
export function committer({ inOne }: Sql, parts: Parts): (unit: Unit) => boolean {
  const isDone = (name: keyof Unit, unit: Unit): boolean => {
    const part: (given: never, unit: Unit) => unknown = parts[name];
    return unit[name] === undefined || part(unit[name] as never, unit) !== false;
  };
  const carryOut = inOne((unit: Unit): void => {
    for (const name of Object.keys(parts) as (keyof Unit)[])
      if (!isDone(name, unit)) throw new Overtaken();
  });
  return (unit) => {
    try {
      carryOut(unit);
      return true;
    } catch (thrown) {
      if (thrown instanceof Overtaken) return false;
      throw thrown;
    }
  };
}

export type LockFile = ReturnType<typeof lockFile>;

/** A file that is locked as a database is, and never written to. */
export function lockFile(path: string) {
  const database = new Database(path, { timeout: 0 });
  return {
    /** Throws where another process has it. */
    take(): void {
      // No journal is needed: making that file and taking it away takes longer than the lock.
      database.pragma("journal_mode = memory");
      database.prepare("begin immediate").run();
    },
    close: (): unknown => database.close(),
  };
}
