import type { Scope } from "../../../src/model/identity.ts";
import type {
  Candidate,
  Change,
  KeptValue,
  Narrowing,
  Stored,
  ValueName,
} from "../../../src/model/store.ts";
import { terms } from "../../../src/text/terms.ts";
import { memoryTerms } from "./terms.ts";

/** One value of a memory; `until` is set on what no longer holds. */
export interface Value {
  readonly row: number;
  stored: Stored;
  readonly terms: readonly string[];
  until?: number;
}

/** The store is not what the plan was made on. */
class Stale extends Error {}

const isCurrent = ({ until }: Value): boolean => until === undefined;
const ownerOf = ({ stored, until }: Pick<Value, "stored" | "until">): string =>
  `${stored.memory.scope}${until === undefined ? "" : " past"}`;

export const candidateOf = ({ stored, terms: found }: Value): Candidate => ({
  ...stored,
  terms: found,
});

/** Who sees what, when: the same rule for every question. */
export function sees({ now, asOf, category, kind }: Omit<Narrowing, "scopes" | "limit">) {
  const at = asOf ?? now;
  return ({ stored: { memory, validFrom }, until }: Value): boolean =>
    (asOf === undefined
      ? until === undefined
      : validFrom <= asOf && (until === undefined || until > asOf)) &&
    (memory.expiresAt === undefined || memory.expiresAt > at) &&
    (category === undefined || memory.category === category) &&
    (kind === undefined || memory.kind === kind);
}

/** The values of every memory, and how plans change them. */
export function memoryValues() {
  const values = new Map<number, Value>();
  const rowsOf = new Map<string, Set<number>>();
  const index = memoryTerms();
  let last = 0;

  const all = (): Value[] => [...values.values()];
  const ofId = (id: string): Value[] =>
    [...(rowsOf.get(id) ?? [])].flatMap((row) => values.get(row) ?? []);
  const current = (id: string): Value | undefined => ofId(id).find(isCurrent);
  const inScopes = (scopes: readonly Scope[]): Value[] =>
    all().filter(({ stored }) => scopes.includes(stored.memory.scope));

  function keep(value: Value): void {
    values.set(value.row, value);
    const rows = rowsOf.get(value.stored.memory.id) ?? new Set<number>();
    rowsOf.set(value.stored.memory.id, rows.add(value.row));
    index.add(value.row, ownerOf(value), value.terms);
  }

  function erase(value: Value): void {
    values.delete(value.row);
    const rows = rowsOf.get(value.stored.memory.id);
    rows?.delete(value.row);
    if (rows?.size === 0) rowsOf.delete(value.stored.memory.id);
    index.drop(value.row, ownerOf(value), value.terms);
  }

  function fresh(id: string, was: number): Value {
    const value = current(id);
    if (value?.stored.memory.version !== was) throw new Stale();
    return value;
  }

  const keyTaken = ({ memory }: Stored): boolean =>
    memory.key !== undefined &&
    all().some(
      ({ stored: { memory: other }, until }) =>
        until === undefined &&
        other.id !== memory.id &&
        other.scope === memory.scope &&
        other.key === memory.key,
    );

  function taken({ memory, same }: Stored): boolean {
    return all().some(
      ({ stored: { memory: other, same: digest }, until }) =>
        until === undefined &&
        other.scope === memory.scope &&
        ((memory.key !== undefined && other.key === memory.key) ||
          (digest === same && (other.key === undefined || memory.key === undefined))),
    );
  }

  /** Each step answers how it is taken back. */
  function apply(change: Change): () => void {
    switch (change.do) {
      case "insert": {
        if (current(change.row.memory.id) !== undefined || taken(change.row)) throw new Stale();
        return add(change.row);
      }
      case "amend": {
        const value = fresh(change.row.memory.id, change.was);
        const { key } = value.stored.memory;
        if (change.row.memory.key !== key && (key !== undefined || keyTaken(change.row)))
          throw new Stale();
        const before = value.stored;
        const { uses, scope, content, version, at } = before.memory;
        value.stored = {
          ...change.row,
          memory: { ...change.row.memory, uses, scope, content, version, at },
          validFrom: before.validFrom,
          same: before.same,
          ...(before.usedAt === undefined ? {} : { usedAt: before.usedAt }),
        };
        return () => void (value.stored = before);
      }
      case "replace": {
        const old = fresh(change.row.memory.id, change.was);
        if (keyTaken(change.row)) throw new Stale();
        const back = retire(old, change.row.validFrom);
        const { uses } = old.stored.memory;
        // What was counted since the plan was made belongs to the memory, not to the plan.
        const forth = add({
          ...change.row,
          memory: { ...change.row.memory, uses },
          ...(old.stored.usedAt === undefined ? {} : { usedAt: old.stored.usedAt }),
        });
        return () => {
          forth();
          back();
        };
      }
      case "end":
        return retire(fresh(change.id, change.was), change.at);
      default:
        return change satisfies never;
    }
  }

  function add(stored: Stored): () => void {
    const value: Value = { row: (last += 1), stored, terms: terms(stored.memory.content) };
    keep(value);
    return () => erase(value);
  }

  function retire(value: Value, at: number): () => void {
    erase(value);
    keep({ ...value, until: Math.max(value.stored.validFrom, at) });
    return () => {
      const past = values.get(value.row);
      if (past !== undefined) erase(past);
      keep(value);
    };
  }

  return {
    all,
    ofId,
    current,
    inScopes,
    erase,
    row: (row: number): Value | undefined => values.get(row),
    page({
      scopes,
      ids,
      after,
      limit,
    }: {
      scopes?: readonly Scope[];
      ids?: readonly string[];
      after?: ValueName;
      limit: number;
    }): KeptValue[] {
      const name = ({ stored: { memory } }: Value): readonly [string, number] => [
        memory.id,
        memory.version,
      ];
      const before = (
        [id, version]: readonly [string, number],
        [otherId, other]: readonly [string, number],
      ): number => (id === otherId ? version - other : id < otherId ? -1 : 1);
      return (scopes === undefined ? all() : inScopes(scopes))
        .filter(({ stored }) => ids === undefined || ids.includes(stored.memory.id))
        .filter(
          (value) => after === undefined || before(name(value), [after.id, after.version]) > 0,
        )
        .sort((one, other) => before(name(one), name(other)))
        .slice(0, limit)
        .map(({ stored, until }) => ({ stored, ...(until === undefined ? {} : { until }) }));
    },
    restore(ids: readonly string[], kept: readonly KeptValue[], scopes?: readonly Scope[]): void {
      for (const id of new Set(ids))
        ofId(id)
          .filter(({ stored }) => scopes?.includes(stored.memory.scope) ?? true)
          .forEach(erase);
      for (const { stored, until } of kept) {
        const other = until === undefined ? current(stored.memory.id) : undefined;
        const later = other !== undefined && other.stored.memory.version > stored.memory.version;
        if (other !== undefined && !later) retire(other, stored.validFrom);
        keep({
          row: (last += 1),
          stored,
          terms: terms(stored.memory.content),
          until: later ? other.stored.validFrom : until,
        });
      }
    },
    /** Rows of the scopes that hold the term; with `past`, of what no longer holds too. */
    holding: (scopes: readonly Scope[], term: string, past: boolean): number[] =>
      index.holding(
        [...new Set(scopes)].flatMap((scope) => (past ? [scope, `${scope} past`] : [scope])),
        term,
      ),
    /** All or none: false, and nothing is changed, when a step does not fit. */
    put(changes: readonly Change[]): boolean {
      const back: (() => void)[] = [];
      try {
        for (const change of changes) back.push(apply(change));
        return true;
      } catch (thrown) {
        for (const undo of back.reverse()) undo();
        if (thrown instanceof Stale) return false;
        throw thrown;
      }
    },
  };
}
export type MemoryValues = ReturnType<typeof memoryValues>;
