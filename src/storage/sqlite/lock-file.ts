import { type Connection, Database, type Statement } from "../../core/installed.ts";

/** A file that is locked as a database is, and never written to. */
export function lockFile(path: string) {
  const database = new Database(path, { timeout: 0 });
  const rollback = database.prepare("rollback");
  let begin: Statement | undefined;
  return {
    /** Throws where another process has it. */
    take: (): unknown => (begin ??= beginning(database)).run(),
    isTaken: (): boolean => database.inTransaction,
    letGo(): void {
      if (database.inTransaction) rollback.run();
    },
    close: (): unknown => database.close(),
  };
}

/**
 * Nothing is ever written, so no journal is needed for it: making that file and taking it away
 * takes longer than the lock.
 */
function beginning(database: Connection): Statement {
  database.pragma("journal_mode = memory");
  return database.prepare("begin immediate");
}
