import { isOneOf } from "../../base/guards.ts";
import { isScope, SCOPE_KINDS } from "../../model/identity.ts";
import type { Memory } from "../../model/memory.ts";
import { byName, type Given, is, options, where } from "../../model/schema.ts";

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
export function expiryOf(subject: Subject, at: number, lifetimes?: Lifetimes): number | undefined {
  const days = daysOf(subject, lifetimes);
  return Number.isFinite(days) ? at + Math.round(days * DAY) : undefined;
}

/** The later of two expiries; none is the latest. */
export const longer = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? undefined : Math.max(one, other);
