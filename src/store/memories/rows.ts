import { type Scope } from "../../model/identity.ts";
import { type Narrowing } from "../../model/store.ts";
import { type Connection } from "../sqlite/database.ts";
import { type MemoryRow } from "../sqlite/memory-rows.ts";
import { type Scopes } from "../sqlite/scopes.ts";
import { statements } from "../sqlite/statements.ts";

export const SELECT =
  "select m.*, s.name as scope_name from memory m join scope s on s.number = m.scope";

export type Values = (string | number)[];
export interface Statement {
  readonly sql: string;
  readonly values: Values;
}

/** Bound, not written out: a statement for each reader would be compiled anew with each. */
export const inside = (numbers: readonly number[]): string =>
  `m.scope in (${numbers.map(() => "?").join(", ")})`;

/** What holds at the moment asked about: current and unexpired, or valid and unexpired then. */
export function narrowed({ now, asOf, category, kind }: Omit<Narrowing, "scopes" | "limit">): {
  sql: string;
  values: Values;
} {
  const held =
    asOf === undefined
      ? "m.valid_to is null"
      : "m.valid_from <= ? and (m.valid_to is null or m.valid_to > ?)";
  return {
    sql: `${held} and (m.expires_at is null or m.expires_at > ?)${category === undefined ? "" : " and m.category = ?"}${kind === undefined ? "" : " and m.kind = ?"}`,
    values: [
      ...(asOf === undefined ? [now] : [asOf, asOf, asOf]),
      ...[category, kind].filter((value) => value !== undefined),
    ],
  };
}

export type Rows = ReturnType<typeof memoryRows>;

/** Rows of memories as the scopes of a reader show them. */
export function memoryRows(database: Connection, scopes: Scopes) {
  const prepare = statements(database);
  const all = ({ sql, values }: Statement): MemoryRow[] =>
    prepare(sql).all(...values) as MemoryRow[];

  /** No scope of the reader's holds anything: no statement, no rows. */
  function visibleTo(
    visible: readonly Scope[],
    build: (numbers: number[]) => Statement,
  ): MemoryRow[] {
    const numbers = scopes.numbers(visible);
    return numbers.length === 0 ? [] : all(build(numbers));
  }

  /** Highest first. One scope after the other, so that each is read in the order of its index and no further than `limit`. */
  function ordered(
    visible: readonly Scope[],
    column: "updated_at" | "stated_at" | "importance" | "uses",
    where: Statement,
    limit: number,
  ): MemoryRow[] {
    const found = scopes.numbers(visible).flatMap((number) =>
      all({
        sql: `${SELECT} where m.scope = ? and ${where.sql} order by m.${column} desc, m.id limit ?`,
        values: [number, ...where.values, limit],
      }),
    );
    return found
      .sort((one, other) => other[column] - one[column] || (one.id < other.id ? -1 : 1))
      .slice(0, limit);
  }

  return { prepare, all, visibleTo, ordered };
}
