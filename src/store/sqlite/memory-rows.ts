import { defined } from "../../base/guards.ts";
import { type Scope } from "../../model/identity.ts";
import { type MemoryKind, type Origin } from "../../model/memory.ts";
import { type Candidate, type Narrowing, type Stored } from "../../model/store.ts";

/** A row of `memory` joined with its scope's name. */
export interface MemoryRow {
  row: number;
  id: string;
  version: number;
  scope: number;
  scope_name: string;
  key: string | null;
  content: string;
  same: string;
  terms: string;
  kind: string;
  category: string;
  importance: number;
  source: string;
  origin: string;
  tags: string;
  at: number;
  updated_at: number;
  stated_at: number;
  expires_at: number | null;
  uses: number;
  used_at: number | null;
  valid_from: number;
  valid_to: number | null;
  sorted: number;
}

export const splitTerms = (terms: string): string[] => (terms === "" ? [] : terms.split(" "));

export function toStored(row: MemoryRow): Stored {
  return defined({
    memory: defined({
      id: row.id,
      content: row.content,
      scope: row.scope_name as Scope,
      kind: row.kind as MemoryKind,
      category: row.category,
      key: row.key ?? undefined,
      importance: row.importance,
      source: row.source,
      origin: row.origin as Origin,
      tags: JSON.parse(row.tags) as string[],
      at: row.at,
      updatedAt: row.updated_at,
      expiresAt: row.expires_at ?? undefined,
      uses: row.uses,
      version: row.version,
    }) as Stored["memory"],
    statedAt: row.stated_at,
    usedAt: row.used_at ?? undefined,
    validFrom: row.valid_from,
    same: row.same,
    sorted: row.sorted === 1 || undefined,
  }) as Stored;
}

export const toCandidate = (row: MemoryRow): Candidate => ({
  ...toStored(row),
  terms: splitTerms(row.terms),
});

/** The columns a Stored fills, by name. */
export const toColumns = (
  { memory, statedAt, usedAt, validFrom, same, sorted }: Stored,
  scope: number,
  terms: readonly string[],
) => ({
  id: memory.id,
  version: memory.version,
  scope,
  key: memory.key ?? null,
  content: memory.content,
  same,
  terms: terms.join(" "),
  kind: memory.kind,
  category: memory.category,
  importance: memory.importance,
  source: memory.source,
  origin: memory.origin,
  tags: JSON.stringify(memory.tags),
  at: memory.at,
  updated_at: memory.updatedAt,
  stated_at: statedAt,
  expires_at: memory.expiresAt ?? null,
  uses: memory.uses,
  used_at: usedAt ?? null,
  valid_from: validFrom,
  sorted: sorted === true ? 1 : 0,
});

export type Values = (string | number)[];
export interface Condition {
  readonly sql: string;
  readonly values: Values;
}

/** What holds at the moment asked about: current and unexpired, or valid and unexpired then. */
export function narrowed({
  now,
  asOf,
  category,
  kind,
}: Omit<Narrowing, "scopes" | "limit">): Condition {
  const all: [string, ...Values][] = [
    asOf === undefined
      ? ["m.valid_to is null"]
      : ["m.valid_from <= ? and (m.valid_to is null or m.valid_to > ?)", asOf, asOf],
    ["(m.expires_at is null or m.expires_at > ?)", asOf ?? now],
  ];
  if (category !== undefined) all.push(["m.category = ?", category]);
  if (kind !== undefined) all.push(["m.kind = ?", kind]);
  return {
    sql: all.map(([sql]) => sql).join(" and "),
    values: all.flatMap(([, ...values]) => values),
  };
}
