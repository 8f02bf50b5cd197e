import type { Desk } from "./database.ts";

type Change = (row: number | bigint, owner: string | number, terms: readonly string[]) => void;

/** Puts rows into an inverted index and takes them out. */
export function termRows(desk: Desk, name: string): { add: Change; drop: Change } {
  const changing = (sql: string): Change => {
    const run = desk.run(sql);
    return (row, owner, terms) =>
      void run(row, [...new Set(terms)].map((term) => `${owner}_${term}`).join(" "));
  };
  return {
    add: changing(`insert into ${name} (rowid, terms) values (?, ?)`),
    // A contentless index is told what the row held; secure-delete then takes it out of the pages at once.
    drop: changing(`insert into ${name} (${name}, rowid, terms) values ('delete', ?, ?)`),
  };
}
