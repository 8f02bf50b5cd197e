import type { Change, Stored } from "../../model/changes.ts";
import { defined } from "../../base/guards.ts";
import {
  lessTrusted,
  type Origin,
  LEAD_SOURCE,
  type Memory,
  type MemoryPatch,
} from "../../model/memory.ts";
import type { Scope } from "../../model/identity.ts";
import { expiryOf, longer, type Lifetimes } from "./lifetimes.ts";
import { sameness } from "../sameness/canonical.ts";

/** Saying a memory again may add tags, up to here. */
export const MOST_TAGS = 100;

export type Traits = Partial<Pick<Memory, "key" | "category" | "kind" | "importance" | "tags">>;

/**
 * A memory that wants to be saved, checked. What is absent was not said, and changes nothing of
 * what is there.
 */
export interface Draft
  extends Traits, Pick<Memory, "content" | "scope" | "source" | "origin" | "at"> {
  /** The digest of what it says. */
  readonly same: string;
  /** The category was found, not given. */
  readonly sorted?: true;
  /** The end that was given; absent: its lifetime's. */
  readonly until?: number;
}

/** A change of a memory, checked; another scope only where it is promoted. */
export type Patch = Omit<MemoryPatch, "until"> & Pick<Draft, "until"> & { readonly scope?: Scope };

export interface Moments {
  readonly now: number;
  readonly lifetimes: Lifetimes;
}

/** A change after which the memory stands. */
export type Written = Exclude<Change, { do: "end" }>;

export function insert(draft: Draft, id: string, { now, lifetimes }: Moments): Written {
  const { content, same, scope, key, source, origin, at, sorted } = draft;
  const { kind = "fact", category = "general" } = draft;
  const subject = { scope, kind, category, source, sorted };
  const expiresAt = draft.until ?? expiryOf(subject, at, lifetimes);
  const memory: Memory = {
    id,
    content,
    scope,
    kind,
    category,
    ...defined({ key, expiresAt }),
    importance: draft.importance ?? 0.5,
    source,
    origin,
    tags: draft.tags ?? [],
    at,
    updatedAt: now,
    uses: 0,
    version: 1,
  };
  return { do: "insert", row: { memory, statedAt: at, validFrom: at, same, sorted } };
}

/** A new value under the same key: the memory's identity stays, what it says is the draft's. */
export function replace(
  draft: Draft,
  { memory: old, usedAt, sorted: found }: Stored,
  moments: Moments,
): Written {
  const { kind = old.kind, category = old.category } = draft;
  const { importance = old.importance, tags = old.tags } = draft;
  const sorted = draft.category === undefined ? found : undefined;
  const given = { ...draft, kind, category, importance, tags, sorted };
  const { row } = insert(given, old.id, moments);
  const memory = { ...row.memory, uses: old.uses, version: old.version + 1 };
  return { do: "replace", row: { ...row, memory, usedAt }, was: old.version };
}

/**
 * The same said again: nothing new to store, but it matters now, and at least as much as before. A
 * voice less trusted than the memory's confirms it and no more: it must not make its own words
 * weigh with another's name.
 */
export function reinforce(draft: Draft, old: Stored, { now, lifetimes }: Moments): Written {
  const confirmed: Stored = {
    ...old,
    statedAt: Math.max(old.statedAt, draft.at),
    memory: { ...old.memory, updatedAt: now },
  };
  const row = lessTrusted(draft.origin, old.memory.origin)
    ? confirmed
    : strengthened(draft, confirmed, lifetimes);
  return { do: "amend", row, was: old.memory.version };
}

function strengthened(draft: Draft, old: Stored, lifetimes: Lifetimes): Stored {
  const { expiresAt: expiry, ...memory } = old.memory;
  const { category = memory.category, kind = memory.kind, source } = draft;
  const sorted = draft.category === undefined ? old.sorted : undefined;
  const lifetime = expiryOf({ ...memory, kind, category, source, sorted }, draft.at, lifetimes);
  const ruled = ownEnd(old, lifetimes) === "early" ? expiry : longer(expiry, lifetime);
  const expiresAt = draft.until ?? ruled;
  const lasting = expiresAt === undefined && expiry !== undefined;
  return {
    ...old,
    sorted,
    memory: {
      ...memory,
      ...defined({ key: memory.key ?? draft.key, expiresAt }),
      category,
      kind,
      importance: Math.max(memory.importance, draft.importance ?? 0),
      tags: [...new Set([...memory.tags, ...(draft.tags ?? [])])].slice(0, MOST_TAGS),
      // The draft that gives it the longer life is its source from now on.
      source: lasting || source === LEAD_SOURCE ? source : memory.source,
      origin: draft.origin,
    },
  };
}

/**
 * Was its end given, rather than made of its lifetime? Then it stays, whatever else is said of the
 * memory. A lifetime counts from when the memory was first stated, or last.
 */
function ownEnd(
  { memory, statedAt, sorted }: Stored,
  lifetimes: Lifetimes,
): "early" | "late" | undefined {
  const { expiresAt, at } = memory;
  if (expiresAt === undefined) return undefined;
  const [first, last] = [at, statedAt].map((from) =>
    expiryOf({ ...memory, sorted }, from, lifetimes),
  );
  if (first === undefined || expiresAt < first) return "early";
  return last !== undefined && expiresAt > last ? "late" : undefined;
}

/** Words given anew are the giver's, and count as stated now. */
export function patched(
  old: Stored,
  { until, ...patch }: Patch,
  { now, lifetimes, origin }: Moments & { readonly origin: Origin },
): Written {
  const { expiresAt: expiry, ...memory } = old.memory;
  const next = { ...memory, ...patch };
  const sorted = patch.category === undefined ? old.sorted : undefined;
  const reworded = next.content !== memory.content;
  const statedAt = reworded ? now : old.statedAt;
  const moved =
    reworded ||
    sorted !== old.sorted ||
    (["kind", "category", "scope"] as const).some((trait) => next[trait] !== memory[trait]);
  const ruled =
    moved && ownEnd(old, lifetimes) === undefined
      ? expiryOf({ ...next, sorted }, statedAt, lifetimes)
      : expiry;
  const row = {
    ...old,
    sorted,
    statedAt,
    validFrom: now,
    same: sameness(next.content),
    memory: {
      ...next,
      origin: reworded ? origin : memory.origin,
      updatedAt: now,
      version: memory.version + 1,
      ...defined({ expiresAt: until ?? ruled }),
    },
  };
  return { do: "replace", row, was: memory.version };
}
