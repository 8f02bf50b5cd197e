import Database from "better-sqlite3";
import { chmodSync, lstatSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { reasonOf, TidemarkError, type ErrorCode } from "../model/errors.ts";

export type Connection = Database.Database;

/** Migrations: a list one only appends to; each step and its record share one transaction. */
export type Steps = readonly (readonly [name: string, sql: string])[];

/**
 * Pages of the log from which on it is written back. Whoever does that waits for the disk: 2 MB, not SQLite's 4, which took up to
 * 40 ms on a busy one; with 1 MB, indexing turns took two thirds longer, since the same pages were written more often.
 */
export const AUTOMATIC = 500;

/** Opens a database file (or ":memory:"), readable by its owner only, and brings it to the newest step. */
export function openDatabase(path: string, steps: Steps, code: ErrorCode): Connection {
  return guarded(code, `${path} cannot be opened as a Tidemark database`, () => {
    if (path !== ":memory:") {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      for (const end of ["", "-wal", "-shm"]) refuseLink(path + end, code);
    }
    const database = new Database(path, { timeout: 5000 });
    try {
      if (path !== ":memory:") chmodSync(path, 0o600);
      database.pragma("journal_mode = WAL");
      database.pragma("synchronous = NORMAL");
      database.pragma("secure_delete = ON");
      database.pragma(`wal_autocheckpoint = ${AUTOMATIC}`);
      migrate(database, steps, { path, code });
    } catch (thrown) {
      database.close();
      throw thrown;
    }
    return database;
  });
}

/** A link would have its target written to and closed to others, wherever that is. */
function refuseLink(path: string, code: ErrorCode): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink() === true) throw new TidemarkError(code, `${path} is a link, and a database is not opened through one. Put the file itself there, or link the whole workspace folder.`);
  if (stat?.isDirectory() === true) throw new TidemarkError(code, `${path} is a folder, where a database belongs. Move the folder away; a new file is made at the next start.`);
}

function migrate(database: Connection, steps: Steps, at: { path: string; code: ErrorCode }): void {
  const run = database.transaction(() => {
    database.exec("create table if not exists migration (name text primary key, at integer not null default (unixepoch() * 1000)) without rowid");
    const done = new Set(database.prepare("select name from migration").pluck().all() as string[]);
    const known = new Set(steps.map(([name]) => name));
    const foreign = [...done].filter((name) => !known.has(name));
    if (foreign.length > 0)
      throw new TidemarkError(at.code, `${at.path} was written by a newer Tidemark (${foreign.join(", ")}); update the package, or open another workspace.`);
    for (const [name, sql] of steps) {
      if (done.has(name)) continue;
      database.exec(sql);
      database.prepare("insert into migration (name) values (?)").run(name);
    }
  });
  run.immediate();
}

/** Runs `work`; what the database throws leaves as a TidemarkError that says where. */
export function guarded<T>(code: ErrorCode, what: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof TidemarkError) throw thrown;
    throw new TidemarkError(code, `${what}: ${reasonOf(thrown)}.${remedy(thrown)}`, { cause: thrown });
  }
}

/** What cannot be used is not left open. */
export function orClosed<T>(database: Connection, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/** Runs `work`, and tells of a broken file before what it throws goes on. */
export function watched<T>(work: () => T, damaged?: (thrown: unknown) => void): T {
  try {
    return work();
  } catch (thrown) {
    if (isDamage(thrown)) damaged?.(thrown);
    throw thrown;
  }
}

/** What is stored is not what was written, which only we can see: a text that is not what its digest says. */
export class SilentDamage extends Error {
  readonly code = "SQLITE_CORRUPT";
  constructor(what = "a message is not what was written") {
    super(what);
  }
}

/** The file itself is broken: not of a newer version, not locked, not forbidden, which are for a person to settle. */
export function isDamage(thrown: unknown): boolean {
  const cause: unknown = thrown instanceof TidemarkError ? thrown.cause : thrown;
  const code: unknown = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  // What we wrote as JSON can be read as JSON.
  return cause instanceof SyntaxError || (typeof code === "string" && /^SQLITE_(?:NOTADB|CORRUPT)/.test(code));
}

/** What to do about it, where that is known. */
function remedy(thrown: unknown): string {
  const code: unknown = typeof thrown === "object" && thrown !== null && "code" in thrown ? thrown.code : undefined;
  switch (code) {
    case "ENOTDIR":
    case "EEXIST":
      return " A file stands where a folder is needed: move it away, or name another workspace.";
    case "ENOSPC":
    case "EDQUOT":
    case "SQLITE_FULL":
      return " The disk is full: free some space; what is there stays as it is.";
    case "ENOENT":
      return " The folder cannot be made there: check that what is above it exists and can be written to.";
    case "EROFS":
    case "EACCES":
    case "EPERM":
    case "SQLITE_READONLY":
    case "SQLITE_READONLY_DBMOVED":
    case "SQLITE_READONLY_DIRECTORY":
    case "SQLITE_CANTOPEN":
    case "SQLITE_PERM":
      return " It cannot be written to: check who owns the folder and whether the disk is read-only, or name another workspace.";
    case "SQLITE_BUSY":
      return " Another process keeps it locked: look whether one hangs, end it, and try again.";
    case "SQLITE_NOTADB":
    case "SQLITE_CORRUPT":
      return ' The file is damaged or not a database. Nothing was overwritten: "tidemark doctor" says what can be read of it.';
    default:
      return "";
  }
}
