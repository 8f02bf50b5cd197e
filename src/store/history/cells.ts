import { isDict } from "../../base/guards.ts";
import { SilentDamage } from "../sqlite/database.ts";
import { isSealed, type Seal } from "../sqlite/seal.ts";

/**
 * How texts of history.db stand in its rows. A file without a key holds them as they are. Of a sealed one everything that was
 * said, or can be guessed from what was said, is closed; times, roles, lengths and whose it is are not.
 */
export interface Cells {
  readonly sealed: boolean;
  put(column: string, text: string): string;
  /** A text that rows are looked up by, or compared with. */
  key(column: string, text: string): string;
  get(column: string, cell: string): string;
  /** An object's JSON: an object's JSON still, so that a file can be checked without its key. */
  putJson(column: string, json: string): string;
  getJson(column: string, cell: string): string;
  /** A message. It names what the key is made with: that must survive whatever else of a file is lost. */
  putBody(json: string): string;
  getBody(cell: string): string;
}

const same = (_column: string, text: string): string => text;

export const PLAIN: Cells = {
  sealed: false,
  put: same,
  key: same,
  get: same,
  putJson: same,
  getJson: same,
  putBody: (json) => json,
  getBody: (cell) => cell,
};

/** Salvage gives a broken object up for an empty one, and nothing said needs no lock. */
const isBare = (cell: string): boolean => cell === "" || cell === "{}";

export function sealedCells(seal: Seal, salt: string): Cells {
  const get = (column: string, cell: string): string => {
    if (isBare(cell)) return cell;
    try {
      return seal.open(column, cell);
    } catch {
      throw new SilentDamage();
    }
  };
  return {
    sealed: true,
    put: (column, text) => (isBare(text) ? text : seal.close(column, text)),
    key: (column, text) => (isBare(text) ? text : seal.same(column, text)),
    get,
    putJson: (column, json) =>
      isBare(json) ? json : JSON.stringify({ sealed: seal.close(column, json) }),
    getJson(column, cell) {
      if (isBare(cell)) return cell;
      const held: unknown = JSON.parse(cell);
      return get(column, isDict(held) && typeof held.sealed === "string" ? held.sealed : "");
    },
    putBody: (json) => `${salt}.${seal.same("body", json)}`,
    getBody: (cell) => get("body", cell.slice(cell.indexOf(".") + 1)),
  };
}

/** What the key of a sealed message was made with. */
export function saltIn(body: string): string | undefined {
  const [salt = "", cell = ""] = body.split(".", 2);
  return /^[\w-]{22}$/.test(salt) && isSealed(cell) ? salt : undefined;
}
