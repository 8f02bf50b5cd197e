import type { Stored } from "../../model/changes.ts";
import type { Candidate } from "../../model/search-index.ts";
import type { Why } from "../../model/memory.ts";
import type { Match } from "../meaning/judging.ts";
import { FORMULAS } from "./formulas.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;
const PERSONAL = /^(?:agent|user):/;
type Strategy = keyof typeof FORMULAS;
export const STRATEGY_NAMES = Object.keys(FORMULAS) as readonly Strategy[];
/** The systems that a strategy comes from name it too. */
export const ANCESTORS = {
  "agent-swarm": "swarm",
  synthorg: "linear",
} as const satisfies Readonly<Record<string, Strategy>>;
export type StrategyName = Strategy | keyof typeof ANCESTORS;

/** How memories are weighed, as figures. Times in ms. */
export interface RankingRule {
  readonly strategy: Strategy;
  /** After so long, recency is a half. */
  readonly halfLife: number;
  /** Ten uses multiply by it, the last of them recent. */
  readonly mostUse: number;
  /** Until so long ago a use is recent; an older one counts half. */
  readonly recentUse: number;
  /** Candidates read for each hit asked for. */
  readonly multiplier: number;
  /**
   * What a hit's own score weighs against its likeness to better ones, 0…1; 1: likeness does not
   * matter.
   */
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

/** The strategy named, with the usual figures. */
export function rankingRule(name: StrategyName = RANKING.strategy): RankingRule {
  const { least: _least, ...usual } = RANKING;
  const strategy =
    STRATEGY_NAMES.find((own) => own === name) ?? ANCESTORS[name as keyof typeof ANCESTORS];
  return { ...usual, strategy };
}

export const recency = (statedAt: number, now: number, { halfLife }: RankingRule): number =>
  2 ** (-Math.max(0, now - statedAt) / halfLife);

/** 1…mostUse */
export function use(
  uses: number,
  usedAt: number | undefined,
  now: number,
  { mostUse, recentUse }: RankingRule,
): number {
  const recent = usedAt !== undefined && now - usedAt <= recentUse;
  return 1 + Math.min(uses / 10, mostUse - 1) * (recent ? 1 : 0.5);
}

export interface Ranked<T extends Stored = Stored> {
  readonly stored: T;
  readonly score: number;
  readonly why: Why;
}

/**
 * Best first, ties by id. What is not relevant reaches no formula, so that none shows a fresh
 * memory that has nothing to do with the question.
 */
export function rank<T extends Candidate>(
  candidates: readonly T[],
  match: (candidate: T) => Match,
  now: number,
  rule: RankingRule = RANKING,
): Ranked<T>[] {
  const pool = candidates.flatMap((stored) => {
    const { relevance, ...signs } = match(stored);
    if (!(relevance >= RANKING.least)) return [];
    const { memory, usedAt, statedAt } = stored;
    const why: Why = {
      ...signs,
      recency: recency(statedAt, now, rule),
      use: use(memory.uses, usedAt, now, rule) / rule.mostUse,
      importance: memory.importance,
    };
    const isPersonal = PERSONAL.test(memory.scope);
    return [{ stored, relevance, why, age: Math.max(0, now - statedAt), isPersonal }];
  });
  const scores = FORMULAS[rule.strategy](pool);
  const ranked = pool.flatMap(({ stored, why }, at): Ranked<T>[] => {
    const score = scores[at];
    return score === undefined ? [] : [{ stored, why, score: Math.min(1, Math.max(0, score)) }];
  });
  return ranked.sort(
    (one, other) => other.score - one.score || byId(one.stored.memory.id, other.stored.memory.id),
  );
}

export const byId = (one: string, other: string): number => {
  if (one < other) return -1;
  return one > other ? 1 : 0;
};

/** Found by its words alone. */
export const byWords = (words: number): Match => ({ words, meaning: 0, relevance: words });
