import { type Scope } from "../../model/identity.ts";
import { type Connection } from "./database.ts";

/** Scopes by number: what the index's terms carry. */
export function scopeTable(database: Connection) {
  const find = database.prepare("select number from scope where name = ?").pluck();
  const add = database.prepare("insert into scope (name) values (?) on conflict (name) do nothing");
  const count = database.prepare("update scope set memories = memories + ? where number = ?");
  const total = database
    .prepare(
      "select coalesce(sum(memories), 0) from scope where number in (select value from json_each(?))",
    )
    .pluck();
  // Numbers are never given to another name, so they may be remembered.
  const known = new Map<Scope, number>();

  function lookUp(scope: Scope): number | undefined {
    const found = known.get(scope) ?? (find.get(scope) as number | undefined);
    // Only what is committed may be remembered: a transaction that is rolled back takes its new numbers with it.
    if (found !== undefined && !database.inTransaction) known.set(scope, found);
    return found;
  }

  return {
    /** The scope's number, given now if it has none. */
    number(scope: Scope): number {
      const found = lookUp(scope);
      if (found !== undefined) return found;
      return Number(add.run(scope).lastInsertRowid);
    },
    /** Numbers of the scopes that hold or held anything. */
    numbers: (scopes: readonly Scope[]): number[] =>
      [...new Set(scopes)].map(lookUp).filter((number) => number !== undefined),
    count: (scope: number, by: number): unknown => count.run(by, scope),
    memories: (numbers: readonly number[]): number => total.get(JSON.stringify(numbers)) as number,
  };
}

export type Scopes = ReturnType<typeof scopeTable>;
