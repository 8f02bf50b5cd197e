import { type Connection, prepared } from "./database.ts";

/** Puts rows into an inverted index and takes them out. */
export function termRows(database: Connection, name: string) {
  const { run } = prepared(database);
  const insert = run(`insert into ${name} (rowid, terms) values (?, ?)`);
  // A contentless index is told what the row held; secure-delete then takes it out of the pages at once.
  const remove = run(`insert into ${name} (${name}, rowid, terms) values ('delete', ?, ?)`);
  const tokens = (owner: string | number, terms: readonly string[]): string =>
    [...new Set(terms)].map((term) => `${owner}_${term}`).join(" ");
  return {
    add: (row: number | bigint, owner: Owner, terms: readonly string[]): unknown =>
      insert(row, tokens(owner, terms)),
    drop: (row: number | bigint, owner: Owner, terms: readonly string[]): unknown =>
      remove(row, tokens(owner, terms)),
  };
}
