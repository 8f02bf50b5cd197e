import Database from "better-sqlite3";
import { chmodSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { reasonOf, TidemarkError, type ErrorCode } from "../model/errors.ts";

export type Connection = Database.Database;

/** Migrations: a list one only appends to; each step and its record share one transaction. */
export type Steps = readonly (readonly [name: string, sql: string])[];

/** Opens a database file (or ":memory:"), readable by its owner only, and brings it to the newest step. */
export function openDatabase(path: string, steps: Steps, code: ErrorCode): Connection {
  return guarded(code, `${path} cannot be opened as a Tidemark database`, () => {
    if (path !== ":memory:") mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const database = new Database(path, { timeout: 5000 });
    try {
      if (path !== ":memory:") chmodSync(path, 0o600);
      database.pragma("journal_mode = WAL");
      database.pragma("synchronous = NORMAL");
      database.pragma("secure_delete = ON");
      // Whoever commits when the log is full writes it back and waits for the disk: 2 MB, not SQLite's 4, which took up to 40 ms
      // on a busy disk; with 1 MB, indexing turns took two thirds longer, since the same pages were written more often.
      database.pragma("wal_autocheckpoint = 500");
      migrate(database, steps, { path, code });
    } catch (thrown) {
      database.close();
      throw thrown;
    }
    return database;
  });
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

/** The file itself is broken: not of a newer version, not locked, not forbidden, which are for a person to settle. */
export function isDamage(thrown: unknown): boolean {
  const cause: unknown = thrown instanceof TidemarkError ? thrown.cause : thrown;
  const code: unknown = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
  return typeof code === "string" && /^SQLITE_(?:NOTADB|CORRUPT)/.test(code);
}

/** What to do about it, where that is known. */
function remedy(thrown: unknown): string {
  const code: unknown = typeof thrown === "object" && thrown !== null && "code" in thrown ? thrown.code : undefined;
  switch (code) {
    case "ENOTDIR":
    case "EEXIST":
      return " A file stands where a folder is needed: move it away, or name another workspace.";
    case "SQLITE_NOTADB":
    case "SQLITE_CORRUPT":
      return " The file is damaged or not a database: move it away and keep it; a new one is made at the next start.";
    default:
      return "";
  }
}
