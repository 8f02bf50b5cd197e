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
  return {
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
    /** The log may be hours old, and must not hold on to rows that were taken out. */
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
