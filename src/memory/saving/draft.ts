import { defined, isOneOf } from "../../core/base.ts";
import { isScope, type Scope, SCOPE_KINDS } from "../../core/identity.ts";
import {
  type Change,
  LEAD_SOURCE,
  lessTrusted,
  type Memory,
  type MemoryPatch,
  type Origin,
  type Stored,
} from "../../core/memory.ts";
import { byName, type Given, is, options, where } from "../../core/schema.ts";
import { sameness } from "./same-and-category.ts";

const DAY = 86_400_000;

type ByName<Value> = Readonly<Record<string, Value>>;

/** Days a memory lives, counted from when it was last stated; Infinity is for ever. */
interface LifetimeRules {
  readonly categories?: ByName<number>;
  readonly kinds?: ByName<number>;
  readonly sources?: ByName<number>;
  readonly default?: number;
}

/** Rules for all, and rules of one scope ("agent:scout") or of every scope of a kind ("agent"). */
export interface Lifetimes extends LifetimeRules {
  readonly scopes?: ByName<LifetimeRules>;
}

const days = is<number>(
  "a number of days above 0, or Infinity for ever",
  (value) => typeof value === "number" && value > 0,
);
const named = byName("an object of days by name", days);
const RULES: Given<LifetimeRules> = {
  categories: named,
  kinds: named,
  sources: named,
  default: days,
};
const EXAMPLE = "an object such as { categories: { incident: 90 }, default: 365 }";

export const LIFETIMES = options<Lifetimes>(
  {
    ...RULES,
    scopes: where(
      byName("an object of rules by scope", options(RULES, EXAMPLE)),
      'an object of rules by scope, such as "agent:scout", or by kind of scope ' +
        `(${SCOPE_KINDS.join(", ")})`,
      (scopes) => Object.keys(scopes).every((one) => isScope(one) || isOneOf(SCOPE_KINDS, one)),
    ),
  },
  EXAMPLE,
);

/** A source that is not named here lives for ever. */
export const SOURCES: ByName<number> = {
  task_completion: 7,
  session_summary: 3,
  file_index: 30,
  manual: Infinity,
  distilled: Infinity,
};

/**
 * What is of the day, where its category was given: a memory is not lost for words that were taken
 * for it.
 */
const CATEGORIES: ByName<number> = { daily: 2 };

interface Subject extends Pick<Memory, "scope" | "kind" | "category" | "source"> {
  /** Its category was found, not given. */
  readonly sorted?: boolean;
}

const own = <Value>(table: ByName<Value> | undefined, name: string): Value | undefined =>
  table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;

/**
 * The scope's word on the category, everybody's word on the category, the scope's default,
 * everybody's default, the built-in days, for ever.
 */
export function daysOf(subject: Subject, lifetimes: Lifetimes = {}): number {
  const { scope, kind, category, source, sorted = false } = subject;
  const sets: readonly LifetimeRules[] = [
    own(lifetimes.scopes, scope) ?? {},
    own(lifetimes.scopes, scope.slice(0, scope.indexOf(":"))) ?? {},
    lifetimes,
  ];
  const said = [
    ...sets.map(({ categories }) => own(categories, category)),
    ...sets.map((rules) => own(rules.kinds, kind) ?? own(rules.sources, source) ?? rules.default),
    sorted ? undefined : own(CATEGORIES, category),
    own(SOURCES, source),
  ];
  return said.find((days) => days !== undefined) ?? Infinity;
}

/** The first ms at which a memory stated at `at` is no longer found. */
function expiryOf(subject: Subject, at: number, lifetimes?: Lifetimes): number | undefined {
  const days = daysOf(subject, lifetimes);
  return Number.isFinite(days) ? at + Math.round(days * DAY) : undefined;
}

/** The later of two expiries; none is the latest. */
const longer = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? undefined : Math.max(one, other);

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
  const ruled = isEndGiven(old, lifetimes) ? expiry : longer(expiry, lifetime);
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
function isEndGiven({ memory, statedAt, sorted }: Stored, lifetimes: Lifetimes): boolean {
  const { expiresAt, at } = memory;
  const [first = Infinity, last = Infinity] = [at, statedAt].map((from) =>
    expiryOf({ ...memory, sorted }, from, lifetimes),
  );
  return expiresAt !== undefined && (expiresAt < first || expiresAt > last);
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
    moved && !isEndGiven(old, lifetimes)
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

/** A value told after one that began later, which holds again behind it. */
export function backdated(draft: Draft, held: Stored, moments: Moments): Written[] {
  const past = replace(draft, held, moments);
  const { version: was } = past.row.memory;
  const memory = { ...held.memory, version: was + 1 };
  return [past, { do: "replace", row: { ...held, memory }, was }];
}
