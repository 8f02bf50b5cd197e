import type { Memory } from "../../core/memory.ts";

/** A value, and when it held. Times are ms since epoch. */
export interface EntityFact {
  readonly memory: Memory;
  readonly since: number;
  /** When it was last told, whenever it began to hold. */
  readonly known: number;
  /** Subject, relation and object, where they were given. */
  readonly edges?: readonly string[];
  /** Absent: it holds. */
  readonly until?: number;
}

/** A value that ended, and what took its place. */
export interface EntityChange {
  /** When, ms since epoch. */
  readonly at: number;
  /** The memory whose value ended. */
  readonly id: string;
  readonly was: string;
  /** Absent: nothing took its place. */
  readonly now?: string;
  /** Why, in the words of what took its place. */
  readonly because?: string;
  /** Both in a sentence, with the day. */
  readonly text: string;
}
