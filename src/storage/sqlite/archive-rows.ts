import { remembering } from "../../core/base.ts";
import type { Scope } from "../../core/identity.ts";
import { connect } from "./connect.ts";
import { type DatabaseAt, guarded, READING } from "./database-file.ts";
import { rebuildDerived } from "./salvage.ts";
import { onTables, UNUSED } from "./schema.ts";
import { type Sql, sqlOn } from "./sql.ts";
import { columnsOf, isSound, raiseNumbers, type TableRow, TABLES } from "./table-rows.ts";

/** The rows of an owner: conversations, pins and sums of these roots, memories of these scopes. */
interface Owned {
  readonly isOwn: (root: string) => boolean;
  readonly scopes: readonly Scope[];
}

const OWNED = `with roots as (select value from json_each(@roots)),
  scopes as (select value from json_each(@scopes)),
  mine as (select id from session where root in roots),
  said as (select body from entry where session in mine
    union select body from aside where session in mine)`;
const ROOTS = "select root from session union select root from pin union select root from spent";

/** A database numbers these rows by itself, and makes the rest anew. */
const ITS_OWN: ReadonlySet<string> = new Set([
  ...["body.id", "entry.row", "aside.row", "memory.row", "memory.terms"],
  ...["scope.number", "scope.memories"],
]);
/** Another database has other numbers: their words here, and the number of these there. */
const NAMED: Readonly<Record<string, readonly [words: string, number: string]>> = {
  body: ["(select hash from body where id = it.body)", "(select id from body where hash = @body)"],
  scope: [
    "(select name from scope where number = it.scope)",
    "(select number from scope where name = @scope)",
  ],
  number: ["number is not null", "iif(@number, @next, null)"],
};

/** The columns of a table as an archive carries them. */
const carried = (sql: Sql, table: string) =>
  columnsOf(sql, table).filter(({ name }) => !ITS_OWN.has(`${table}.${name}`));

/** All that is true in a database, or what is an owner's of it, as it was at one moment. */
export function* archiveRows(at: DatabaseAt, owned?: Owned): Generator<TableRow> {
  const database = connect(at, READING);
  try {
    const sql = sqlOn(database);
    sql.exec("begin");
    const roots = sql.values<string>(ROOTS).filter((root) => owned?.isOwn(root));
    const given = { roots: JSON.stringify(roots), scopes: JSON.stringify(owned?.scopes ?? []) };
    for (const [table, [, where]] of Object.entries(TABLES)) {
      const columns = carried(sql, table).map(({ name }) =>
        NAMED[name] === undefined ? name : `${NAMED[name][0]} as ${name}`,
      );
      const rows = sql.each<TableRow["row"]>(
        `${OWNED} select ${columns.join(", ")} from ${table} it
          where ${owned === undefined ? "true" : where}`,
        given,
      );
      for (const row of rows) yield { table, row };
    }
  } finally {
    database.close();
  }
}

/** Says what is wrong with a row that this version could not have written. */
export function rowChecker(): (given: TableRow) => string | undefined {
  const known = onTables(
    { path: ":memory:" },
    (sql) => new Map(Object.keys(TABLES).map((table) => [table, carried(sql, table)])),
  );
  return ({ table, row }) => {
    const columns = known.get(table);
    if (columns === undefined) return `there is no table "${table}"`;
    const odd = Object.keys(row).find((name) => !columns.some((column) => column.name === name));
    if (odd !== undefined) return `"${table}" has no column "${odd}"`;
    const typed = columns.filter(({ name }) => NAMED[name] === undefined);
    const isWhole = columns.every(({ name }) => row[name] !== undefined);
    return isWhole && isSound(table, row, typed) ? undefined : `it is no row of "${table}"`;
  };
}

/**
 * Takes rows in, all or none, and answers those that were new. A conversation or memory that is
 * there stays as it is, and so does a memory whose key or words another has.
 */
export const takeRows = (at: DatabaseAt, rows: readonly TableRow[]): TableRow[] =>
  guarded("store", `${at.path} could not take in the archive`, () =>
    onTables(at, (sql) =>
      sql.inOne(() => {
        const fresh = freshIn(sql, rows);
        const put = putter(sql);
        for (const one of fresh) put(one);
        sql.run(UNUSED);
        rebuildDerived(sql);
        return fresh;
      })(),
    ),
  );

function freshIn({ value, values }: Sql, rows: readonly TableRow[]): TableRow[] {
  const there = new Set<unknown>(values`select id from session union all select id from memory`);
  const hasTwin = (row: TableRow["row"]): boolean =>
    value(
      `select 1 from memory join scope on number = scope
        where name = @scope and valid_to is null and (key = @key or same = @same)`,
      row,
    ) !== undefined;
  const brought = new Set<unknown>();
  for (const { table, row } of rows) {
    if (table === "session" && !there.has(row.id)) brought.add(row.id);
    if (table === "memory" && row.valid_to === null && hasTwin(row)) there.add(row.id);
  }
  return rows.filter(({ table, row }) => {
    if (table === "session" || table === "memory") return !there.has(row.id);
    // What belongs to a conversation that does not come along would change one that is there.
    return row.session === undefined || row.session === "" || brought.has(row.session);
  });
}

/** Puts rows in; an aside that a search finds has a number behind those of the entries. */
function putter(sql: Sql): (given: TableRow) => void {
  const textFor = remembering((table) => {
    const names = carried(sql, table).map(({ name }) => name);
    const values = names.map((name) => NAMED[name]?.[1] ?? `@${name}`);
    if (table === "memory") {
      names.push("terms");
      values.push("''");
    }
    const conflict =
      table === "note"
        ? "(name) do update set text = excluded.text where name like 'page:%'"
        : "do nothing";
    return `insert into ${table} (${names.join(", ")}) values (${values.join(", ")})
      on conflict ${conflict}`;
  });
  return ({ table, row }) => {
    const last = sql.value<number>`select seq from sqlite_sequence where name = 'entry'`;
    const next = (last ?? 0) + 1;
    sql.run(textFor(table), { ...row, next });
    if (row.number === 1) raiseNumbers(sql, next);
  };
}
