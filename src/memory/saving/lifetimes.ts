import { TidemarkError } from "../../model/errors.ts";
import { isDict } from "../../base/guards.ts";
import { isScope, SCOPE_KINDS } from "../../model/identity.ts";
import type { Memory } from "../../model/memory.ts";

const DAY = 86_400_000;

type ByName<Value> = Readonly<Record<string, Value>>;

/** Days a memory lives, counted from when it was last stated; Infinity is for ever. */
export interface LifetimeRules {
  readonly categories?: ByName<number>;
  readonly kinds?: ByName<number>;
  readonly sources?: ByName<number>;
  readonly default?: number;
}

/** Rules for all, and rules of one scope ("agent:scout") or of every scope of a kind ("agent"). */
export interface Lifetimes extends LifetimeRules {
  readonly scopes?: ByName<LifetimeRules>;
}

/** Design §7; what is named nowhere lives for ever. */
export const SOURCES: ByName<number> = {
  task_completion: 7,
  session_summary: 3,
  file_index: 30,
  manual: Infinity,
  distilled: Infinity,
};

/** What is of the day, where its category was given: a memory is not lost for words that were taken for it. */
const CATEGORIES: ByName<number> = { daily: 2 };

interface Subject extends Pick<Memory, "scope" | "kind" | "category" | "source"> {
  /** Its category was found, not given. */
  readonly sorted?: boolean;
}

const own = <Value>(table: ByName<Value> | undefined, name: string): Value | undefined =>
  table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;

/** The scope's word on the category, everybody's word on the category, the scope's default, everybody's default, the built-in days, for ever. */
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

const NAMED = ["categories", "kinds", "sources"];

/** Throws TidemarkError "config" with what is wrong in the host's lifetimes. `more`: what is known beside the rules themselves. */
export function checkLifetimes(value: unknown, name = "lifetimes", more = ["scopes"]): void {
  if (value === undefined) return;
  const want = "an object such as { categories: { incident: 90 }, default: 365 }";
  for (const [member, given] of membersOf(value, name, want)) {
    const place = `${name}.${member}`;
    if (given === undefined) continue;
    if (member === "default") checkDays(given, place);
    else if (NAMED.includes(member)) {
      for (const [key, days] of membersOf(given, place, "an object of days by name"))
        checkDays(days, `${place}.${key}`);
    } else if (more.includes(member)) checkScopes(given, place);
    else {
      const known = [...NAMED, "default", ...more].join(", ");
      throw new TidemarkError("config", `${name} knows no "${member}"; it knows ${known}.`);
    }
  }
}

function checkScopes(value: unknown, name: string): void {
  const want = 'an object of rules by scope, such as { "agent:scout": { default: 30 } }';
  for (const [scope, rules] of membersOf(value, name, want)) {
    if (!isScope(scope) && !SCOPE_KINDS.some((kind) => kind === scope))
      throw new TidemarkError(
        "config",
        `${name} takes a scope such as "agent:scout", or a kind of scope (${SCOPE_KINDS.join(", ")}), got "${scope}".`,
      );
    checkLifetimes(rules, `${name}["${scope}"]`, []);
  }
}

function membersOf(value: unknown, name: string, want: string): [string, unknown][] {
  if (!isDict(value)) throw wrong(name, want, value);
  return Object.entries(value);
}

function checkDays(days: unknown, name: string): void {
  if (typeof days !== "number" || !(days > 0))
    throw wrong(name, "a number of days above 0, or Infinity for ever", days);
}

const wrong = (name: string, want: string, got: unknown): TidemarkError =>
  new TidemarkError("config", `${name} must be ${want}, got ${JSON.stringify(got) ?? typeof got}.`);
