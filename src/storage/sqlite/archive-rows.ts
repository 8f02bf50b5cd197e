import type { Scope } from "../../core/identity.ts";
import type { Statement } from "../../core/installed.ts";
import { connect } from "./connect.ts";
import { type Connection, type DatabaseAt, guarded, valuesOf } from "./database-file.ts";
import { rebuildDerived } from "./salvage.ts";
import { onTables, UNUSED } from "./schema.ts";
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
const carried = (database: Connection, table: string) =>
  columnsOf(database, table).filter(({ name }) => !ITS_OWN.has(`${table}.${name}`));

/** All that is true in a database, or what is an owner's of it, as it was at one moment. */
export function* archiveRows(at: DatabaseAt, owned?: Owned): Generator<TableRow> {
  const database = connect(at, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    database.exec("begin");
    const roots = valuesOf<string>(database, ROOTS).filter((root) => owned?.isOwn(root));
    const given = { roots: JSON.stringify(roots), scopes: JSON.stringify(owned?.scopes ?? []) };
    for (const [table, [, where]] of Object.entries(TABLES)) {
      const columns = carried(database, table).map(({ name }) =>
        NAMED[name] === undefined ? name : `${NAMED[name][0]} as ${name}`,
      );
      const rows = database.prepare<unknown[], TableRow["row"]>(
        `${OWNED} select ${columns.join(", ")} from ${table} it
          where ${owned === undefined ? "true" : where}`,
      );
      for (const row of rows.iterate(given)) yield { table, row };
    }
  } finally {
    database.close();
  }
}

/** Says what is wrong with a row that this version could not have written. */
export function rowChecker(): (given: TableRow) => string | undefined {
  const known = onTables(
    { path: ":memory:" },
    (database) => new Map(Object.keys(TABLES).map((table) => [table, carried(database, table)])),
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
    onTables(at, (database) =>
      database
        .transaction(() => {
          const fresh = freshIn(database, rows);
          const put = putter(database);
          for (const one of fresh) put(one);
          for (const sql of UNUSED) database.exec(sql);
          rebuildDerived(database);
          return fresh;
        })
        .immediate(),
    ),
  );

function freshIn(database: Connection, rows: readonly TableRow[]): TableRow[] {
  const there = new Set<unknown>(
    valuesOf(database, "select id from session union all select id from memory"),
  );
  const twin = database.prepare(
    `select 1 from memory join scope on number = scope
      where name = @scope and valid_to is null and (key = @key or same = @same)`,
  );
  const brought = new Set<unknown>();
  for (const { table, row } of rows) {
    if (table === "session" && !there.has(row.id)) brought.add(row.id);
    if (table === "memory" && row.valid_to === null && twin.get(row) !== undefined)
      there.add(row.id);
  }
  return rows.filter(({ table, row }) => {
    if (table === "session" || table === "memory") return !there.has(row.id);
    // What belongs to a conversation that does not come along would change one that is there.
    return row.session === undefined || row.session === "" || brought.has(row.session);
  });
}

/** Puts rows in; an aside that a search finds has a number behind those of the entries. */
function putter(database: Connection): (given: TableRow) => void {
  const prepared = new Map<string, Statement>();
  const last = database.prepare("select seq from sqlite_sequence where name = 'entry'").pluck();
  const prepare = (table: string): Statement => {
    const names = carried(database, table).map(({ name }) => name);
    const values = names.map((name) => NAMED[name]?.[1] ?? `@${name}`);
    if (table === "memory") {
      names.push("terms");
      values.push("''");
    }
    const conflict =
      table === "note"
        ? "(name) do update set text = excluded.text where name like 'page:%'"
        : "do nothing";
    return database.prepare(
      `insert into ${table} (${names.join(", ")}) values (${values.join(", ")})
        on conflict ${conflict}`,
    );
  };
  return ({ table, row }) => {
    const statement = prepared.get(table) ?? prepare(table);
    prepared.set(table, statement);
    const next = Number(last.get() ?? 0) + 1;
    statement.run({ ...row, next });
    if (row.number === 1) raiseNumbers(database, next);
  };
}
