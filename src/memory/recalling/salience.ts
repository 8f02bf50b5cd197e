import { phrases } from "../../core/base.ts";
import { isCorePolicy, type Scope } from "../../core/identity.ts";
import {
  isTrusted,
  LEAD_SOURCE,
  type Memory,
  ORIGINS,
  QUOTED,
  type Stored,
} from "../../core/memory.ts";
import type { Storage } from "../../storage/port.ts";
import type { Listing } from "../../storage/search-index.ts";
import { groupOf } from "../../workspace/pages/memory-page.ts";
import { byId, recency, use } from "./rank.ts";
import type { RecallRoom } from "./recall.ts";

/**
 * However old, a memory keeps this share of its weight: age alone does not make a decision
 * unimportant.
 */
const FLOOR = 0.3;
const TRUSTED = ORIGINS.filter(isTrusted);

/** The sections of the system text that tell of memory, in their order. */
const TOLD_AS = ["rules", "lead", "wishes", "about-user", "open", "facts"] as const;
export type ToldAs = (typeof TOLD_AS)[number];
/** These are told as long as they hold: age alone makes none of them untrue. */
const AGELESS: readonly ToldAs[] = ["rules", "lead", "wishes", "about-user"];

/** The section a memory is told in; only the user's and the host's word is a rule or a wish. */
export function toldAs(memory: Memory): ToldAs {
  const { kind, category, key = "", origin, source } = memory;
  if (isCorePolicy(memory)) return "rules";
  if (source === LEAD_SOURCE) return "lead";
  if (OPEN.test(category) || key.endsWith("/open-request")) return "open";
  if (origin !== "host" && origin !== "user") return "facts";
  if (kind === "policy") return origin === "host" ? "rules" : "wishes";
  // "The school is in Laboe, not Kiel" corrects a fact, and asks for nothing.
  if (/correction/i.test(category) && !ASKS.test(memory.content)) return "facts";
  if (kind === "procedure" || /procedure|practice/i.test(category)) return "facts";
  return GROUPED[groupOf(memory)] ?? "facts";
}
const OPEN = /^(?:open|todo)/i;
const ASKS = phrases(
  "\\b",
  `wants?|prefers?|wish(?:es)?|likes?|dislikes?|should|must|always|never|please|don['’]t|do not
  not to|instead of|rather than|avoid`,
);
const GROUPED: Readonly<Record<string, ToldAs>> = {
  "Rules and preferences": "wishes",
  You: "about-user",
};

/**
 * How much a memory matters now, 0…1: importance, by recency (never below FLOOR of it) where age
 * counts, by use (up to 1.5), capped at 1.
 */
export function salience({ memory, statedAt, usedAt }: Stored, now: number) {
  const ages = !AGELESS.includes(toldAs(memory));
  const aged = ages ? FLOOR + (1 - FLOOR) * recency(statedAt, now) : 1;
  return Math.min(1, memory.importance * aged * use(memory.uses, usedAt, now));
}

export interface SalientOptions {
  readonly limit: number;
  /** Upper bound of their texts together, each with `around` tokens of what stands beside it. */
  readonly tokens: Promise<number>;
  readonly around: number;
  /**
   * What is shown elsewhere takes no room here. It may be known only while memories are already
   * looked for.
   */
  readonly without: Promise<(memory: Memory) => boolean>;
  /** Told how many of the user's wishes found no room. */
  readonly leftOut?: (wishes: number) => void;
}

type Weighed = Stored & { readonly weight: number };

/**
 * So many in a row that are too long for what is left: what a shorter one further on would add is
 * little.
 */
const MISSES = 30;

/** Shares of the room that are kept for what does not age, and what all else may take of it. */
const WISHES = 0.5;
const ABOUT_USER = 0.25;
const OTHERS = 0.74;

/**
 * The memories of trusted origin that matter most, in the order of their sections. Rules of the
 * house are all told, whatever the room. Of what is left beside the user's wishes and what is known
 * of the user, each scope has an equal share, and what one leaves goes to the weightiest of the
 * others: a busy project does not push its user's own facts out.
 */
export async function salient(
  { store, scopes, countTokens, now: clock }: RecallRoom,
  { limit, tokens: room, around, without, leftOut }: SalientOptions,
): Promise<Memory[]> {
  const now = clock();
  const ranked = await Promise.all(scopes.map((scope) => weightiest(store, scope, { limit, now })));
  const [stands, tokens] = await Promise.all([without, room]);
  // The same may be known in two scopes, and is told once.
  const known = Map.groupBy(ranked.flat().sort(inTurn), ({ same }) => same);
  const all = [...known.values()].flatMap(([row]) => row ?? []).sort(heavier);
  const told = Map.groupBy(all, ({ memory }) => toldAs(memory));
  const chosen = new Set<Weighed>(told.get("rules"));

  /**
   * From the first on, as many as there is room for; one too long gives its place to a shorter one.
   * What cannot find room is not looked at. Answers what they take.
   */
  function choose(list: readonly Weighed[], most: number, space: number): number {
    const full = chosen.size + most;
    let [used, misses] = [0, 0];
    for (const entry of list) {
      if (chosen.size >= full || space - used < around || misses >= MISSES) break;
      if (chosen.has(entry) || stands(entry.memory)) continue;
      const size = around + countTokens(entry.memory.content);
      if (size > space - used) misses += 1;
      else {
        chosen.add(entry);
        [used, misses] = [used + size, 0];
      }
    }
    return used;
  }

  const lasting = [...(told.get("lead") ?? []), ...(told.get("wishes") ?? [])];
  let left = tokens - choose(lasting, limit, tokens * WISHES);
  left -= choose(told.get("about-user") ?? [], limit, tokens * ABOUT_USER);
  left = Math.min(left, tokens * OTHERS);
  const [share, space] = [Math.floor(limit / scopes.length), left / scopes.length];
  for (const scope of scopes)
    left -= choose(
      all.filter(({ memory }) => memory.scope === scope),
      share,
      space,
    );
  choose(all, limit - chosen.size, left);
  const over = told.get("wishes")?.filter((row) => !chosen.has(row) && !stands(row.memory)) ?? [];
  if (over.length > 0) leftOut?.(over.length);
  return [...chosen].sort(inTurn).map(({ memory }) => memory);
}

/** What was quoted and matters less is found when it is asked for, not told unasked. */
const TOLD_FROM = 0.5;

/** Categories of wishes, which are asked for by name where there is more than a list holds. */
const LASTING = ["rule", "preference", "principle", "constraint"];

/**
 * A store orders by one trait, so each trait is asked; the first answer may hold all there is.
 * `all`: what is not vouched for and what matters less too.
 */
export async function weightiest(
  store: Storage,
  scope: Scope,
  { limit, now, all = false }: { limit: number; now: number; all?: boolean },
): Promise<Weighed[]> {
  const most = Math.max(100, 2 * limit);
  const ask = (order: Listing["order"], which: Partial<Listing> = {}): Promise<Stored[]> =>
    store.find({
      ...which,
      scopes: [scope],
      now,
      origins: all ? undefined : TRUSTED,
      order,
      limit: most,
    });
  const first = await ask("importance");
  const more =
    first.length < most
      ? []
      : await Promise.all([
          ask("stated"),
          ask("used"),
          ask("stated", { kind: "policy" }),
          ...LASTING.map((category) => ask("importance", { category })),
        ]);
  const rows = [first, ...more]
    .flat()
    .filter(
      ({ memory: { importance, source, kind, tags } }) =>
        all ||
        importance >= TOLD_FROM ||
        source === "manual" ||
        kind === "policy" ||
        !tags.includes(QUOTED),
    );
  return [...new Map(rows.map((row) => [row.memory.id, row])).values()]
    .map((row) => ({ ...row, weight: salience(row, now) }))
    .sort(heavier);
}

/** What weighs most, and of equals what was stated last. */
const heavier = (one: Weighed, other: Weighed): number =>
  other.weight - one.weight ||
  other.statedAt - one.statedAt ||
  byId(one.memory.id, other.memory.id);

const placeOf = ({ memory }: Weighed): number => TOLD_AS.indexOf(toldAs(memory));
const inTurn = (one: Weighed, other: Weighed): number =>
  placeOf(one) - placeOf(other) || heavier(one, other);
