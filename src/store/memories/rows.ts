import { type Scope } from "../../model/identity.ts";
import { type Connection, marks, statements } from "../sqlite/database.ts";
import { type Condition, type MemoryRow } from "../sqlite/memory-rows.ts";
import { type Scopes } from "../sqlite/scopes.ts";

export const SELECT =
  "select m.*, s.name as scope_name from memory m join scope s on s.number = m.scope";

/** For look-ups that find a row or none: where there is none, a join takes ten times as long, and so does an order. */
const LOOK =
  "select m.*, (select name from scope where number = m.scope) as scope_name from memory m";

/** Bound, not written out: a statement for each reader would be compiled anew with each. */
export const inside = (numbers: readonly number[]): string => `m.scope in (${marks(numbers)})`;

export type Rows = ReturnType<typeof memoryRows>;

/** Rows of memories as the scopes of a reader show them. */
export function memoryRows(database: Connection, scopes: Scopes) {
  const prepare = statements(database);
  const all = ({ sql, values }: Condition): MemoryRow[] =>
    prepare(sql).all(...values) as MemoryRow[];

  /** Rows that fit. No scope of the reader's holds anything: no statement, no rows. */
  function visibleTo(visible: readonly Scope[], where: Condition, order = ""): MemoryRow[] {
    const numbers = scopes.numbers(visible);
    return numbers.length === 0
      ? []
      : all({
          sql: `${LOOK} where ${where.sql} and ${inside(numbers)}${order}`,
          values: [...where.values, ...numbers],
        });
  }

  /** Highest first. One scope after the other, so that each is read in the order of its index and no further than `limit`. */
  function ordered(
    visible: readonly Scope[],
    column: "updated_at" | "stated_at" | "importance" | "uses",
    where: Condition,
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
