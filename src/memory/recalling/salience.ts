import { type Scope } from "../../model/identity.ts";
import { LEAD_SOURCE, type Memory, isTrusted, ORIGINS } from "../../model/memory.ts";
import { type Store, type Stored } from "../../model/store.ts";
import { byId, RANKING, type RankingRule, recency, use } from "./rank.ts";
import { type RecallRoom } from "./recall.ts";

/** However old, a memory keeps this share of its weight: age alone does not make a decision unimportant. */
const FLOOR = 0.3;
const TRUSTED = ORIGINS.filter(isTrusted);

/** How much a memory matters now, 0…1: importance, by recency (never below FLOOR of it), by use (up to 1.5), capped at 1. */
export const salience = (
  { memory, statedAt, usedAt }: Stored,
  now: number,
  rule: RankingRule = RANKING,
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
  /** What is shown elsewhere takes no room here. It may be known only while memories are already looked for. */
  readonly without: Promise<(memory: Memory) => boolean>;
}

interface Weighed extends Stored {
  readonly weight: number;
}

/**
 * The memories of trusted origin that matter most, first first. Each scope has an equal share of the room, and what one
 * leaves goes to the weightiest of the others: a busy project does not push its user's own facts out.
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
  const fitting = {
    around,
    stands,
    size: ({ memory }: Weighed): number => around + countTokens(memory.content),
  };
  const share = {
    ...fitting,
    limit: Math.floor(limit / ranked.length),
    tokens: tokens / ranked.length,
  };
  const shares = ranked.map((list) => taken(list, share));
  const chosen = new Set(shares.flatMap(({ found }) => found));
  const used = shares.reduce((sum, own) => sum + own.used, 0);
  // Of one scope all was looked at with all the room there is.
  const rest = ranked.length === 1 ? [] : ranked.flat().filter((entry) => !chosen.has(entry));
  const { found } = taken(rest.sort(heavier), {
    ...fitting,
    limit: limit - chosen.size,
    tokens: tokens - used,
  });
  return [...chosen, ...found].sort(heavier).map(({ memory }) => memory);
}

interface Fitting {
  readonly limit: number;
  readonly tokens: number;
  readonly around: number;
  readonly size: (entry: Weighed) => number;
  readonly stands: (memory: Memory) => boolean;
}

/** So many in a row that are too long for what is left: what a shorter one further on would add is little. */
const MISSES = 30;

/** From the first on, as many as there is room for; one too long gives its place to a shorter one. What cannot find room is not looked at. */
function taken(
  list: readonly Weighed[],
  { limit, tokens, around, size, stands }: Fitting,
): { found: Weighed[]; used: number } {
  const found: Weighed[] = [];
  let [used, misses] = [0, 0];
  for (const entry of list) {
    if (found.length >= limit || tokens - used < around || misses >= MISSES) break;
    if (stands(entry.memory)) continue;
    const more = size(entry);
    if (more > tokens - used) misses += 1;
    else {
      [used, misses] = [used + more, 0];
      found.push(entry);
    }
  }
  return { found, used };
}

/** What matters less when it is stated is found when it is asked for, and not told unasked. */
const TOLD_FROM = 0.5;

/** A store orders by one trait, so each trait is asked; the first answer may hold all there is. `all`: what is not vouched for and what matters less too. */
export async function weightiest(
  store: Store,
  scope: Scope,
  {
    limit,
    now,
    ranking,
    all = false,
  }: { limit: number; now: number; ranking?: RankingRule; all?: boolean },
): Promise<Weighed[]> {
  const most = Math.max(100, 2 * limit);
  const ask = (order: "importance" | "stated" | "used"): Promise<Stored[]> =>
    store.list({
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
