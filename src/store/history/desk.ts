import { digest } from "../../text/hash.ts";
import { type Connection, deskOf, marks } from "../sqlite/database.ts";

/** Columns that hold another type than SQLite has: truth as 0 or 1, an object as its JSON. */
const TYPED: Readonly<Record<string, Readonly<Record<string, "flag" | "json">>>> = {
  entry: { reply: "flag", aside: "flag" },
  session: { state: "json", imported: "flag" },
  fold: { detail: "json" },
};

export type StoredRow = Record<string, unknown>;

const stored = (type: "flag" | "json" | undefined, value: unknown): unknown => {
  if (type === undefined || value === null) return value;
  return type === "flag" ? Number(value) : JSON.stringify(value);
};

/** A stored row by the types of its members, without those that hold nothing. */
export function typedRow<Said>(table: string, row: StoredRow): Said {
  const types = TYPED[table] ?? {};
  const said: StoredRow = {};
  for (const [name, value] of Object.entries(row)) {
    if (value === null) continue;
    const type = types[name];
    if (type === "flag") said[name] = value === 1;
    else said[name] = type === "json" ? JSON.parse(String(value)) : value;
  }
  return said as Said;
}

/** Words are found by their digest within one identity and label. */
export const anchorOf = (root: string, label: string | undefined, said: string): string =>
  digest(root, label ?? "", said);

/** Columns, and the members they fill: of a conversation, and of a fold. */
export const SESSION =
  "id, root, label, imported, at, updated_at as updatedAt, confirmed, watermark, noted, " +
  "state, revision";
export const FOLD =
  "session, id, up_to as upTo, text, summary, messages, tokens_before as before, " +
  "tokens_after as after, at, detail";

/** A history at work: the statements of a database, with rows by the types of their members. */
export function historyDesk(database: Connection) {
  const desk = deskOf(database);
  return {
    ...desk,
    said: <Said>(table: string, sql: string) => {
      const rows = desk.rows<StoredRow>(sql);
      return (...given: unknown[]): Said[] => rows(...given).map((row) => typedRow(table, row));
    },
    /**
     * Puts rows into a table, by place: to find a value by its name takes longer than to store it.
     * "up_to as upTo": the column, and the member that it is taken from.
     */
    put: (table: string, columns: string, conflict = ""): ((row: StoredRow) => void) => {
      const places = columns.split(", ").map((column) => {
        const [name = "", member = name] = column.split(" as ");
        return { type: TYPED[table]?.[name], name, member };
      });
      const names = places.map(({ name }) => name);
      const run = desk.run(
        `insert into ${table} (${names.join(", ")}) values (${marks(names)}) ${conflict}`,
      );
      return (row) =>
        void run(...places.map(({ type, member }) => stored(type, row[member] ?? null)));
    },
  };
}
export type HistoryDesk = ReturnType<typeof historyDesk>;
