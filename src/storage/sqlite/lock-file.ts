import { Database } from "../../core/installed.ts";

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
