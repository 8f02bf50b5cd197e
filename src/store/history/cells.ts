import { isDict } from "../../base/guards.ts";
import { digest } from "../../text/hash.ts";
import { type Connection, deskOf, marks, SilentDamage } from "../sqlite/database.ts";
import { isSealed, type Seal } from "../sqlite/seal.ts";

/**
 * How a text is closed. "put": unlike each time. "key": alike for what is alike, since rows are looked up by it, or compared. "json":
 * an object's JSON, which is an object's JSON still, so that a file can be checked without its key. "body": a message; it names
 * what the key is made with, which must survive whatever else of a file is lost.
 */
type How = "put" | "key" | "json" | "body";

/**
 * How texts of history.db stand in its rows. A file without a key holds them as they are. Of a sealed one everything that was
 * said, or can be guessed from what was said, is closed; times, roles, lengths and whose it is are not.
 */
export interface Cells {
  readonly sealed: boolean;
  close(how: How, column: string, text: string): string;
  open(how: How, column: string, cell: string): string;
}

const same = (_how: How, _column: string, text: string): string => text;
export const PLAIN: Cells = { sealed: false, close: same, open: same };

/** Salvage gives a broken object up for an empty one, and nothing said needs no lock. */
const isBare = (cell: string): boolean => cell === "" || cell === "{}";

export function sealedCells(seal: Seal, salt: string): Cells {
  const close = {
    put: (column: string, text: string) => seal.close(column, text),
    key: (column: string, text: string) => seal.same(column, text),
    json: (column: string, text: string) => JSON.stringify({ sealed: seal.close(column, text) }),
    body: (column: string, text: string) => `${salt}.${seal.same(column, text)}`,
  };
  const within = (how: How, cell: string): string => {
    if (how === "body") return cell.slice(cell.indexOf(".") + 1);
    const held: unknown = how === "json" ? JSON.parse(cell) : cell;
    return isDict(held) ? String(held.sealed) : cell;
  };
  return {
    sealed: true,
    close: (how, column, text) => (isBare(text) ? text : close[how](column, text)),
    open(how, column, cell) {
      if (isBare(cell)) return cell;
      try {
        return seal.open(column, within(how, cell));
      } catch {
        throw new SilentDamage();
      }
    },
  };
}

/** What the key of a sealed message was made with. */
export function saltIn(body: string): string | undefined {
  const [salt = "", cell = ""] = body.split(".", 2);
  return /^[\w-]{22}$/.test(salt) && isSealed(cell) ? salt : undefined;
}

/** Which texts of which table are closed, and how; "flag": what is true or false, and stands open as a number. */
const CLOSED: Readonly<Record<string, Readonly<Record<string, How | "flag">>>> = {
  entry: {
    reply: "flag",
    aside: "flag",
    chain: "key",
    content: "key",
    said: "key",
    anchor: "key",
    prefix: "put",
    thought: "key",
    name: "put",
    ref: "put",
  },
  aside: { content: "key", prefix: "put", thought: "key" },
  session: { label: "key", state: "json", imported: "flag" },
  fold: { text: "put", summary: "put", detail: "json" },
  job: { error: "put" },
  pin: { text: "put" },
};

export type Row = Record<string, unknown>;

const cellOf = (cells: Cells, table: string, name: string, value: unknown): unknown => {
  const how = CLOSED[table]?.[name];
  if (how === undefined || value === null) return value;
  if (how === "flag") return Number(value);
  return cells.close(how, name, typeof value === "string" ? value : JSON.stringify(value));
};

/** A row in plain text as it is stored. */
export const closedRow = (cells: Cells, table: string, row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, cellOf(cells, table, name, value)]),
  );

/** What a stored row says, without what it holds nothing of. */
export function openedRow<Said>(cells: Cells, table: string, row: Row): Said {
  const closed = CLOSED[table] ?? {};
  const said: Row = {};
  for (const [name, value] of Object.entries(row)) {
    if (value === null) continue;
    const how = closed[name];
    if (how === "flag") said[name] = value === 1;
    else if (how === undefined) said[name] = value;
    else {
      const text = cells.open(how, name, String(value));
      said[name] = how === "json" ? JSON.parse(text) : text;
    }
  }
  return said as Said;
}

/** A user's words are found by their digest within one identity and label. */
export const anchorOf = (root: string, label: string | undefined, said: string): string =>
  digest(root, label ?? "", said);

/** Columns, and the members they fill: of a conversation, and of a fold. */
export const SESSION =
  "id, root, label, imported, at, updated_at as updatedAt, confirmed, watermark, noted, state, revision";
export const FOLD =
  "session, id, up_to as upTo, text, summary, messages, tokens_before as before, tokens_after as after, at, detail";

/** A history at work: what is read of it is plain text, and so is what is put into it. */
export function historyDesk(database: Connection, cells: Cells) {
  const desk = deskOf(database);
  return {
    ...desk,
    cells,
    said: <Said>(table: string, sql: string) => {
      const rows = desk.rows<Row>(sql);
      return (...given: unknown[]): Said[] =>
        rows(...given).map((row) => openedRow(cells, table, row));
    },
    /**
     * Puts rows into a table, by place: to find a value by its name takes longer than to store it. "up_to as upTo": the column, and
     * the member that it is taken from.
     */
    put: (table: string, columns: string, conflict = ""): ((row: Row) => void) => {
      const places = columns.split(", ").map((column) => {
        const [name = "", member = name] = column.split(" as ");
        return { name, member };
      });
      const names = places.map(({ name }) => name);
      const run = desk.run(
        `insert into ${table} (${names.join(", ")}) values (${marks(names)}) ${conflict}`,
      );
      return (row) =>
        void run(
          ...places.map(({ name, member }) => cellOf(cells, table, name, row[member] ?? null)),
        );
    },
  };
}
export type HistoryDesk = ReturnType<typeof historyDesk>;
