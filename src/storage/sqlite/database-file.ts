import { chmodSync, closeSync, lstatSync, openSync, readSync, type Stats } from "node:fs";
import { dirname } from "node:path";
import { asDict, makeFolders, PRIVATE } from "../../core/base.ts";
import {
  type ErrorCode,
  OLDER,
  reasonOf,
  refuse,
  TidemarkError,
} from "../../core/errors-and-events.ts";
import { type Connection, Database, keyedDatabase } from "../../core/installed.ts";
import { type Sql, sqlOn } from "./sql.ts";

export type { Connection };

/** To be looked at: it is refused where it would have to be brought to the newest step. */
interface OpenedAt extends DatabaseAt {
  readonly look?: boolean | undefined;
}

/** Migrations: a list one only appends to; each step and its record share one transaction. */
export type Steps = readonly (readonly [name: string, sql: string])[];

/**
 * Pages of the log from which on a commit writes it back, and waits for the disk: 8 MB. Behind
 * answers it is written back sooner (`grew`).
 */
const AUTOMATIC = 2_000;
/** Bytes the file of the log keeps when a long transaction made it longer. */
const LOG_KEPT = 8_388_608;

/**
 * Opens a database file (or ":memory:"), readable by its owner only, and brings it to the newest
 * step. No call of the connection waits for another process: what that refuses throws, and
 * `patiently` tries it again.
 */
export function openDatabase(at: OpenedAt, steps: Steps, code: ErrorCode): Connection {
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
      // The driver holds 16 MB of pages, which the system holds too.
      if (at.look === true) database.pragma("cache_size = -2000");
      migrate(sqlOn(database), steps, at, code);
      return database;
    });
  });
}

/** Asks a sound file, and changes nothing in it. */
export function asked<T>(at: DatabaseAt, work: (sql: Sql) => T): T {
  const database = connect(at, READING);
  try {
    return work(sqlOn(database));
  } finally {
    database.close();
  }
}
export const READING = { readonly: true, fileMustExist: true, timeout: 5000 } as const;

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

function migrate(
  { exec, run, value, values, inOne }: Sql,
  steps: Steps,
  at: OpenedAt,
  code: ErrorCode,
): void {
  const known = steps.map(([name]) => name);
  const missing = (): Steps => {
    const begun = value`select 1 from sqlite_schema where name = 'migration'`;
    const done = begun === 1 ? values<string>`select name from migration` : [];
    const foreign = done.filter((name) => !known.includes(name));
    if (foreign.length > 0)
      throw new TidemarkError(
        code,
        `${at.path} was written by a newer Tidemark (${foreign.join(", ")}); update the ` +
          "package, or open another workspace.",
      );
    return steps.filter(([name]) => !done.includes(name));
  };
  // A file that has them all opens while another process writes.
  if (missing().length === 0) return;
  if (at.look === true) throw new TidemarkError(code, `${at.path} ${OLDER}`);
  inOne(() => {
    exec(
      "create table if not exists migration (name text primary key, at integer not null " +
        "default (unixepoch() * 1000)) without rowid",
    );
    for (const [name, step] of missing()) {
      exec(step);
      run`insert into migration (name) values (${name})`;
    }
  })();
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
 * A text is stored that is not what its digest says: what was written is gone, which only we see.
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

/** A database file, and the key it is encrypted with. */
export interface DatabaseAt {
  readonly path: string;
  readonly key?: string | undefined;
}

/** A workspace, and the key of its databases. */
export interface WorkspaceAt extends Pick<DatabaseAt, "key"> {
  readonly workspace: string;
}

type How = ConstructorParameters<typeof Database>[1];

/**
 * Opens the file. No other place does: the key of an encrypted one is given here. Throws "config"
 * where file and key do not go together; any other trouble shows where the file is read.
 */
export function connect({ path, key }: DatabaseAt, how: How): Connection {
  const isPlain = key === undefined || path === ":memory:";
  const database = isPlain ? new Database(path, how) : keyedDatabase(path, key, how);
  try {
    // SQLite would write what it sorts to files beside, and not encrypt them.
    if (!isPlain) database.pragma("temp_store = MEMORY");
    database.pragma("schema_version");
  } catch (thrown) {
    const why = asDict(thrown).code === "SQLITE_NOTADB" ? misfit(path, key) : undefined;
    if (why === undefined) return database;
    database.close();
    refuse(`${path} ${why}`);
  }
  return database;
}

const HEAD = 24;
const PLAIN = "SQLite format 3\0";
/** The header of an encrypted file is chance but for its sizes; these three are always the same. */
const [SIZES, SIZES_AT] = ["@  ", 21];

function misfit(path: string, key: string | undefined): string | undefined {
  const head = Buffer.alloc(HEAD);
  const file = openSync(path, "r");
  readSync(file, head, 0, HEAD, 0);
  closeSync(file);
  const text = head.toString("latin1");
  if (text.startsWith(PLAIN))
    return key === undefined
      ? undefined
      : "is not encrypted: open it without a key; for one that is, export the workspace so, and " +
          "import that with the key.";
  // The byte before says how much of each page the cipher takes.
  if (head[SIZES_AT - 1] === 0 || !text.startsWith(SIZES, SIZES_AT)) return undefined;
  return key === undefined
    ? 'is encrypted: give its key, by the option "key" or as TIDEMARK_KEY to the command line.'
    : "does not open with this key: give the one it was made with; if this is that one, the " +
        "file is damaged, and a backup belongs in its place.";
}
