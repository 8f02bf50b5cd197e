import { type Connection, Database } from "../../model/installed.ts";
import { closeSync, lstatSync, openSync, readSync, statSync } from "node:fs";
import { reasonOf, TidemarkError } from "../../model/errors.ts";
import { asked, codeOf, isBusy, isDamage, valuesOf } from "../sqlite/database.ts";

/** What SQLite finds wrong with a database file; nothing for a sound one. Opens it for reading only, and changes nothing. */
export function integrityOf(path: string): string[] {
  try {
    return asked(path, (database) =>
      valuesOf<string>(database, "pragma integrity_check").filter((line) => line !== "ok"),
    );
  } catch (thrown) {
    return [reasonOf(thrown)];
  }
}

/** Is the file shorter than it says? Told from its first hundred bytes; SQLite itself notices when it reads a page that is gone. */
export function cutShort(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  const size = stat?.isFile() === true ? stat.size : 0;
  // Beside a log the file may be on its way to its new length.
  if (size === 0 || (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    return undefined;
  const head = Buffer.alloc(100);
  try {
    const file = openSync(path, "r");
    try {
      if (readSync(file, head, 0, 100, 0) < 100) return `it ends after ${size} bytes`;
    } finally {
      closeSync(file);
    }
  } catch {
    // Missing rights are told where it is opened.
    return undefined;
  }
  const page = head.readUInt16BE(16) === 1 ? 65_536 : head.readUInt16BE(16);
  const told = page * head.readUInt32BE(28);
  return head.toString("latin1", 0, 15) === "SQLite format 3" && told > size
    ? `it has ${size} bytes of ${told}`
    : undefined;
}

/** Why a file could not be opened, where the reason is that it is broken; nothing for what a person has to settle. */
export function brokenBy(path: string, thrown: unknown): string | undefined {
  // A table or a column that is not there though its migration is, or an unknown name of a migration.
  if (
    isDamage(thrown) ||
    /^SQLITE_(?:ERROR|CONSTRAINT|MISMATCH|FORMAT|IOERR_SHORT_READ)/.test(codeOf(thrown))
  )
    return reasonOf(thrown instanceof TidemarkError ? (thrown.cause ?? thrown) : thrown);
  if (thrown instanceof TidemarkError && thrown.message.includes("was written by a newer Tidemark"))
    return (
      integrityOf(path)[0] ??
      (lacksFirstStep(path) ? "its list of migrations is not what any version writes" : undefined)
    );
  return undefined;
}

/** A newer version has all the steps of this one and more. */
function lacksFirstStep(path: string): boolean {
  try {
    const names = asked(path, (database) => valuesOf(database, "select name from migration"));
    return !names.includes("001-history") && !names.includes("001-memory");
  } catch {
    return true;
  }
}

/** Has another process this database open? Of a file without a header that cannot be told: then no. */
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
