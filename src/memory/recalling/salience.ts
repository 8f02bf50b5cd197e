import type { Scope } from "../../core/identity.ts";
import { isTrusted, LEAD_SOURCE, type Memory, ORIGINS, type Stored } from "../../core/memory.ts";
import type { Storage } from "../../storage/port.ts";
import { byId, RANKING, type RankingRule, recency, use } from "./rank.ts";
import type { RecallRoom } from "./recall.ts";

/**
 * However old, a memory keeps this share of its weight: age alone does not make a decision
 * unimportant.
 */
const FLOOR = 0.3;
const TRUSTED = ORIGINS.filter(isTrusted);

/**
 * How much a memory matters now, 0…1: importance, by recency (never below FLOOR of it), by use (up
 * to 1.5), capped at 1.
 */
export const salience = (
  { memory, statedAt, usedAt }: Stored,
  now: number,
  rule: RankingRule,
): number =>
  Math.min(
    1,
    memory.importance *
      (FLOOR + (1 - FLOOR) * recency(statedAt, now, rule)) *
      use(memory.uses, usedAt, now, rule),
  );

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
}

type Weighed = Stored & { readonly weight: number };

/**
 * So many in a row that are too long for what is left: what a shorter one further on would add is
 * little.
 */
const MISSES = 30;

/**
 * The memories of trusted origin that matter most, first first. Each scope has an equal share of
 * the room, and what one leaves goes to the weightiest of the others: a busy project does not push
 * its user's own facts out.
 */
export async function salient(
  { store, scopes, countTokens, ranking, now: clock }: RecallRoom,
  { limit, tokens: room, around, without }: SalientOptions,
): Promise<Memory[]> {
  const now = clock();
  const ranked = await Promise.all(
    scopes.map((scope) => weightiest(store, scope, { limit, now, ranking })),
  );
  const [stands, tokens] = await Promise.all([without, room]);
  const chosen = new Set<Weighed>();

  /**
   * From the first on, as many as there is room for; one too long gives its place to a shorter one.
   * What cannot find room is not looked at. Answers what they take.
   */
  function choose(list: readonly Weighed[], most: number, space: number): number {
    const full = chosen.size + most;
    let [used, misses] = [0, 0];
    for (const entry of list) {
      if (chosen.size >= full || space - used < around || misses >= MISSES) break;
      if (stands(entry.memory)) continue;
      const size = around + countTokens(entry.memory.content);
      if (size > space - used) misses += 1;
      else {
        chosen.add(entry);
        [used, misses] = [used + size, 0];
      }
    }
    return used;
  }

  const [share, space] = [Math.floor(limit / ranked.length), tokens / ranked.length];
  const used = ranked.reduce((sum, list) => sum + choose(list, share, space), 0);
  // One scope alone was looked at with all the room there is.
  const rest = ranked.length === 1 ? [] : ranked.flat().filter((entry) => !chosen.has(entry));
  choose(rest.sort(heavier), limit - chosen.size, tokens - used);
  return [...chosen].sort(heavier).map(({ memory }) => memory);
}

/** A memory that matters less when it is stated is found when it is asked for, not told unasked. */
const TOLD_FROM = 0.5;

/**
 * A store orders by one trait, so each trait is asked; the first answer may hold all there is.
 * `all`: what is not vouched for and what matters less too.
 */
export async function weightiest(
  store: Storage,
  scope: Scope,
  {
    limit,
    now,
    ranking = RANKING,
    all = false,
  }: { limit: number; now: number; ranking?: RankingRule; all?: boolean },
): Promise<Weighed[]> {
  const most = Math.max(100, 2 * limit);
  const ask = (order: "importance" | "stated" | "used"): Promise<Stored[]> =>
    store.find({
      scopes: [scope],
      now,
      origins: all ? undefined : TRUSTED,
      order,
      limit: most,
    });
  const first = await ask("importance");
  const more = first.length < most ? [] : await Promise.all([ask("stated"), ask("used")]);
  const rows = [first, ...more]
    .flat()
    .filter(({ memory }) => all || memory.importance >= TOLD_FROM || memory.source === "manual");
  return [...new Map(rows.map((row) => [row.memory.id, row])).values()]
    .map((row) => ({ ...row, weight: salience(row, now, ranking) }))
    .sort(heavier);
}

/** A lead's word stands first; then what weighs most. */
const heavier = (one: Weighed, other: Weighed): number =>
  Number(other.memory.source === LEAD_SOURCE) - Number(one.memory.source === LEAD_SOURCE) ||
  other.weight - one.weight ||
  byId(one.memory.id, other.memory.id);
