import { remembering } from "../../core/base.ts";
import type { Scope } from "../../core/identity.ts";
import { terms } from "../../core/text/terms.ts";
import type { Owned, Owner, TableRow, Whole } from "../whole.ts";
import { forgetNames } from "./backup.ts";
import { asked, connect, type DatabaseAt, guarded, READING } from "./database-file.ts";
import { scopeTable, termRows } from "./memory-rows.ts";
import { onTables } from "./schema.ts";
import { patiently } from "./shared-file.ts";
import { type Sql, sqlOn } from "./sql.ts";
import { columnsOf, isSound, raiseNumbers, TABLES } from "./table-rows.ts";
import { ownerOf } from "./write-memories.ts";

const WITHIN = `with roots as (select value from json_each(@roots)),
  scopes as (select value from json_each(@scopes)), mine as (select value from json_each(@ids))
`;
const ROOTS = "select root from session union select root from pin union select root from spent";

/** A database numbers these rows by itself, and makes the rest anew. */
const ITS_OWN: ReadonlySet<string> = new Set([
  ...["body.id", "entry.row", "aside.row", "ended.row", "memory.row", "memory.terms"],
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

const OF_SESSION = "session in mine";
const [SAID, SCOPE] = ["select body from", "in (select number from scope where name in scopes)"];
/**
 * What belongs to neither, conversations with all that is theirs, memories with all their values,
 * and data: which of them are read together, and their rows. Others are known by scopes and bodies.
 */
const PORTIONS: readonly (readonly [ids: string, tables: Readonly<Record<string, string>>])[] = [
  [
    "select '[]'",
    {
      pin: "session = '' and root in roots",
      spent: "root in roots",
      scope: "name in scopes",
      note: "@whole or name like 'page:%' and substr(name, 6) in scopes",
    },
  ],
  [
    `select json_group_array(id) from (
      select id, sum(length + 1) over (order by at, id) / 500 as nth from session
      where root in roots
    ) group by nth order by nth`,
    {
      body: `id in (${SAID} entry where ${OF_SESSION} union ${SAID} aside where ${OF_SESSION})`,
      ...{ session: "id in mine", entry: OF_SESSION, aside: OF_SESSION, fold: OF_SESSION },
      ...{ learnt: OF_SESSION, job: OF_SESSION, pin: OF_SESSION, ended: OF_SESSION },
    },
  ],
  [
    `select json_group_array(id) from (
      select id, row_number() over (order by min(row)) / 1000 as nth from memory
      where scope ${SCOPE} group by id
    ) group by nth order by nth`,
    { memory: `id in mine and it.scope ${SCOPE}` },
  ],
  [
    `select json_group_array(json_array(repository, key)) from (
      select repository, key, row_number() over (order by repository, key) / 1000 as nth from data
      where @whole or 'user:' || (value ->> 'user') in scopes
    ) group by nth order by nth`,
    { data: "(repository, key) in (select value ->> 0, value ->> 1 from mine)" },
  ],
];

/**
 * All that is true in a database, or what is an owner's of it, as it was at one moment: in portions
 * of which none needs a later one.
 */
function* archivePortions(at: DatabaseAt, owned?: Owned): Generator<TableRow[]> {
  const database = connect(at, READING);
  try {
    const sql = sqlOn(database);
    sql.exec("begin");
    const { isOwn = () => true, scopes = sql.values<string>`select name from scope` } = owned ?? {};
    const within = {
      whole: Number(owned === undefined),
      roots: JSON.stringify(sql.values<string>(ROOTS).filter(isOwn)),
      scopes: JSON.stringify(scopes),
    };
    for (const [batches, tables] of PORTIONS)
      for (const ids of sql.values<string>(WITHIN + batches, { ...within, ids: null }))
        yield Object.entries(tables).flatMap(([table, where]) => {
          const columns = carried(sql, table).map(({ name }) =>
            NAMED[name] === undefined ? name : `${NAMED[name][0]} as ${name}`,
          );
          const found = sql.rows<TableRow["row"]>(
            `${WITHIN} select ${columns.join(", ")} from ${table} it where ${where}
              order by ${TABLES[table]}`,
            { ...within, ids },
          );
          return found.map((row) => ({ table, row }));
        });
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
const takeRows = (at: DatabaseAt, rows: readonly TableRow[]): TableRow[] =>
  guarded("store", `${at.path} could not take in the archive`, () =>
    onTables(at, (sql) =>
      sql.inOne(() => {
        const fresh = freshIn(sql, rows);
        fresh.forEach(putter(sql));
        return fresh;
      })(),
    ),
  );

function freshIn({ value }: Sql, rows: readonly TableRow[]): TableRow[] {
  const isThere = ({ table, row }: TableRow): boolean =>
    value(`select 1 from ${table} where id = @id`, row) !== undefined;
  const hasTwin = (row: TableRow["row"]): boolean =>
    value(
      `select 1 from memory join scope on number = scope
        where name = @scope and valid_to is null
          and (key = @key or same = @same and (key is null or @key is null))`,
      row,
    ) !== undefined;
  const [left, brought] = [new Set<unknown>(), new Set<unknown>()];
  for (const one of rows) {
    const { table, row } = one;
    if (table === "session" && !isThere(one)) brought.add(row.id);
    if (table === "memory" && (isThere(one) || (row.valid_to === null && hasTwin(row))))
      left.add(row.id);
  }
  // What belongs to a conversation that does not come along would change one that is there.
  const fits = ({ table, row }: TableRow): boolean =>
    table === "session"
      ? brought.has(row.id)
      : row.session === undefined || row.session === "" || brought.has(row.session);
  const said = new Set(rows.map((one) => fits(one) && one.row.body));
  return rows.filter((one) => {
    if (one.table === "memory") return !left.has(one.row.id);
    return one.table === "body" ? said.has(one.row.hash) : fits(one);
  });
}

/** Puts rows in; an aside that a search finds has a number behind those of the entries. */
function putter(sql: Sql): (given: TableRow) => void {
  const [scopes, index] = [scopeTable(sql), termRows(sql, "memory_index")];
  const textFor = remembering((table) => {
    const names = carried(sql, table).map(({ name }) => name);
    const values = names.map((name) => NAMED[name]?.[1] ?? `@${name}`);
    if (table === "memory") {
      names.push("terms");
      values.push("@terms");
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
    const found = table === "memory" ? terms(String(row.content)) : [];
    const put = sql.run(textFor(table), { ...row, next, terms: found.join(" ") });
    if (row.number === 1) raiseNumbers(sql, next);
    if (table !== "memory" || put.changes === 0) return;
    const scope = scopes.number(row.scope as Scope);
    const validTo = row.valid_to as number | null;
    index.add(put.lastInsertRowid, ownerOf({ scope, validTo }), found);
    if (validTo === null) scopes.count(scope, 1);
  };
}

/** A conversation is of the user it was had with, else of the agent, as what it taught is. */
const OWNERS = `
  select scope, sum(memory) as memories, sum(conversation) as conversations,
    max(at) as updatedAt from (
      select name as scope, (select count(*) from memory where scope = number
          and valid_to is null and (expires_at is null or expires_at > ?)) as memory,
        0 as conversation, (select max(updated_at) from memory where scope = number
          and valid_to is null) as at
        from scope where memory > 0
      union all
      select coalesce('user:' || (root ->> 3), 'agent:' || (root ->> 0)), 0, 1, updated_at
        from session
    ) group by scope order by updatedAt desc, scope`;

/** The owners of what a sound file holds, the latest first. */
export const ownersOf = (at: DatabaseAt, now: number): Owner[] =>
  asked(at, ({ rows }) => rows(OWNERS, now));

export const noteOf = (at: DatabaseAt, name: string): string | undefined =>
  asked(at, ({ value }) => value`select text from note where name = ${name}`);

/** A file as a whole, by connections of its own. */
export const wholeFile = (at: DatabaseAt): Whole => ({
  where: at.path,
  owners: async (now) => ownersOf(at, now),
  conversations: async (isOwn) =>
    asked(at, ({ value, values }) => {
      const roots = values<string>`select distinct root from session`.filter(isOwn);
      const sessions = values<string>`select id from session
        where root in (select value from json_each(${roots})) order by id`;
      const messages = value<number>`select count(*) from entry
        where session in (select value from json_each(${sessions}))`;
      return { sessions, messages: messages ?? 0 };
    }),
  reading: (of, work) =>
    work({
      async *rows() {
        yield* archivePortions(at, of);
      },
    }),
  take: (rows) => patiently(() => takeRows(at, rows)),
  forgetNames: (of) => patiently(() => forgetNames(at, of)),
});
