import { type Connection, Database } from "../../model/installed.ts";
import { closeSync, lstatSync, openSync, readSync, statSync } from "node:fs";
import { reasonOf, TidemarkError } from "../../model/errors.ts";
import type { Owners } from "./salvage-settle.ts";
import { asked, codeOf, isBusy, isDamage, valuesOf, valueOf } from "../sqlite/database.ts";

/**
 * What SQLite finds wrong with a database file; nothing for a sound one. Opens it for reading only,
 * and changes nothing.
 */
export function integrityOf(path: string): string[] {
  try {
    return asked(path, (database) =>
      valuesOf<string>(database, "pragma integrity_check").filter((line) => line !== "ok"),
    );
  } catch (thrown) {
    return [reasonOf(thrown)];
  }
}

/**
 * Is the file shorter than it says? Told from its first hundred bytes; SQLite itself notices when
 * it reads a page that is gone.
 */
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

/**
 * Why a file could not be opened, where the reason is that it is broken; nothing for what a person
 * has to settle.
 */
export function brokenBy(path: string, thrown: unknown): string | undefined {
  // A table or a column that is not there though its migration is, or an unknown name of a
  // migration.
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

/** How many of each thing an index.db holds, side by side. */
interface Parity {
  /** Values with words, current and past, and those the term index knows. */
  readonly values: number;
  readonly indexed: number;
  readonly current: number;
  /** Vectors of current values; null while no embedder was ever used. */
  readonly vectors: number | null;
  /** Rows whose memory or conversation is gone. */
  readonly orphans: number;
}

/** Reads a sound index.db and changes nothing. */
export const parityOf = (path: string): Parity =>
  asked(path, (database) => {
    database.exec(
      "create virtual table temp.terms_of using fts5vocab(main, memory_index, instance)",
    );
    return database
      .prepare(
        `with model as (select number from vector_model where current = 1),
           known as materialized (select distinct doc, doc in (select row from memory) as held from temp.terms_of)
         select (select count(*) from memory where terms <> '') as "values", (select count(*) from known where held) as indexed,
           (select count(*) from memory where valid_to is null) as current,
           (select count(v.row) from model left join (select v.row, v.model from vector v join memory m on m.row = v.row where m.valid_to is null) v
             on v.model = model.number group by model.number) as vectors,
           (select count(*) from known where not held) + (select count(*) from vector where row not in (select row from memory))
             + (select count(*) from turn where stretch not in (select number from stretch))
             + (select count(*) from turn_place where word not in (select number from turn_word)) as orphans`,
      )
      .get() as Parity;
  });

/** Distillings of a sound history.db that wait to be done again. */
export const waitingIn = (path: string): number =>
  asked(
    path,
    (database) =>
      database
        .prepare("select count(*) from job where id not like 'rest:%'")
        .pluck()
        .get() as number,
  );

/**
 * What the search index knows of the history beside it: whose a conversation is, and how far it has
 * been read.
 */
export function knownOfHistory(indexPath: string): { owners: Owners; cursor: number } {
  try {
    return asked(indexPath, (database) => ({
      owners: database
        .prepare(
          "select distinct s.session, r.name from stretch s join root r on r.number = s.root",
        )
        .raw()
        .all() as [string, string][],
      cursor: valueOf(database, "select coalesce(max(row), 0) from cursor where name = 'history'"),
    }));
  } catch {
    // It may be as damaged as what it is asked about.
    return { owners: [], cursor: 0 };
  }
}
