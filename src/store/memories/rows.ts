import type { Scope } from "../../model/identity.ts";
import { type Desk, marks } from "../sqlite/database.ts";
import { COLUMNS, type Condition, type MemoryRow, type Values } from "../sqlite/memory-rows.ts";
import type { Scopes } from "../sqlite/scopes.ts";

export const SELECT = `select ${COLUMNS}, s.name as scope from memory m join scope s on s.number = m.scope`;

/** For look-ups that find a row or none: where there is none, a join takes ten times as long, and so does an order. */
const LOOK = `select ${COLUMNS}, (select name from scope where number = m.scope) as scope from memory m`;

/** Bound, not written out: a statement for each reader would be compiled anew with each. */
export const inside = (numbers: readonly number[]): string => `m.scope in (${marks(numbers)})`;

/** Columns that memories are listed by, and the members that hold them. */
const ORDERS = {
  updated: ["updated_at", "updatedAt"],
  stated: ["stated_at", "statedAt"],
  importance: ["importance", "importance"],
  used: ["uses", "uses"],
} as const;

export type Rows = ReturnType<typeof memoryRows>;

/** Rows of memories as the scopes of a reader show them. */
export function memoryRows({ listed }: Desk, scopes: Scopes) {
  const all = (sql: string, ...values: Values): MemoryRow[] =>
    listed(sql)(...values) as MemoryRow[];

  /** Rows that fit. No scope of the reader's holds anything: no statement, no rows. */
  function visibleTo(
    visible: readonly Scope[],
    [where, ...values]: Condition,
    order = "",
  ): MemoryRow[] {
    const numbers = scopes.numbers(visible);
    return numbers.length === 0
      ? []
      : all(`${LOOK} where ${where} and ${inside(numbers)}${order}`, ...values, ...numbers);
  }

  /** Highest first. One scope after the other, so that each is read in the order of its index and no further than `limit`. */
  function ordered(
    visible: readonly Scope[],
    order: keyof typeof ORDERS,
    [where, ...values]: Condition,
    limit: number,
  ): MemoryRow[] {
    const [column, member] = ORDERS[order];
    const best = `${SELECT} where m.scope = ? and ${where} order by m.${column} desc, m.id limit ?`;
    return scopes
      .numbers(visible)
      .flatMap((number) => all(best, number, ...values, limit))
      .sort((one, other) => other[member] - one[member] || (one.id < other.id ? -1 : 1))
      .slice(0, limit);
  }

  return { listed, all, visibleTo, ordered };
}
