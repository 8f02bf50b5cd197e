import { TidemarkError } from "../../model/errors.ts";
import { isDict } from "../../base/guards.ts";
import { SCOPE_KINDS, type Scope } from "../../model/identity.ts";
import { type Memory } from "../../model/memory.ts";

const DAY = 86_400_000;

/** Days a memory lives, counted from when it was last stated; Infinity is for ever. */
export interface LifetimeRules {
  readonly categories?: Readonly<Record<string, number>>;
  readonly kinds?: Readonly<Record<string, number>>;
  readonly sources?: Readonly<Record<string, number>>;
  readonly default?: number;
}

/** Rules for all, and rules of one scope ("agent:scout") or of every scope of a kind ("agent"). */
export interface Lifetimes extends LifetimeRules {
  readonly scopes?: Readonly<Record<string, LifetimeRules>>;
}

/** Design §7; what is named nowhere lives for ever. */
export const SOURCES: Readonly<Record<string, number>> = {
  task_completion: 7,
  session_summary: 3,
  file_index: 30,
  manual: Infinity,
  distilled: Infinity,
};

/** What is of the day, where its category was given: a memory is not lost for words that were taken for it. */
const CATEGORIES: Readonly<Record<string, number>> = { daily: 2 };

interface Subject extends Pick<Memory, "scope" | "kind" | "category" | "source"> {
  /** Its category was found, not given. */
  readonly sorted?: boolean;
}

const own = (
  days: Readonly<Record<string, number>> | undefined,
  name: string,
): number | undefined => (days !== undefined && Object.hasOwn(days, name) ? days[name] : undefined);

/** What a rule set says of a memory whose category it does not name. */
const otherwise = (
  { kinds, sources, default: days }: LifetimeRules,
  { kind, source }: Subject,
): number | undefined => own(kinds, kind) ?? own(sources, source) ?? days;

/** The scope's word on the category, everybody's word on the category, the scope's default, everybody's default, the built-in days, for ever. */
export function daysOf(subject: Subject, lifetimes: Lifetimes = {}): number {
  const kindOfScope = subject.scope.slice(0, subject.scope.indexOf(":"));
  const mine = [subject.scope, kindOfScope].flatMap((name) =>
    lifetimes.scopes !== undefined && Object.hasOwn(lifetimes.scopes, name)
      ? [lifetimes.scopes[name] ?? {}]
      : [],
  );
  const sets: readonly LifetimeRules[] = [...mine, lifetimes];
  const first = (ask: (rules: LifetimeRules) => number | undefined): number | undefined =>
    sets.map(ask).find((days) => days !== undefined);
  return (
    first(({ categories }) => own(categories, subject.category)) ??
    first((rules) => otherwise(rules, subject)) ??
    (subject.sorted === true ? undefined : own(CATEGORIES, subject.category)) ??
    own(SOURCES, subject.source) ??
    Infinity
  );
}

/** The first ms at which a memory stated at `at` is no longer found. */
export function expiryOf(subject: Subject, at: number, lifetimes?: Lifetimes): number | undefined {
  const days = daysOf(subject, lifetimes);
  return Number.isFinite(days) ? at + Math.round(days * DAY) : undefined;
}

/** The later of two expiries; none is the latest. */
export const longer = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? undefined : Math.max(one, other);

const NAMED = ["categories", "kinds", "sources"] as const;

/** The host's lifetimes, or TidemarkError "config" with what is wrong in them. */
export function checkLifetimes(value: unknown, name = "lifetimes"): Lifetimes {
  if (value === undefined) return {};
  if (!isDict(value))
    throw wrong(name, "an object such as { categories: { incident: 90 }, default: 365 }", value);
  for (const [member, given] of Object.entries(value)) {
    if (given === undefined) continue;
    if (member === "default") checkDays(given, `${name}.default`);
    else if (NAMED.some((known) => known === member)) {
      if (!isDict(given)) throw wrong(`${name}.${member}`, "an object of days by name", given);
      for (const [key, days] of Object.entries(given)) checkDays(days, `${name}.${member}.${key}`);
    } else if (member === "scopes" && name === "lifetimes") {
      if (!isDict(given))
        throw wrong(
          `${name}.scopes`,
          'an object of rules by scope, such as { "agent:scout": { default: 30 } }',
          given,
        );
      for (const [scope, rules] of Object.entries(given)) {
        if (!isScopeName(scope))
          throw new TidemarkError(
            "config",
            `lifetimes.scopes takes a scope such as "agent:scout", or a kind of scope (${SCOPE_KINDS.join(", ")}), got "${scope}".`,
          );
        checkLifetimes(rules, `${name}.scopes["${scope}"]`);
      }
    } else
      throw new TidemarkError(
        "config",
        `${name} knows no "${member}"; it knows ${[...NAMED, "default", ...(name === "lifetimes" ? ["scopes"] : [])].join(", ")}.`,
      );
  }
  return value;
}

const isScopeName = (name: string): name is Scope =>
  SCOPE_KINDS.some(
    (kind) => name === kind || (name.startsWith(`${kind}:`) && name.length > kind.length + 1),
  );

function checkDays(days: unknown, name: string): void {
  if (typeof days !== "number" || !(days > 0))
    throw wrong(name, "a number of days above 0, or Infinity for ever", days);
}

const wrong = (name: string, want: string, got: unknown): TidemarkError =>
  new TidemarkError("config", `${name} must be ${want}, got ${JSON.stringify(got) ?? typeof got}.`);
