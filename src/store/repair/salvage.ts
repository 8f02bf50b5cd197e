import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { reasonOf } from "../../model/errors.ts";
import { asked, type Connection, valueOf, valuesOf, insertOf } from "../sqlite/database.ts";
import { raiseNumbers, type Column, columnsOf, isSound } from "../history/backup-rows.ts";
import { onHistory } from "../history/schema.ts";
import { mergeBackup } from "../history/merged-rows.ts";
import type { Row } from "../history/desk.ts";
import { lookUp, readRows, type Table } from "../history/salvaged-rows.ts";
import { type Missing, type Owners, settleHistory } from "./salvage-settle.ts";

/** In the order in which one tells what to look for in the next. */
const TABLES: readonly Table[] = [
  { name: "body", key: "id", counted: true },
  { name: "entry", key: "row", counted: true },
  { name: "aside", key: "row", counted: true },
  { name: "body_media", key: "body", counted: true },
  ...["session", "fold", "learnt", "job", "pin", "spent"].map((name) => ({
    name,
    key: { session: "id", job: "id", pin: "id", spent: "root" }[name] ?? "session",
  })),
  { name: "media", key: "hash" },
  { name: "keeping", key: "name" },
];
/**
 * What of a table that breaks off is looked up one by one: the column, and what is known to stand
 * in it.
 */
const LOOKED_UP: Readonly<Record<string, readonly [column: string, known: string]>> = {
  session: ["id", "select distinct session from entry"],
  fold: ["session", "select id from session"],
  learnt: ["session", "select id from session"],
  media: ["hash", "select distinct hash from body_media"],
};
const PAGE = 4096;

export interface Salvaged extends Missing {
  readonly kept: { readonly conversations: number; readonly messages: number };
  /** Tables that could not be read from end to end. */
  readonly broken: readonly string[];
  /** Conversations that are there, or longer, thanks to a backup. */
  readonly fromBackup: number;
}

/**
 * Reads what can be read of a damaged history, row by row, into a new one at `to`. The damaged file
 * is not written to.
 */
export function salvageHistory(
  from: string,
  to: string,
  {
    backups = [],
    owners = [],
    cursor = 0,
  }: { backups?: readonly string[]; owners?: Owners; cursor?: number } = {},
): Salvaged {
  return onHistory(to, (target) => {
    target.pragma("wal_checkpoint(TRUNCATE)");
    const broken = new Set<string>();
    const away = opened(
      from,
      to,
      (source) => void takeOver(source, target, (name) => broken.add(name)),
    );
    if (!away) for (const { name } of TABLES) broken.add(name);
    const back = new Map<string, number>();
    const missing = target
      .transaction(() => {
        const before = settleHistory(target, owners);
        const asides = valueOf<number>(target, "select coalesce(max(number), 0) from aside");
        raiseNumbers(target, Math.max(cursor, asides));
        if (before.messages + before.ownerless + broken.size > 0)
          for (const backup of backups)
            for (const [id, length] of mergeBackup(target, backup)) back.set(id, length);
        const lost = [...before.lacking]
          .map(([id, { lost: gone, had }]) =>
            back.has(id) ? Math.max(0, had - (back.get(id) ?? 0)) : gone,
          )
          .filter((messages) => messages > 0);
        return {
          ...before,
          messages: lost.reduce((sum, messages) => sum + messages, 0),
          conversations: lost.length,
        };
      })
      .immediate();
    const count = (table: string): number => valueOf(target, `select count(*) from ${table}`);
    return {
      ...missing,
      kept: { conversations: count("session"), messages: count("entry") },
      broken: [...broken],
      fromBackup: back.size,
    };
  });
}

const isReadable = (path: string): boolean => {
  const named = "select count(*) from sqlite_schema where name in ('body', 'entry', 'session')";
  try {
    return asked(path, (source) => {
      source.prepare("select 1 from body limit 0").all();
      return valueOf(source, named) === 3;
    });
  } catch {
    return false;
  }
};

/**
 * The file as it is; where its first page is broken, a copy of it with the first page of a new one.
 */
function opened(from: string, fresh: string, work: (source: Connection) => void): boolean {
  const open = (path: string): boolean => {
    if (!isReadable(path)) return false;
    asked(path, work);
    return true;
  };
  if (open(from)) return true;
  const copy = `${from}.reading`;
  try {
    for (const end of ["", "-wal"]) {
      rmSync(copy + end, { force: true });
      if (existsSync(from + end)) copyFileSync(from + end, copy + end, constants.COPYFILE_EXCL);
    }
    transplant(copy, fresh);
    return open(copy);
  } catch {
    return false;
  } finally {
    for (const end of ["", "-wal", "-shm"]) rmSync(copy + end, { force: true });
  }
}

/**
 * Tables of this version's making stand on the same pages in every file. What does not is refused
 * row by row.
 */
function transplant(copy: string, fresh: string): void {
  const page = Buffer.alloc(PAGE);
  const source = openSync(fresh, "r");
  readSync(source, page, 0, PAGE, 0);
  closeSync(source);
  page.writeUInt32BE(Math.floor(statSync(copy).size / PAGE), 28);
  // No free pages are known; the count of pages is to be believed.
  page.fill(0, 32, 40);
  page.copy(page, 92, 24, 28);
  const file = openSync(copy, "r+");
  writeSync(file, page, 0, PAGE, 0);
  closeSync(file);
}

function takeOver(source: Connection, target: Connection, broke: (table: string) => void): void {
  for (const table of TABLES) {
    const columns = columnsOf(target, table.name);
    const names = shared(source, table.name, columns);
    if (names === undefined) {
      // What says how messages are kept is not there where nothing was asked for.
      if (table.name !== "keeping") broke(table.name);
      continue;
    }
    const taken = columns.filter(({ name }) => names.includes(name));
    const put = target.prepare(insertOf(table.name, names));
    let refused = 0;
    const found = (row: Row): void =>
      void (isSound(table.name, row, taken) ? put.run(row) : (refused += 1));
    target
      .transaction(() => {
        const whole = readRows(source, table, names, found);
        const [column, known] = LOOKED_UP[table.name] ?? [];
        if (!whole && column !== undefined && known !== undefined) {
          const select = `select ${names.join(", ")} from ${table.name} where ${column} = ?`;
          lookUp(source, select, valuesOf(target, known), found);
        }
        if (!whole || refused > 0) broke(table.name);
      })
      .immediate();
  }
}

/** Columns of both; an older file has fewer, and a table may not be there yet. */
function shared(
  source: Connection,
  table: string,
  columns: readonly Column[],
): string[] | undefined {
  try {
    const theirs = columnsOf(source, table).map(({ name }) => name);
    return theirs.length === 0
      ? undefined
      : columns.map(({ name }) => name).filter((name) => theirs.includes(name));
  } catch {
    return undefined;
  }
}

/**
 * What a sound file lacks or has too much of; with `dry` only looked at. Rejects with "history".
 */
export const settleFile = (path: string, { dry }: { dry: boolean }): Missing =>
  onHistory(path, (database) => {
    database.exec("begin immediate");
    const missing = settleHistory(database);
    database.exec(dry ? "rollback" : "commit");
    return missing;
  });

/** Rows SQLite has nothing against that are not what was written. */
export function unsoundRows(path: string): string | undefined {
  const many = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;
  try {
    return asked(path, (source) => {
      for (const { name } of TABLES) {
        const columns = columnsOf(source, name);
        let wrong = 0;
        for (const row of source.prepare(`select * from ${name}`).iterate())
          if (!isSound(name, row as Row, columns)) wrong += 1;
        if (wrong > 0)
          return `${many(wrong, "row")} of "${name}" ${wrong === 1 ? "is" : "are"} not what was written`;
      }
      const silent = valueOf<number>(
        source,
        "select count(*) from (select body from entry union all select body from aside) where body not in (select id from body)",
      );
      return silent > 0 ? `the words of ${many(silent, "message")} are gone` : undefined;
    });
  } catch (thrown) {
    return reasonOf(thrown);
  }
}
