import type { Usage } from "./ports.ts";

/** What Tidemark calls a model for: by the flush mark, to mend a summary, what was left undone, vectors. */
export type Purpose = "distil" | "correct" | "catch-up" | "embed";

/** Sums over calls. How long what was written is to live is in the dollars. */
export interface Spent extends Omit<Usage, "cacheWrite1h"> {
  readonly calls: number;
  /** Calls that came to nothing; of the unfolded history: requests its window would not have held. */
  readonly failed: number;
  readonly ms: number;
  /** Calls whose tokens are our own count, because no provider reported them. */
  readonly estimated: number;
  /** Dollars of the calls whose model has a known price. */
  readonly dollars: number;
  /** Calls whose model has none. */
  readonly unpriced: number;
}

/**
 * What to add to the books. "turn": the caller's own calls. "unfolded": the same calls, had the whole history been sent
 * each time.
 */
export interface LedgerLine {
  readonly session: string;
  readonly purpose: Purpose | "turn" | "unfolded";
  /** "" where none was named. */
  readonly model: string;
  readonly spent: Spent;
}

/** The last call of a conversation, as far as the next one's account hangs on it. Tokens. */
export interface LastCall {
  readonly at: number;
  readonly sent: number;
  readonly whole: number;
  readonly counted?: Counted;
  /** How much of its request the provider could read from its cache: a share. */
  readonly share: number;
  /** How much of the whole is marked to live for an hour; absent: nothing. */
  readonly hour?: number;
  /** Changes with all that breaks the prefix on our side: folds, undone folds, shortenings. */
  readonly prefix: string;
  /** How many messages the caller gave, where the provider looks back no further than some of them for its cache. */
  readonly messages?: number;
  /** The last calls of other models in the same conversation, the latest first: each has a cache of its own. */
  readonly others?: readonly Omit<LastCall, "others">[];
}

/** What was sent and what the caller gave, by our own count, and for which model, since each counts its own way. */
export interface Counted {
  readonly sent: number;
  readonly given: number;
  readonly model: string;
  /** What came to requests that folded nothing, by the provider's count and by ours: how talk is counted, without all that stands before it. */
  readonly grown: { readonly read: number; readonly sent: number };
}

/** One account: a conversation's, or all of an identity's. */
export interface Account {
  /** The caller's own calls. */
  readonly turns: Spent;
  /** Tidemark's own, by what they were for, and together. */
  readonly memory: Readonly<Record<Purpose, Spent>>;
  readonly memoryTotal: Spent;
  /** What the caller's calls would have taken with the whole history in each, cached as theirs were. */
  readonly unfolded: Spent;
  /** Unfolded less paid, memory calls included; below zero is a loss. Dollars are absent while a price is not known. */
  readonly saved: {
    readonly tokens: number;
    readonly dollars?: number;
    /** By how many dollars, either way, the reckoning may be off: what was not sent is partly our own count. Below that, a saving is none to speak of. */
    readonly within?: number;
  };
}
