import { Database } from "../../model/installed.ts";
import { existsSync } from "node:fs";
import { isBusy } from "./database.ts";

/** What is free in a file is used again by itself; from this share and so many bytes on, the disk has it back. */
const SHARE = 0.2;
const LEAST = 1_000_000;

/** Gives back to the disk what was taken out of a database. Answers the bytes; 0 where it is not worth it, or not the moment. */
export function shrink(path: string): number {
  if (!existsSync(path)) return 0;
  const database = new Database(path, { fileMustExist: true, timeout: 0 });
  const ask = (pragma: string): number => database.pragma(pragma, { simple: true }) as number;
  try {
    const [free, pages, size] = [ask("freelist_count"), ask("page_count"), ask("page_size")];
    if (free * size < LEAST || free < pages * SHARE) return 0;
    database.exec("vacuum");
    database.pragma("wal_checkpoint(TRUNCATE)");
    return (pages - ask("page_count")) * size;
  } catch (thrown) {
    // A process at work, or no room for the copy it is made from, is no trouble: it can be done another day.
    if (isBusy(thrown) || isFull(thrown)) return 0;
    throw thrown;
  } finally {
    database.close();
  }
}

const isFull = (thrown: unknown): boolean =>
  thrown instanceof Database.SqliteError && thrown.code.startsWith("SQLITE_FULL");
