import type { Scope } from "../../core/identity.ts";
import type { Stored } from "../../core/memory.ts";
import type { ValueRow } from "../rows.ts";
import type { Listing, Narrowing } from "../search-index.ts";

import { marks, type Sql } from "./sql.ts";

/** Scopes by number: what the index's terms carry. */
export function scopeTable({ run, value }: Sql) {
  const find = (scope: Scope) => value<number>`select number from scope where name = ${scope}`;
  return {
    /** The scope's number, given now if it has none; another process may forget the name. */
    number: (scope: Scope): number =>
      find(scope) ??
      Number(
        run`insert into scope (name) values (${scope}) on conflict (name) do nothing`
          .lastInsertRowid,
      ),
    /** Numbers of the scopes that hold or held anything. */
    numbers: (scopes: readonly Scope[]): number[] =>
      [...new Set(scopes)].map(find).filter((number) => number !== undefined),
    count: (scope: number, by: number): unknown =>
      run`update scope set memories = memories + ${by} where number = ${scope}`,
    memories: (numbers: readonly number[]): number =>
      value`select coalesce(sum(memories), 0) from scope
         where number in (select value from json_each(${numbers}))` ?? 0,
  };
}

export type Scopes = ReturnType<typeof scopeTable>;

type TermChange = (row: number | bigint, owner: string | number, terms: readonly string[]) => void;

/** Puts rows into an inverted index and takes them out. */
export function termRows({ run }: Sql, name: string): { add: TermChange; drop: TermChange } {
  const changing =
    (text: string): TermChange =>
    (row, owner, terms) =>
      void run(text, row, [...new Set(terms)].map((term) => `${owner}_${term}`).join(" "));
  return {
    add: changing(`insert into ${name} (rowid, terms) values (?, ?)`),
    // A contentless index is told what the row held; secure-delete then takes it out of the pages
    // at once.
    drop: changing(`insert into ${name} (${name}, rowid, terms) values ('delete', ?, ?)`),
  };
}

/** A row of `memory`, its columns named as the members they fill. */
export interface MemoryRow extends ValueRow {
  readonly row: number;
  readonly validTo: number | null;
}

/** The columns of `memory m`; its scope's name comes from another table. */
export const COLUMNS =
  "m.row, m.id, m.version, m.key, m.content, m.same, m.terms, m.kind, m.category, " +
  "m.importance, m.source, m.origin, m.tags, m.at, m.updated_at as updatedAt, " +
  "m.stated_at as statedAt, m.expires_at as expiresAt, m.uses, m.used_at as usedAt, " +
  "m.valid_from as validFrom, m.valid_to as validTo, m.sorted";

/** A Stored binds these, by the names of its members. */
export const toColumns = (
  { memory, ...stored }: Stored,
  scope: number,
  terms: readonly string[],
) => ({
  ...memory,
  ...stored,
  scope,
  key: memory.key ?? null,
  terms: terms.join(" "),
  tags: JSON.stringify(memory.tags),
  expiresAt: memory.expiresAt,
  usedAt: stored.usedAt,
  sorted: Number(stored.sorted === true),
});

type Values = readonly (string | number | readonly (string | number)[])[];
/** A condition of a query, and the values it binds. */
export type Condition = readonly [sql: string, ...values: Values];

/** All of them that are asked for. */
export function allOf(...conditions: readonly (Condition | false)[]): Condition {
  const asked = conditions.filter((each) => each !== false);
  return [asked.map(([sql]) => sql).join(" and "), ...asked.flatMap(([, ...values]) => values)];
}

/** A value holds at the moment asked about: current and unexpired, or valid and unexpired then. */
export const narrowed = ({
  now,
  asOf,
  ever = false,
  category,
  kind,
}: Omit<Narrowing, "scopes" | "limit">): Condition =>
  allOf(
    ["(? or m.expires_at is null or m.expires_at > ?)", Number(ever), asOf ?? now],
    !ever &&
      (asOf === undefined
        ? ["m.valid_to is null"]
        : ["m.valid_from <= ? and (m.valid_to is null or m.valid_to > ?)", asOf, asOf]),
    category !== undefined && ["m.category = ?", category],
    // An index of policies alone serves what says so by itself.
    kind !== undefined && (kind === "policy" ? ["m.kind = 'policy'"] : ["m.kind = ?", kind]),
  );

export const SELECT = `select ${COLUMNS}, s.name as scope from memory m
  join scope s on s.number = m.scope`;

/**
 * For look-ups that find a row or none: where there is none, a join takes ten times as long, and so
 * does an order.
 */
const LOOK = `select ${COLUMNS}, (select name from scope where number = m.scope) as scope
  from memory m`;

/** Bound, not written out: a statement for each reader would be compiled anew with each. */
export const inside = (numbers: readonly number[]): string => `m.scope in (${marks(numbers)})`;

/** Columns that memories are listed by, and the members that hold them. */
const ORDERS = {
  updated: ["updated_at", "updatedAt"],
  stated: ["stated_at", "statedAt"],
  importance: ["importance", "importance"],
  used: ["uses", "uses"],
} as const;

export type MemoryRows = ReturnType<typeof memoryRows>;

/** Rows of memories as the scopes of a reader show them. */
export function memoryRows({ rows }: Sql, scopes: Scopes) {
  /** Rows that fit. No scope of the reader's holds anything: no statement, no rows. */
  function visibleTo(visible: readonly Scope[], [where, ...values]: Condition): MemoryRow[] {
    const numbers = scopes.numbers(visible);
    return numbers.length === 0
      ? []
      : rows(`${LOOK} where ${where} and ${inside(numbers)}`, ...values, ...numbers);
  }

  /**
   * Highest first. One scope after the other, so that each is read in the order of its index and no
   * further than `limit`; `parts` of a scope likewise.
   */
  function ordered(
    { scopes: visible, order, behind, limit }: Listing,
    parts: (scope: number) => readonly Condition[],
  ): MemoryRow[] {
    const [column, member] = ORDERS[order];
    const best = (scope: number, part: Condition): MemoryRow[] => {
      const [where, ...values] = allOf(
        ["m.scope = ?", scope],
        part,
        behind !== undefined && [
          `m.${column} <= ? and (m.${column} < ? or m.id > ?)`,
          ...[behind.value, behind.value, behind.id],
        ],
      );
      const text = `${SELECT} where ${where} order by m.${column} desc, m.id limit ?`;
      return rows(text, ...values, limit);
    };
    return scopes
      .numbers(visible)
      .flatMap((scope) => parts(scope).flatMap((part) => best(scope, part)))
      .sort((one, other) => other[member] - one[member] || (one.id < other.id ? -1 : 1))
      .slice(0, limit);
  }

  return { all: rows<MemoryRow>, visibleTo, ordered };
}
