import type { Scope } from "../../model/identity.ts";
import type { Desk } from "./database.ts";

/** Scopes by number: what the index's terms carry. */
export function scopeTable({ run, value }: Desk) {
  const find = value<number>("select number from scope where name = ?");
  const add = run("insert into scope (name) values (?) on conflict (name) do nothing");
  const count = run("update scope set memories = memories + ? where number = ?");
  const total = value<number>(
    "select coalesce(sum(memories), 0) from scope where number in (select value from json_each(?))",
  );
  return {
    /** The scope's number, given now if it has none; another process may forget the name. */
    number: (scope: Scope): number => find(scope) ?? Number(add(scope).lastInsertRowid),
    /** Numbers of the scopes that hold or held anything. */
    numbers: (scopes: readonly Scope[]): number[] =>
      [...new Set(scopes)].map((scope) => find(scope)).filter((number) => number !== undefined),
    count: (scope: number, by: number): unknown => count(by, scope),
    memories: (numbers: readonly number[]): number => total(numbers) ?? 0,
  };
}

export type Scopes = ReturnType<typeof scopeTable>;

type TermChange = (row: number | bigint, owner: string | number, terms: readonly string[]) => void;

/** Puts rows into an inverted index and takes them out. */
export function termRows(desk: Desk, name: string): { add: TermChange; drop: TermChange } {
  const changing = (sql: string): TermChange => {
    const run = desk.run(sql);
    return (row, owner, terms) =>
      void run(row, [...new Set(terms)].map((term) => `${owner}_${term}`).join(" "));
  };
  return {
    add: changing(`insert into ${name} (rowid, terms) values (?, ?)`),
    // A contentless index is told what the row held; secure-delete then takes it out of the pages
    // at once.
    drop: changing(`insert into ${name} (${name}, rowid, terms) values ('delete', ?, ?)`),
  };
}
