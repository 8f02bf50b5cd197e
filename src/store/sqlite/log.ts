import { closeSync, fdatasync, openSync, rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { sharing } from "../../base/async.ts";
import { codeOf, type Connection } from "./database.ts";

/** ms and times to wait for another process that writes, or reads the old log, at this moment. */
const PAUSE = 25;
const TRIES = 200;

/** Has the disk hold what was written to an open file; in the pool of threads. */
export type Sync = (file: number) => Promise<void>;

/**
 * The write-ahead log of one connection. SQLite writes it back by itself: `wal_autocheckpoint`, and
 * at the close.
 */
export function logOf(database: Connection, path: string, sync: Sync = promisify(fdatasync)) {
  const name = resolve(path);
  const files = filesOf(name);
  const index = fileAt(`${name}-shm`);
  let failed: unknown;

  /** The log may be hours old, and must not hold on to rows that were taken out. */
  async function emptied(): Promise<boolean> {
    for (let time = 0; time < TRIES; time += 1) {
      const [{ busy }] = database.pragma("wal_checkpoint(TRUNCATE)") as [{ busy: number }];
      if (busy === 0) return true;
      await new Promise((go) => setTimeout(go, PAUSE));
    }
    return false;
  }

  async function synced(): Promise<void> {
    // A sync after one that failed may succeed and have left out what that one was to write: only
    // the log's way into the database makes sure.
    if (failed !== undefined && !(await emptied().catch(() => false))) throw failed;
    failed = undefined;
    let file: number | undefined;
    try {
      // Opened anew each time, so it is the one that stands there; SQLite has no locks on it that
      // closing it would let go of.
      file = openSync(`${name}-wal`, "r+");
      await sync(file);
    } catch (thrown) {
      // It goes when the database is closed, which writes it back.
      if (codeOf(thrown) === "ENOENT") return;
      failed = thrown;
      throw thrown;
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }

  return {
    /**
     * Resolves when every commit of before survives a power cut, as after `synchronous = FULL`, but
     * without holding the event loop. A commit that was written back meanwhile does so already:
     * SQLite syncs the log, then the database, before it begins the log anew.
     */
    synced: database.memory ? async (): Promise<void> => undefined : sharing(synced),
    /** The file and its log are still the ones that were opened. */
    stands: () => filesOf(name) === files,
    /**
     * The files at its path belong to another database: what is left there of this one's log goes,
     * or it would be read into that.
     */
    leave(): void {
      if (files.startsWith(`${fileAt(name)} `)) return;
      if (files.endsWith(` ${fileAt(`${name}-wal`)}`)) rmSync(`${name}-wal`);
      if (index === fileAt(`${name}-shm`)) rmSync(`${name}-shm`);
    },
    emptied,
  };
}

export type Log = ReturnType<typeof logOf>;

function fileAt(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return `${String(stat?.dev)}:${String(stat?.ino)}`;
}
const filesOf = (path: string): string => `${fileAt(path)} ${fileAt(`${path}-wal`)}`;
