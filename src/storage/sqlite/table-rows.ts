import { isDict, parsed } from "../../core/base.ts";
import { isScope } from "../../core/identity.ts";
import { digest } from "../../core/text/cut.ts";

import type { Sql, StoredRow } from "./sql.ts";

/** The tables that are true, and the order of their keys. Other rows are known by bodies. */
export const TABLES: Readonly<Record<string, string>> = {
  ...{ body: "id", session: "id", entry: "row", aside: "row", fold: "session, id" },
  ended: "row",
  ...{ learnt: "session, memory", job: "id", pin: "id, session", spent: "root, purpose" },
  ...{ scope: "number", memory: "row", note: "name", data: "repository, key" },
};
/** A copy has no indexes: they are made when it is opened. */
export const NO_INDEXES = "no-indexes";

/** No number of an entry is given twice: the search index remembers how far it has read. */
export function raiseNumbers({ run }: Sql, least: number): void {
  const raised = run`update sqlite_sequence set seq = max(seq, ${least}) where name = 'entry'`;
  if (raised.changes === 0) run`insert into sqlite_sequence (name, seq) values ('entry', ${least})`;
}

interface Column {
  name: string;
  type: string;
  notnull: number;
}

export const columnsOf = ({ rows }: Sql, table: string): Column[] =>
  rows`select name, type, "notnull" from pragma_table_info(${table})`;

/** A row that was written here: of the types of its columns, its words as its digest says. */
export function isSound(table: string, row: StoredRow, columns: readonly Column[]): boolean {
  for (const { name, type: declared, notnull } of columns) {
    const type = declared.toLowerCase();
    const value = row[name];
    if (value === null ? notnull === 1 : !isOf(type, value)) return false;
  }
  if (table === "body") return digest(row.json as string) === row.hash;
  if (table === "session") return isJson(row.root, Array.isArray) && isJson(row.state, isDict);
  if (table === "fold")
    return row.detail === undefined || row.detail === null || isJson(row.detail, isDict);
  if (table === "memory") return isJson(row.tags, Array.isArray);
  if (table === "data") return isJson(row.value, isDict);
  if (table === "scope") return isScope(row.name);
  return true;
}

const isJson = (text: unknown, is: (value: unknown) => boolean): boolean =>
  is(parsed(String(text)));

function isOf(type: string, value: unknown): boolean {
  if (type === "text") return typeof value === "string";
  return type === "integer" ? Number.isSafeInteger(value) : typeof value === "number";
}
