import { type Statement } from "../../model/installed.ts";
import { type Connection } from "./database.ts";

/** Statements whose text hangs on what is asked: compiling one takes as long as running it. */
const MOST = 200;

type Prepare = (sql: string) => Statement<unknown[]>;

export function statements(database: Connection): Prepare {
  const known = new Map<string, Statement<unknown[]>>();
  return (sql) => {
    const found = known.get(sql);
    if (found !== undefined) return found;
    const made = database.prepare<unknown[]>(sql);
    if (known.size >= MOST) known.clear();
    known.set(sql, made);
    return made;
  };
}

/** `%`, `_` and `\` as the characters they are. */
export const literally = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`;

/** A question mark for each of so many values. */
export const marks = (items: readonly unknown[]): string => items.map(() => "?").join(",");

/** An insert of these columns, each bound by its name. */
export const insertOf = (table: string, columns: readonly string[], how = "insert"): string =>
  `${how} into ${table} (${columns.join(", ")}) values (${columns.map((name) => `@${name}`).join(", ")})`;
