import { defined } from "../../base/guards.ts";
import {
  lessTrusted,
  type Origin,
  LEAD_SOURCE,
  type Memory,
  type MemoryKind,
  type MemoryPatch,
} from "../../model/memory.ts";
import { type Scope } from "../../model/identity.ts";
import { type Change, type Stored } from "../../model/store.ts";
import { expiryOf, longer, type Lifetimes } from "./lifetimes.ts";
import { sameness } from "../sameness/canonical.ts";

/** Of one memory. Saying it again may add to them, up to here. */
export const MOST_TAGS = 100;

/** A memory that wants to be saved, checked. What is absent was not said, and changes nothing of what is there. */
export interface Draft {
  readonly content: string;
  /** The digest of what it says, where that is known already. */
  readonly same?: string;
  readonly scope: Scope;
  readonly key?: string;
  readonly category?: string;
  /** The category was found, not given. */
  readonly sorted?: true;
  readonly kind?: MemoryKind;
  readonly importance?: number;
  readonly tags?: readonly string[];
  readonly source: string;
  readonly origin: Origin;
  readonly at: number;
  /** The end that was given; absent: its lifetime's. */
  readonly until?: number | undefined;
}

/** A change of a memory, checked; another scope only where it is promoted. */
export type Patch = Omit<MemoryPatch, "until"> & {
  readonly until?: number | undefined;
  readonly scope?: Scope;
};

export interface Moments {
  readonly now: number;
  readonly lifetimes?: Lifetimes;
}

/** A step and how the memory stands after it. */
export interface Step {
  readonly change: Change;
  readonly event: "saved" | "updated";
  readonly row: Stored;
}

export function insert(draft: Draft, id: string, { now, lifetimes }: Moments): Step {
  const { content, scope, key, source, origin, at, sorted } = draft;
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
  const row: Stored = {
    memory,
    statedAt: at,
    validFrom: at,
    same: draft.same ?? sameness(content),
    sorted,
  };
  return { change: { do: "insert", row }, event: "saved", row };
}

/** A new value under the same key: the memory's identity stays, what it says is the draft's. */
export function replace(draft: Draft, old: Stored, moments: Moments): Step {
  const { kind = old.memory.kind, category = old.memory.category } = draft;
  const made = insert(
    {
      ...draft,
      kind,
      category,
      ...defined({ sorted: draft.category === undefined ? old.sorted : undefined }),
    },
    old.memory.id,
    moments,
  ).row;
  const row: Stored = {
    ...made,
    memory: {
      ...made.memory,
      importance: draft.importance ?? old.memory.importance,
      tags: draft.tags ?? old.memory.tags,
      uses: old.memory.uses,
      version: old.memory.version + 1,
    },
    usedAt: old.usedAt,
  };
  return { change: { do: "replace", row, was: old.memory.version }, event: "updated", row };
}

/**
 * The same said again: nothing new to store, but it matters now, and at least as much as before. A voice less trusted than
 * the memory's confirms it and no more: it must not make its own words weigh with another's name.
 */
export function reinforce(draft: Draft, old: Stored, { now, lifetimes }: Moments): Step {
  const confirmed: Stored = {
    ...old,
    statedAt: Math.max(old.statedAt, draft.at),
    memory: { ...old.memory, updatedAt: now },
  };
  const row = lessTrusted(draft.origin, old.memory.origin)
    ? confirmed
    : strengthened(draft, confirmed, lifetimes);
  return { change: { do: "amend", row, was: old.memory.version }, event: "updated", row };
}

function strengthened(draft: Draft, old: Stored, lifetimes: Lifetimes | undefined): Stored {
  const { expiresAt: expiry, ...memory } = old.memory;
  const { category = memory.category, kind = memory.kind, source } = draft;
  const { scope } = memory;
  const { sorted: found, ...rest } = old;
  const sorted = draft.category === undefined ? found : undefined;
  const subject = { scope, kind, category, source, sorted };
  const expiresAt =
    ownEnd(old, lifetimes) === "early"
      ? (draft.until ?? expiry)
      : (draft.until ?? longer(expiry, expiryOf(subject, draft.at, lifetimes)));
  const lasting = expiresAt === undefined && expiry !== undefined;
  return {
    ...rest,
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
 * Was its end given, rather than made of its lifetime? Then it stays, whatever else is said of the memory. A lifetime counts from
 * when the memory was first stated, or last.
 */
function ownEnd(
  { memory, statedAt, sorted }: Stored,
  lifetimes: Lifetimes | undefined,
): "early" | "late" | undefined {
  const { expiresAt, at } = memory;
  const subject = { ...memory, sorted };
  const [first, last] = [expiryOf(subject, at, lifetimes), expiryOf(subject, statedAt, lifetimes)];
  if (expiresAt === undefined) return undefined;
  if (first === undefined || expiresAt < first) return "early";
  return last !== undefined && expiresAt > last ? "late" : undefined;
}

/** Words given anew are the giver's, and count as stated now. */
export function patched(
  old: Stored,
  { until, ...patch }: Patch,
  { now, lifetimes, origin }: Moments & { origin: Origin },
): Stored {
  const { sorted: found, ...rest } = old;
  const sorted = patch.category === undefined ? found : undefined;
  const { expiresAt: expiry, ...memory } = old.memory;
  const { content = memory.content, kind = memory.kind, category = memory.category } = patch;
  const { scope = memory.scope } = patch;
  const reworded = content !== memory.content;
  const statedAt = reworded ? now : old.statedAt;
  const moved =
    reworded ||
    sorted !== found ||
    kind !== memory.kind ||
    category !== memory.category ||
    scope !== memory.scope;
  const ruled =
    moved && ownEnd(old, lifetimes) === undefined
      ? expiryOf({ ...memory, scope, kind, category, sorted }, statedAt, lifetimes)
      : expiry;
  const expiresAt = until ?? ruled;
  return {
    ...rest,
    sorted,
    statedAt,
    validFrom: now,
    same: sameness(content),
    memory: {
      ...memory,
      ...patch,
      content,
      origin: reworded ? origin : memory.origin,
      updatedAt: now,
      version: memory.version + 1,
      ...defined({ expiresAt }),
    },
  };
}
