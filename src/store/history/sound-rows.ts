import { isDict, parsed } from "../../base/guards.ts";
import { digest } from "../../text/hash.ts";
import { sealNoteIn } from "./keeping.ts";
import { type Row } from "./cells.ts";

export interface Column {
  name: string;
  type: string;
  notnull: number;
}

/** A row that was written here: of the types of its columns, its words as its digest says. */
export function isSound(table: string, row: Row, columns: readonly Column[]): boolean {
  for (const { name, type: declared, notnull } of columns) {
    const type = declared.toLowerCase();
    const value = row[name];
    if (value === null ? notnull === 1 : !isOf(type, value)) return false;
  }
  if (table === "body") return digest(row.json as string) === row.hash;
  if (table === "media") return digest(row.data as string) === row.hash;
  if (table === "session") return isJson(row.root, Array.isArray) && isJson(row.state, isDict);
  if (table === "keeping" && row.name === "seal") return sealNoteIn(row.value) !== undefined;
  if (table === "fold")
    return row.detail === undefined || row.detail === null || isJson(row.detail, isDict);
  return true;
}

const isJson = (text: unknown, is: (value: unknown) => boolean): boolean =>
  is(parsed(String(text)));

function isOf(type: string, value: unknown): boolean {
  if (type === "text") return typeof value === "string";
  return type === "integer" ? Number.isSafeInteger(value) : typeof value === "number";
}
