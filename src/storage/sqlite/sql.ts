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
