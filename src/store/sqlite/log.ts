import { rmSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Connection } from "./database.ts";

/** ms and times to wait for another process that writes, or reads the old log, at this moment. */
const PAUSE = 25;
const TRIES = 200;

/**
 * The write-ahead log of one connection. SQLite writes it back by itself: `wal_autocheckpoint`, and
 * at the close.
 */
export function logOf(database: Connection, path: string) {
  const name = resolve(path);
  const files = filesOf(name);
  const index = fileAt(`${name}-shm`);
  const size = (): number => statSync(`${name}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const frame = (database.pragma("page_size", { simple: true }) as number) + 24;
  const count = database.prepare("pragma wal_checkpoint(noop)").raw();
  const frames = (): number => (count.get() as number[])[1] ?? 0;
  /** Bytes the log must have by what was last seen of it. */
  let least = 0;
  const look = (): void => {
    if (database.memory || !database.open) return;
    try {
      least = frames() * frame;
    } catch {
      // In the middle of other work it cannot be told: the next write looks again.
    }
  };
  /**
   * Another process may have begun the log anew since it was last seen, or between the two looks.
   */
  const isCut = (): boolean => {
    if (size() >= least) return false;
    const all = frames();
    least = all * frame;
    return size() < least && frames() === all;
  };
  return {
    /**
     * Are the file and its log the ones that were opened, and is the log as long as its index says?
     */
    stands: () => filesOf(name) === files && !isCut(),
    /**
     * The files at its path belong to another database: what is left there of this one's log goes,
     * or it would be read into that.
     */
    leave(): void {
      if (files.startsWith(`${fileAt(name)} `)) return;
      if (files.endsWith(` ${fileAt(`${name}-wal`)}`)) rmSync(`${name}-wal`);
      if (index === fileAt(`${name}-shm`)) rmSync(`${name}-shm`);
    },
    /** Runs a write. */
    written<T>(work: () => T | Promise<T>): T | Promise<T> {
      const made = work();
      if (made instanceof Promise) return (made as Promise<T>).finally(look);
      look();
      return made;
    },
    /** What was taken out must not live on in the log, which may be hours old. */
    async emptied(): Promise<void> {
      for (let time = 0; time < TRIES; time += 1) {
        const [{ busy }] = database.pragma("wal_checkpoint(TRUNCATE)") as [{ busy: number }];
        if (busy === 0) return;
        await new Promise((go) => setTimeout(go, PAUSE));
      }
    },
  };
}

export type Log = ReturnType<typeof logOf>;

function fileAt(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return `${String(stat?.dev)}:${String(stat?.ino)}`;
}
const filesOf = (path: string): string => `${fileAt(path)} ${fileAt(`${path}-wal`)}`;
