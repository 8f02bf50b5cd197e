import { isDict } from "../../base/guards.ts";
import { digest } from "../../text/hash.ts";
import { type Connection, SilentDamage, marks } from "../sqlite/database.ts";
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

/** Which texts of which table are closed, and how. */
const CLOSED: Readonly<Record<string, Readonly<Record<string, How>>>> = {
  entry: {
    chain: "key",
    content: "key",
    skeleton: "key",
    anchor: "key",
    head: "put",
    prefix: "put",
    thought: "key",
    name: "put",
    ref: "put",
  },
  aside: { content: "key", prefix: "put", thought: "key" },
  session: { label: "key", state: "json" },
  fold: { text: "put", summary: "put", detail: "json" },
  job: { error: "put" },
  pin: { text: "put" },
};

export type Row = Record<string, unknown>;

const cellOf = (cells: Cells, table: string, name: string, value: unknown): unknown => {
  const how = CLOSED[table]?.[name];
  return typeof value === "string" && how ? cells.close(how, name, value) : value;
};

/** A row in plain text as it is stored. */
export const closedRow = (cells: Cells, table: string, row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, cellOf(cells, table, name, value)]),
  );

/** What a stored row says, without what it holds nothing of. */
export function openedRow<Said>(cells: Cells, table: string, row: Row): Said {
  const said: Row = {};
  for (const [name, value] of Object.entries(row)) {
    const how = CLOSED[table]?.[name];
    if (value !== null)
      said[name] = typeof value === "string" && how ? cells.open(how, name, value) : value;
  }
  return said as Said;
}

/** What a reply is found by: its content within one identity and label. */
export const anchorOf = (root: string, label: string | undefined, content: string): string =>
  digest(root, label ?? "", content);

/** Puts rows into a table, given in plain text; by place: to find a value by its name takes longer than to store it. */
export function rowWriter(
  { database, cells }: Desk,
  table: string,
  columns: string,
  conflict = "",
): (row: Row) => void {
  const names = columns.split(", ");
  const put = database.prepare(
    `insert into ${table} (${columns}) values (${marks(names)}) ${conflict}`,
  );
  return (row) => void put.run(names.map((name) => cellOf(cells, table, name, row[name] ?? null)));
}

/** A file, open to be written to. */
export interface Desk {
  readonly database: Connection;
  readonly cells: Cells;
}
