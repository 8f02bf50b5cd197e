import { chmodSync, lstatSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { makeFolders, PRIVATE, remembering } from "../../core/base.ts";
import { type ErrorCode, reasonOf, TidemarkError } from "../../core/errors-and-events.ts";
import type { Connection, Statement } from "../../core/installed.ts";
import { connect, type DatabaseAt } from "./connect.ts";

export type { Connection, DatabaseAt };

/** Migrations: a list one only appends to; each step and its record share one transaction. */
export type Steps = readonly (readonly [name: string, sql: string])[];

/**
 * Pages of the log from which on it is written back. The commit that does that waits for the disk:
 * 2 MB, not SQLite's 4, which took up to 40 ms on a busy one; with 1 MB, indexing turns took two
 * thirds longer, since the same pages were written more often.
 */
const AUTOMATIC = 500;
/** Bytes the file of the log keeps when a long transaction made it longer. */
const LOG_KEPT = 8_388_608;

/**
 * Opens a database file (or ":memory:"), readable by its owner only, and brings it to the newest
 * step. No call of the connection waits for another process: what that refuses throws, and
 * `patiently` tries it again.
 */
export function openDatabase(at: DatabaseAt, steps: Steps, code: ErrorCode): Connection {
  const { path } = at;
  return guarded(code, `${path} cannot be opened as a Tidemark database`, () => {
    if (path !== ":memory:") {
      refuseLink(dirname(path), code);
      makeFolders(dirname(path), PRIVATE);
      for (const end of ["", "-wal", "-shm"]) refuseOther(path + end, code);
    }
    const database = connect(at, { timeout: 0 });
    return orClosed(database, () => {
      if (path !== ":memory:") chmodSync(path, 0o600);
      database.pragma("journal_mode = WAL");
      database.pragma("synchronous = NORMAL");
      database.pragma("secure_delete = ON");
      database.pragma(`wal_autocheckpoint = ${AUTOMATIC}`);
      database.pragma(`journal_size_limit = ${LOG_KEPT}`);
      migrate(database, steps, { path, code });
      return database;
    });
  });
}

/** Asks a sound file, and changes nothing in it. */
export function asked<T>(at: DatabaseAt, work: (database: Connection) => T): T {
  const database = connect(at, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** The first column of the first row. */
export const valueOf = <T>(database: Connection, sql: string, ...given: unknown[]): T =>
  database
    .prepare(sql)
    .pluck()
    .get(...given) as T;
/** The first column of every row. */
export const valuesOf = <T>(database: Connection, sql: string, ...given: unknown[]): T[] =>
  database
    .prepare(sql)
    .pluck()
    .all(...given) as T[];

/** A link would have its target written to and closed to others, wherever that is. */
export function refuseLink(path: string, code: ErrorCode): Stats | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isSymbolicLink() !== true) return stat;
  const why = `${path} is a link, and a database is not opened through one.`;
  throw new TidemarkError(
    code,
    `${why} Put the real one there, or link the whole workspace folder.`,
  );
}

function refuseOther(path: string, code: ErrorCode): void {
  if (refuseLink(path, code)?.isDirectory() === true)
    throw new TidemarkError(
      code,
      `${path} is a folder, where a database belongs. Move the folder away; a new file ` +
        "is made at the next start.",
    );
}

function migrate(database: Connection, steps: Steps, at: { path: string; code: ErrorCode }): void {
  const known = steps.map(([name]) => name);
  const missing = (): Steps => {
    const begun = valueOf(database, "select 1 from sqlite_schema where name = 'migration'");
    const done = begun === 1 ? valuesOf<string>(database, "select name from migration") : [];
    const foreign = done.filter((name) => !known.includes(name));
    if (foreign.length > 0)
      throw new TidemarkError(
        at.code,
        `${at.path} was written by a newer Tidemark (${foreign.join(", ")}); update the ` +
          "package, or open another workspace.",
      );
    return steps.filter(([name]) => !done.includes(name));
  };
  // A file that has them all opens while another process writes.
  if (missing().length === 0) return;
  const run = database.transaction(() => {
    database.exec(
      "create table if not exists migration (name text primary key, at integer not null " +
        "default (unixepoch() * 1000)) without rowid",
    );
    for (const [name, sql] of missing()) {
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
    throw explained(code, what, thrown);
  }
}

export const explained = (code: ErrorCode, what: string, thrown: unknown): TidemarkError =>
  thrown instanceof TidemarkError
    ? thrown
    : new TidemarkError(code, `${what}: ${reasonOf(thrown)}.${remedyFor(thrown)}`, {
        cause: thrown,
      });

/** Closes a database that `work` cannot use. */
export function orClosed<T>(database: Connection, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/**
 * What is stored is not what was written, which only we can see: a text that is not what its digest
 * says.
 */
export class SilentDamage extends Error {
  readonly code = "SQLITE_CORRUPT";
  constructor(what = "a message is not what was written") {
    super(what);
  }
}

const causeOf = (thrown: unknown): unknown =>
  thrown instanceof TidemarkError ? thrown.cause : thrown;
export function codeOf(thrown: unknown): string {
  const cause = causeOf(thrown);
  return typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "";
}

/**
 * The file itself is broken: not of a newer version, not locked, not forbidden, which are for a
 * person to settle.
 */
export function isDamage(thrown: unknown): boolean {
  // A column we wrote as JSON that is none was damaged.
  return (
    causeOf(thrown) instanceof SyntaxError || /^SQLITE_(?:NOTADB|CORRUPT)/.test(codeOf(thrown))
  );
}

/** Another connection holds the lock. */
export const isBusy = (thrown: unknown): boolean => /^SQLITE_(?:BUSY|LOCKED)/.test(codeOf(thrown));

/** A remedy for each kind of trouble, if one is known. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:ENOTDIR|EEXIST)$/,
    " A file stands where a folder is needed: move it away, or name another workspace.",
  ],
  [
    /^(?:ENOSPC|EDQUOT|SQLITE_FULL)$/,
    " The disk is full: free some space; what is there stays as it is.",
  ],
  [
    /^ENOENT$/,
    " The folder cannot be made there: check that what is above it exists and can be written to.",
  ],
  [
    /^(?:EROFS|EACCES|EPERM|SQLITE_(?:CANTOPEN|PERM|READONLY(?:_DBMOVED|_DIRECTORY)?))$/,
    " It cannot be written to: check who owns the folder and whether the disk is " +
      "read-only, or name another workspace.",
  ],
  [
    /^SQLITE_BUSY$/,
    " Another process keeps it locked: look whether one hangs, end it, and try again.",
  ],
  [
    /^SQLITE_(?:NOTADB|CORRUPT)$/,
    " The file is damaged or not a database. Nothing was overwritten: " +
      '"tidemark doctor" says how to mend it.',
  ],
];
const remedyFor = (thrown: unknown): string =>
  REMEDIES.find(([codes]) => codes.test(codeOf(thrown)))?.[1] ?? "";

/**
 * Characters of statements whose text hangs on what is asked: compiling one takes as long as
 * running it.
 */
const KNOWN = { bound: 200_000 };

/**
 * A database at work: statements, each prepared once and a function of what is bound, and
 * transactions. A list is bound as JSON, for json_each.
 */
export function deskOf(database: Connection) {
  const bound = (given: readonly unknown[]): unknown[] =>
    given.map((one) => (Array.isArray(one) ? JSON.stringify(one) : one));
  const run = (sql: string) => {
    const statement = database.prepare(sql);
    return (...given: unknown[]) => statement.run(...bound(given));
  };
  const one =
    <Answer>(statement: Statement<unknown[], Answer>) =>
    (...given: unknown[]): Answer | undefined =>
      statement.get(...bound(given));
  const all =
    <Answer>(statement: Statement<unknown[], Answer>) =>
    (...given: unknown[]): Answer[] =>
      statement.all(...bound(given));
  return {
    run,
    row: <Row>(sql: string) => one(database.prepare<unknown[], Row>(sql)),
    rows: <Row>(sql: string) => all(database.prepare<unknown[], Row>(sql)),
    /** The first column of the first row, and of every row. */
    value: <Value>(sql: string) => one(database.prepare<unknown[], Value>(sql).pluck()),
    values: <Value>(sql: string) => all(database.prepare<unknown[], Value>(sql).pluck()),
    /** Rows as lists of their columns. */
    lists: <List>(sql: string) => all(database.prepare<unknown[], List>(sql).raw()),
    /** A statement whose text hangs on the question is prepared once and then found. */
    listed: remembering((sql) => all(database.prepare(sql)), KNOWN),
    /** Work as one transaction: all of it or nothing. */
    inOne: <Given extends unknown[], Made>(work: (...given: Given) => Made) =>
      database.transaction(work).immediate,
  };
}
export type Desk = ReturnType<typeof deskOf>;

/** A question mark for each of so many values. */
export const marks = (items: readonly unknown[]): string => items.map(() => "?").join(",");

/** An insert of these columns, each bound by its name; a row that is there stays. */
export const insertOf = (table: string, columns: readonly string[]): string =>
  `insert or ignore into ${table} (${columns.join(", ")})
    values (${columns.map((name) => `@${name}`).join(", ")})`;
