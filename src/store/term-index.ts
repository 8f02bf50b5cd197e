import { type WeightedTerm } from "../model/store.ts";
import { type Connection } from "./database.ts";

/** SQLite takes at most 500 selects in one compound. */
const MOST_TERMS = 400;

/** Quoted, so that no term can be read as an operator; terms hold letters, marks and digits only. */
const match = (owners: readonly string[], term: string): string => owners.map((owner) => `"${owner}_${term}"`).join(" OR ");

const tokens = (owner: string, terms: readonly string[]): string => [...new Set(terms)].map((term) => `${owner}_${term}`).join(" ");

/** The inverted index of one table: which rows of an owner hold a term. */
export function termIndex(database: Connection, name: string) {
  const insert = database.prepare(`insert into ${name} (rowid, terms) values (?, ?)`);
  // A contentless index is told what the row held; secure-delete then takes it out of the pages at once.
  const drop = database.prepare(`insert into ${name} (${name}, rowid, terms) values ('delete', ?, ?)`);
  const count = database.prepare(`select count(*) from ${name} where ${name} match ?`).pluck();

  return {
    add: (row: number | bigint, owner: string, terms: readonly string[]): unknown => insert.run(row, tokens(owner, terms)),
    drop: (row: number | bigint, owner: string, terms: readonly string[]): unknown => drop.run(row, tokens(owner, terms)),
    holding: (owners: readonly string[], terms: readonly string[]): number[] =>
      terms.map((term) => (owners.length === 0 ? 0 : (count.get(match(owners, term)) as number))),
    /** SQL of a table (row, weight): each row that holds a term, with the weights of all it holds. */
    weighed(owners: readonly string[], terms: readonly WeightedTerm[]): { sql: string; values: (string | number)[] } | undefined {
      const known = terms.slice(0, MOST_TERMS);
      if (owners.length === 0 || known.length === 0) return undefined;
      const one = `select rowid as row, ? as weight from ${name} where ${name} match ?`;
      return {
        sql: `select row, sum(weight) as weight from (${known.map(() => one).join(" union all ")}) group by row`,
        values: known.flatMap(({ term, weight }) => [weight, match(owners, term)]),
      };
    },
  };
}

export type TermIndex = ReturnType<typeof termIndex>;
