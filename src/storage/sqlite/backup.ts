import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { makeFolders, PRIVATE } from "../../core/base.ts";
import type { Whole } from "../whole.ts";
import { connect, type DatabaseAt, guarded, refuseLink } from "./database-file.ts";
import { integrityOf } from "./salvage.ts";
import { onTables } from "./schema.ts";
import { type Sql, sqlOn } from "./sql.ts";
import { NO_INDEXES, raiseNumbers, TABLES } from "./table-rows.ts";

/** The newest so many are kept. */
const KEPT = 3;
const NAME = /^tidemark-\d{4}-.*\.db$/;
const DRAFT = /\.db\.tmp/;

/** Files of a folder that is none of ours to follow where it is a link. */
function filesIn(folder: string, named: RegExp): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map(({ name }) => name)
    .filter((name) => named.test(name))
    .sort()
    .reverse()
    .map((name) => join(folder, name));
}

/** Backups, the newest first. */
export const backupsOf = (folder: string): string[] => filesIn(folder, NAME);

/** Copies under way, or left by a process that died: they may hold what has gone meanwhile. */
export const draftsOf = (folder: string): string[] => filesIn(folder, DRAFT);

/**
 * Copies what is true while it is in use, under its key, without the indexes; a copy that is not
 * sound is none. Answers where it stands. Rejects with "store".
 */
export function backUp(at: DatabaseAt, { folder, now }: { folder: string; now: number }): string {
  const made = join(folder, `tidemark-${new Date(now).toISOString().replaceAll(":", "-")}.db`);
  return guarded("store", `${at.path} could not be backed up to ${folder}`, () => {
    refuseLink(folder, "store");
    makeFolders(folder, PRIVATE);
    const draft = `${made}.tmp`;
    try {
      for (const end of SIDES) rmSync(draft + end, { force: true });
      closeSync(openSync(draft, "wx", 0o600));
      if (existsSync(at.path)) copyTruth(at, draft);
      const [wrong] = integrityOf({ ...at, path: draft });
      if (wrong !== undefined) throw new Error(wrong);
      toDisk(draft);
      renameSync(draft, made);
      toDisk(dirname(made));
    } finally {
      for (const end of SIDES) rmSync(draft + end, { force: true });
    }
    for (const old of backupsOf(folder).slice(KEPT)) rmSync(old);
    return made;
  });
}
const SIDES = ["", "-wal", "-shm"] as const;

/** Takes memories out of a copy, by the way they went out of the file itself. */
export function forgetInBackup(at: DatabaseAt, ids: readonly string[]): void {
  rewritten(at, ({ run }) => {
    run`delete from memory where id in (select value from json_each(${ids}))`;
    // How pages were written shows lines of memories, and so may what waits to be decided.
    run`delete from note where name like 'page:%' or name = 'proposals'`;
  });
}

/** All that is true, as it was at one moment, into a new file of the same key. */
function copyTruth(at: DatabaseAt, to: string): void {
  onTables({ ...at, path: to }, (sql) => {
    sql.run`attach ${at.path} as source key ${at.key}`;
    // Reading alone takes no lock of the source.
    sql.exec("begin");
    for (const table of Object.keys(TABLES))
      sql.exec(`insert into main.${table} select * from source.${table}`);
    sql.run`insert into note (name, text) values (${NO_INDEXES}, '')`;
    raiseNumbers(
      sql,
      sql.value`select coalesce(max(seq), 0) from source.sqlite_sequence where name = 'entry'` ?? 0,
    );
    sql.exec("commit");
  });
}

/** Windows cannot open a folder and needs no such call. */
function toDisk(path: string): void {
  if (process.platform === "win32") return;
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
}

/** See `Whole`. The file is made anew, so that no page keeps what stood on it. */
export function forgetNames(at: DatabaseAt, { scope, isOwn }: Parameters<Whole["forgetNames"]>[0]) {
  rewritten(at, ({ run, values }) => {
    // The number is never given to another: its name alone goes.
    run`update scope set name = 'user:forgotten-' || number where name = ${scope}`;
    run`delete from data where 'user:' || (value ->> 'user') = ${scope}`;
    const named = "in (select value from json_each(?))";
    const all = values<string>`select root from pin union select root from spent`.filter(isOwn);
    for (const table of ["pin", "spent"]) run(`delete from ${table} where root ${named}`, all);
    const names = values<string>`select name from root`.filter(isOwn);
    const roots = values(`select number from root where name ${named}`, names);
    for (const what of [
      `turn_place where word in (select number from turn_word where root ${named})`,
      `stretch_signs where stretch in (select number from stretch where root ${named})`,
      ...["turn_word", "turn", "stretch"].map((table) => `${table} where root ${named}`),
      `root where number ${named}`,
    ])
      run(`delete from ${what}`, roots);
  });
}

/** In one transaction; then the whole file anew, so that no page keeps what stood on it. */
function rewritten(at: DatabaseAt, work: (sql: Sql) => void): void {
  if (!existsSync(at.path)) return;
  guarded("store", `${at.path} could not be cleared of what is forgotten`, () => {
    const database = connect(at, { timeout: 0 });
    try {
      database.pragma("secure_delete = ON");
      const sql = sqlOn(database);
      sql.inOne(() => work(sql))();
      database.exec("vacuum");
      database.pragma("wal_checkpoint(TRUNCATE)");
    } finally {
      database.close();
    }
  });
}
