import { type Connection, Database } from "../../model/installed.ts";
import { reasonOf, TidemarkError } from "../../model/errors.ts";
import { asked, codeOf, isBusy, isDamage, valuesOf, valueOf } from "../sqlite/database.ts";

/** SQLite's whole check of a file, which finds nothing in a sound one. It changes nothing. */
export function integrityOf(path: string): string[] {
  try {
    return asked(path, (database) =>
      valuesOf<string>(database, "pragma integrity_check").filter((line) => line !== "ok"),
    );
  } catch (thrown) {
    return [reasonOf(thrown)];
  }
}

/** The reason a file does not open, where it is broken: not what a person has to settle. */
export function brokenBy(thrown: unknown): string | undefined {
  // A table or a column may be gone though its migration is noted.
  const known = /^SQLITE_(?:ERROR|CONSTRAINT|MISMATCH|FORMAT|IOERR_SHORT_READ)/;
  if (!isDamage(thrown) && !known.test(codeOf(thrown))) return undefined;
  return reasonOf(thrown instanceof TidemarkError ? (thrown.cause ?? thrown) : thrown);
}

/**
 * Has another process this database open? Of a file without a header that cannot be told: then no.
 */
export function isInUse(path: string): boolean {
  let database: Connection | undefined;
  try {
    database = new Database(path, { fileMustExist: true, timeout: 0 });
    // A reader in WAL mode holds a share of the file as long as it is open.
    database.pragma("locking_mode = exclusive");
    database.exec("begin exclusive; rollback");
    return false;
  } catch (thrown) {
    return isBusy(thrown);
  } finally {
    database?.close();
  }
}

/** The last row of the history that the search index has read; 0 where that cannot be told. */
export function cursorIn(indexPath: string): number {
  try {
    const sql = "select coalesce(max(row), 0) from cursor where name = 'history'";
    return asked(indexPath, (database) => valueOf<number>(database, sql));
  } catch {
    return 0;
  }
}
