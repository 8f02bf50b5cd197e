import Database from "better-sqlite3";
import { reasonOf } from "../model/errors.ts";

/** What SQLite finds wrong with a database file; nothing for a sound one. Opens it for reading only, and changes nothing. */
export function integrityOf(path: string): string[] {
  try {
    const database = new Database(path, { readonly: true, fileMustExist: true, timeout: 5000 });
    try {
      const found = database.pragma("integrity_check", { simple: false }) as { integrity_check: string }[];
      return found.map((row) => row.integrity_check).filter((line) => line !== "ok");
    } finally {
      database.close();
    }
  } catch (thrown) {
    return [reasonOf(thrown)];
  }
}
