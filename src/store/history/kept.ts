import type { Keep } from "../../model/history.ts";
import { type Connection, valueOf } from "../sqlite/database.ts";

/**
 * How a history keeps messages; it is noted in the file itself, so that it holds for who does not
 * say.
 */
export function keptAs(database: Connection): Keep {
  const held = valueOf(database, "select text from note where name = 'keep'");
  return held === "masked" ? held : "verbatim";
}

export const noteKept = (database: Connection, keep: Keep): void =>
  void database.prepare("insert or replace into note (name, text) values ('keep', ?)").run(keep);
