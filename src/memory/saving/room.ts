import type { Scope } from "../../model/identity.ts";
import type { Rights } from "../../model/rights.ts";
import type { Origin } from "../../model/memory.ts";
import { mask, type Mask } from "../../secrets/mask.ts";
import type { CommitRoom } from "./commit.ts";
import type { Lifetimes } from "./lifetimes.ts";
import type { RecallRoom } from "../recalling/recall.ts";

/**
 * Where memories of one identity stand, and what is done with them. `scopes`: all that the identity
 * reads.
 */
export interface MemoryRoom extends RecallRoom, CommitRoom {
  /** The identity's rights, asked anew each time: a team grows. */
  readonly rights: () => Promise<Rights>;
  /** A save that names no scope goes here. */
  readonly home: Scope;
  readonly newId: () => string;
  readonly lifetimes: Lifetimes;
  /** Origin of the words that `save` and `update` carry. */
  readonly origin: Origin;
  /** Takes secrets out of all that is saved. */
}

/** Members of ours, or of a closed list, hold no words of a conversation. */
const OURS = new Set(["id", "scope", "kind", "origin", "same"]);

/**
 * A draft, a patch, a fact or a question without the secrets in any of its texts: nothing of them
 * reaches the journal, a database or a file. A field that is new is masked unless it is named
 * above.
 */
export function maskedTexts<T extends object>(given: T, known: Mask = mask): T {
  const masked = (value: unknown): unknown => {
    if (typeof value === "string") return known(value);
    return Array.isArray(value) ? value.map(masked) : value;
  };
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, OURS.has(name) ? value : masked(value)]),
  ) as T;
}
