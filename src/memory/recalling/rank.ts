import { type Why } from "../../model/memory.ts";
import { type Candidate, type Stored } from "../../model/store.ts";
import { type Judged, modulated, STRATEGIES, type Strategy } from "./strategies.ts";

export { weigh } from "./words.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** How memories are weighed: design §7, as figures. Times in ms. */
export interface RankingRule {
  readonly strategy: Strategy;
  /** After so long, recency is a half. */
  readonly halfLife: number;
  /** What ten uses multiply by, the last of them recent. */
  readonly mostUse: number;
  /** Until so long ago a use is recent; an older one counts half. */
  readonly recentUse: number;
  /** Candidates read for each hit asked for. */
  readonly multiplier: number;
  /** What a hit's own score weighs against its likeness to better ones, 0…1; 1: likeness does not matter. */
  readonly diversity: number;
}

export const RANKING = {
  strategy: "tidemark",
  halfLife: 14 * DAY,
  mostUse: 1.5,
  recentUse: 48 * HOUR,
  multiplier: 3,
  diversity: 0.7,
  /** Below this share of the question a memory is no answer, whatever the strategy. */
  least: 0.25,
} as const satisfies RankingRule & Record<string, unknown>;

export const recency = (
  statedAt: number,
  now: number,
  { halfLife }: Pick<RankingRule, "halfLife"> = RANKING,
): number => 2 ** (-Math.max(0, now - statedAt) / halfLife);

/** 1…mostUse */
export function use(
  uses: number,
  usedAt: number | undefined,
  now: number,
  { mostUse, recentUse }: Pick<RankingRule, "mostUse" | "recentUse"> = RANKING,
): number {
  const recent = usedAt !== undefined && now - usedAt <= recentUse;
  return 1 + Math.min(uses / 10, mostUse - 1) * (recent ? 1 : 0.5);
}

/** The score of what does not fade: a turn of history. */
export const scoreOf = (
  { words, use: used, importance }: Pick<Why, "words" | "use" | "importance">,
  recent: number,
): number => modulated(words, { recency: recent, use: used, importance });

/** How well a memory answers, by each sign and by all of them together: 0…1. */
export interface Match {
  readonly words: number;
  readonly meaning: number;
  readonly relevance: number;
}

export interface Ranked<T extends Stored = Stored> {
  readonly stored: T;
  readonly score: number;
  readonly why: Why;
}

/** Best first, ties by id; what is not relevant is left out. */
export function rank<T extends Candidate>(
  candidates: readonly T[],
  match: (candidate: T) => Match,
  now: number,
  rule: RankingRule = RANKING,
): Ranked<T>[] {
  const pool = candidates
    .map((stored) => ({ stored, match: match(stored) }))
    .filter(({ match: { relevance } }) => relevance >= RANKING.least)
    .map(({ stored, match: { words, meaning, relevance } }) => {
      const { memory, usedAt, statedAt } = stored;
      const why: Why = {
        words,
        meaning,
        recency: recency(statedAt, now, rule),
        use: use(memory.uses, usedAt, now, rule) / rule.mostUse,
        importance: memory.importance,
      };
      return {
        stored,
        why,
        relevance,
        age: Math.max(0, now - statedAt),
        id: memory.id,
      } satisfies Judged & { stored: T };
    });
  const scores = STRATEGIES[rule.strategy](pool);
  return pool
    .map(({ stored, why }, at): Ranked<T> => ({
      stored,
      why,
      score: Math.min(1, Math.max(0, scores[at] ?? 0)),
    }))
    .sort(
      (one, other) => other.score - one.score || byId(one.stored.memory.id, other.stored.memory.id),
    );
}

export const byId = (one: string, other: string): number => {
  if (one < other) return -1;
  return one > other ? 1 : 0;
};

/** Found by its words alone. */
export const byWords = (words: number): Match => ({ words, meaning: 0, relevance: words });
