import { isTidemarkError, reasonOf, TidemarkError } from "../../model/errors.ts";
import { connect } from "../sqlite/connect.ts";
import {
  asked,
  codeOf,
  type Connection,
  type DatabaseAt,
  isBusy,
  isDamage,
  valuesOf,
} from "../sqlite/database.ts";

/**
 * SQLite's whole check of a file, which finds nothing in a sound one. It changes nothing. Throws
 * where the key does not fit.
 */
export function integrityOf(at: DatabaseAt): string[] {
  try {
    return asked(at, (database) =>
      valuesOf<string>(database, "pragma integrity_check").filter((line) => line !== "ok"),
    );
  } catch (thrown) {
    if (isTidemarkError(thrown)) throw thrown;
    return [reasonOf(thrown)];
  }
}

/** No damage is seen, and the key fits. */
export function isSound(at: DatabaseAt): boolean {
  try {
    return integrityOf(at).length === 0;
  } catch {
    return false;
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
export function isInUse(at: DatabaseAt): boolean {
  let database: Connection | undefined;
  try {
    database = connect(at, { fileMustExist: true, timeout: 0 });
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
