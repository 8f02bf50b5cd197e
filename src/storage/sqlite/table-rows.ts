import { existsSync } from "node:fs";
import { isDict, parsed } from "../../core/base.ts";
import { isScope } from "../../core/identity.ts";
import { digest } from "../../core/text/cut.ts";
import { connect } from "./connect.ts";
import { type Connection, type DatabaseAt, guarded, insertOf, valueOf } from "./database-file.ts";
import type { StoredRow } from "./message-rows.ts";
import { onTables } from "./schema.ts";

/** A row of what is true, as a copy or an archive holds it. */
export interface TableRow {
  readonly table: string;
  readonly row: StoredRow;
}

const OF_SESSION = "session in mine";
/**
 * The tables that are true, the order of their keys, and which rows are an owner's: with `roots`,
 * `scopes`, conversations that are `mine` and bodies that are `said` in them. Bodies come first:
 * other rows are known by them.
 */
export const TABLES: Readonly<Record<string, readonly [order: string, owned: string]>> = {
  body: ["id", "id in said"],
  media: ["hash", "hash in (select hash from body_media where body in said)"],
  body_media: ["body, hash", "it.body in said"],
  session: ["id", "id in mine"],
  entry: ["row", OF_SESSION],
  aside: ["row", OF_SESSION],
  fold: ["session, id", OF_SESSION],
  learnt: ["session, memory", OF_SESSION],
  job: ["id", OF_SESSION],
  pin: ["id, session", "root in roots"],
  spent: ["root, purpose", "root in roots"],
  scope: ["number", "name in scopes"],
  memory: ["row", "it.scope in (select number from scope where name in scopes)"],
  note: ["name", "name like 'page:%' and substr(name, 6) in scopes"],
};
/** A copy has no indexes: they are made when it is opened. */
export const NO_INDEXES = "no-indexes";
/** A copy also carries the highest number an entry ever had, which no other may get. */
const NUMBERS = "numbers";

/** All rows of a database, as they were at one moment. */
export function* tableRows(at: DatabaseAt): Generator<TableRow> {
  if (!existsSync(at.path)) return;
  const database = connect(at, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    database.exec("begin");
    for (const [table, [order]] of Object.entries(TABLES))
      for (const row of database.prepare(`select * from ${table} order by ${order}`).iterate())
        yield { table, row: row as StoredRow };
    const last = valueOf(database, "select seq from sqlite_sequence where name = 'entry'");
    if (last !== undefined) yield { table: NUMBERS, row: { entry: last } };
  } finally {
    database.close();
  }
}

/** No number of an entry is given twice: the search index remembers how far it has read. */
export function raiseNumbers(database: Connection, least: number): void {
  const raised = database.prepare(
    "update sqlite_sequence set seq = max(seq, ?) where name = 'entry'",
  );
  if (raised.run(least).changes === 0)
    database.prepare("insert into sqlite_sequence (name, seq) values ('entry', ?)").run(least);
}

/** Puts rows into a database; those that are there stay as they are. All or none. */
export function putTableRows(at: DatabaseAt, rows: Iterable<TableRow>): void {
  guarded("store", `${at.path} could not be copied to`, () =>
    onTables(at, (database) => {
      database
        .transaction(() => {
          for (const { table, row } of rows)
            if (table === NUMBERS) raiseNumbers(database, row.entry as number);
            else database.prepare(insertOf(table, Object.keys(row))).run(row);
          database.prepare("insert into note (name, text) values (?, '')").run(NO_INDEXES);
        })
        .immediate();
      database.pragma("wal_checkpoint(TRUNCATE)");
    }),
  );
}

interface Column {
  name: string;
  type: string;
  notnull: number;
}

export const columnsOf = (database: Connection, table: string): Column[] =>
  database.pragma(`table_info(${table})`) as Column[];

/** A row that was written here: of the types of its columns, its words as its digest says. */
export function isSound(table: string, row: StoredRow, columns: readonly Column[]): boolean {
  for (const { name, type: declared, notnull } of columns) {
    const type = declared.toLowerCase();
    const value = row[name];
    if (value === null ? notnull === 1 : !isOf(type, value)) return false;
  }
  if (table === "body") return digest(row.json as string) === row.hash;
  if (table === "media") return digest(row.data as string) === row.hash;
  if (table === "session") return isJson(row.root, Array.isArray) && isJson(row.state, isDict);
  if (table === "fold")
    return row.detail === undefined || row.detail === null || isJson(row.detail, isDict);
  if (table === "memory") return isJson(row.tags, Array.isArray);
  if (table === "scope") return isScope(row.name);
  return true;
}

const isJson = (text: unknown, is: (value: unknown) => boolean): boolean =>
  is(parsed(String(text)));

function isOf(type: string, value: unknown): boolean {
  if (type === "text") return typeof value === "string";
  return type === "integer" ? Number.isSafeInteger(value) : typeof value === "number";
}
