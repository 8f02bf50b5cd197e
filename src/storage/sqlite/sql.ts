import { remembering } from "../../core/base.ts";
import type { Connection, Statement } from "../../core/installed.ts";

/** Characters of statements kept compiled: compiling one takes as long as running it. */
const KNOWN = { bound: 400_000 };

/**
 * A statement as it stands in the code: a template, each value bound where it stands, or a text
 * with the values behind it. A list is bound as JSON, for json_each, and nothing as null.
 */
type Text = string | TemplateStringsArray;

const texts = new WeakMap<TemplateStringsArray, string>();
function textOf(given: Text): string {
  if (typeof given === "string") return given;
  const known = texts.get(given) ?? given.join("?");
  texts.set(given, known);
  return known;
}

/**
 * SQLite compiles a statement anew with each run where its planner has looked at a value, and it
 * looks at those that stand bare: in a limit, beside a column without an index. That takes up to
 * ten times as long as the run.
 */
const steady = (text: string): string => text.replace(/\?|@\w+/g, "likely($&)");

const bound = (given: readonly unknown[]): unknown[] =>
  given.map((one) => (Array.isArray(one) ? JSON.stringify(one) : (one ?? null)));

/** A database at work: each statement is compiled once. */
export function sqlOn(database: Connection) {
  const compiled = (as: (statement: Statement) => Statement) => {
    const known = remembering((text) => as(database.prepare(steady(text))), KNOWN);
    return (text: Text): Statement => known(textOf(text));
  };
  const statement = compiled((plain) => plain);
  const first = compiled((plain) => plain.pluck());
  const listed = compiled((plain) => plain.raw());
  return {
    run: (text: Text, ...given: unknown[]) => statement(text).run(...bound(given)),
    row: <Row>(text: Text, ...given: unknown[]) =>
      statement(text).get(...bound(given)) as Row | undefined,
    rows: <Row>(text: Text, ...given: unknown[]) => statement(text).all(...bound(given)) as Row[],
    /** The first column of the first row, and of every row. */
    value: <Value>(text: Text, ...given: unknown[]) =>
      first(text).get(...bound(given)) as Value | undefined,
    values: <Value>(text: Text, ...given: unknown[]) => first(text).all(...bound(given)) as Value[],
    /** Rows as lists of their columns. */
    lists: <List>(text: Text, ...given: unknown[]) => listed(text).all(...bound(given)) as List[],
    /** Row by row. */
    each: <Row>(text: Text, ...given: unknown[]) =>
      statement(text).iterate(...bound(given)) as IterableIterator<Row>,
    /** Several statements, and nothing bound. */
    exec: (text: string): unknown => database.exec(text),
    /** Work as one transaction: all of it or nothing. */
    inOne: <Given extends unknown[], Made>(work: (...given: Given) => Made) =>
      database.transaction(work).immediate,
  };
}
export type Sql = ReturnType<typeof sqlOn>;

/** A question mark for each of so many values. */
export const marks = (items: readonly unknown[]): string => items.map(() => "?").join(",");

/** Columns that hold another type than SQLite has: truth as 0 or 1, an object as its JSON. */
const TYPES: Readonly<Record<string, "flag" | "json">> = {
  ...{ reply: "flag", aside: "flag", imported: "flag" },
  ...{ state: "json", detail: "json", group: "json" },
};

export type StoredRow = Record<string, unknown>;

/** A stored row by the types of its members, without those that hold nothing. */
export function typedRow<Said>(row: StoredRow): Said {
  const said: StoredRow = {};
  for (const [name, value] of Object.entries(row)) {
    if (value === null) continue;
    const type = TYPES[name];
    if (type === "flag") said[name] = value === 1;
    else said[name] = type === "json" ? JSON.parse(String(value)) : value;
  }
  return said as Said;
}

/** Columns, and the members they fill: of a conversation, of a fold, of what calls have cost. */
export const SESSION =
  "id, root, label, imported, at, updated_at as updatedAt, confirmed, watermark, noted, " +
  "state, revision";

export const FOLD =
  "session, id, up_to as upTo, text, summary, messages, tokens_before as before, " +
  "tokens_after as after, at, detail";

export const SPENT =
  "calls, input, cache_write as cacheWrite, cache_read as cacheRead, output, dollars, unpriced";

/** A history at work: rows by the types of their members. */
export function historySql(sql: Sql) {
  return {
    ...sql,
    said: <Said>(...asked: Parameters<Sql["rows"]>): Said[] =>
      sql.rows<StoredRow>(...asked).map((row) => typedRow<Said>(row)),
    /**
     * Puts rows into a table, by place: to find a value by its name takes longer than to store it.
     * "up_to as upTo": the column, and the member that it is taken from.
     */
    put: (table: string, columns: string, conflict = ""): ((row: StoredRow) => void) => {
      const places = columns.split(", ").map((column) => {
        const [name = "", member = name] = column.split(" as ");
        return { type: TYPES[name], name, member };
      });
      const names = places.map(({ name }) => name);
      const text = `insert into ${table} (${names.join(", ")})
        values (${marks(names)}) ${conflict}`;
      const stored = (type: "flag" | "json" | undefined, value: unknown): unknown => {
        if (type === undefined || value === undefined) return value;
        return type === "flag" ? Number(value) : JSON.stringify(value);
      };
      return (row) =>
        void sql.run(text, ...places.map(({ type, member }) => stored(type, row[member])));
    },
  };
}

export type HistorySql = ReturnType<typeof historySql>;
