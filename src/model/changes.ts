import type { Scope } from "./identity.ts";
import type { Memory } from "./memory.ts";

/** One value of a memory as a store keeps it. */
export interface Stored {
  readonly memory: Memory;
  /** When it was last stated: saved, saved again, given a new value. Recency counts from here. */
  readonly statedAt: number;
  readonly usedAt?: number;
  /** From when this value held; its successor ends it. */
  readonly validFrom: number;
  /** Digest of the normalised content: equal for what says the same in other letters. */
  readonly same: string;
  /** Its category was found, not given: it teaches none what its members are like. */
  readonly sorted?: true;
}

/** A value of a memory. */
export interface ValueName {
  readonly id: string;
  readonly version: number;
}

/** One step of a plan. `was` is the version the plan was made on. */
export type Change =
  | { readonly do: "insert"; readonly row: Stored }
  /**
   * The same value, other traits: id, version, content, `same`, `at`, `validFrom` and uses stay as
   * they are kept. Where it would take away or change a key, another writer gave one since, and
   * `commit` answers false.
   */
  | { readonly do: "amend"; readonly row: Stored; readonly was: number }
  /**
   * A new value of the same memory, in another scope where it names one; the old one is kept as
   * past where it was.
   */
  | { readonly do: "replace"; readonly row: Stored; readonly was: number }
  /** Superseded: past from `at` on. */
  | { readonly do: "end"; readonly id: string; readonly was: number; readonly at: number }
  /**
   * One that has ended holds again, as a new value: its last one, `was`, held until this one does.
   */
  | { readonly do: "resume"; readonly row: Stored; readonly was: number };

/**
 * A view that is behind what is stored: MEMORY.md of a scope; a line of its day's log; words that
 * are still to be taken off pages and copies. It stands until it is `paid`, by the next process
 * where this one dies.
 */
export interface Debt {
  readonly kind: "page" | "log" | "erase";
  readonly scope: Scope;
  readonly at: number;
  /** JSON of a log's line, whose memory's id stands at `memory.id`, or of what is to be erased. */
  readonly text?: string;
}
export type OwedDebt = Debt & { readonly id: number };
