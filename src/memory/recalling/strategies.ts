import { type Why } from "../../model/memory.ts";

const HOUR = 3_600_000;
/** What age can take away at most: 0.3 of the score. */
const AGELESS = 0.7;
/** An unimportant memory keeps this much of its score. */
const UNIMPORTANT = 0.85;
/** SynthOrg: relevance and recency, and what an hour takes from recency. */
const LINEAR = { relevance: 0.7, recency: 0.3, hourly: 0.01 } as const;
const RRF = 60;

/** Relevance gates; age (0…1), use and importance modulate. */
export const modulated = (
  relevance: number,
  { recency, use, importance }: Pick<Why, "recency" | "use" | "importance">,
): number =>
  relevance *
  (AGELESS + (1 - AGELESS) * recency) *
  use *
  (UNIMPORTANT + (1 - UNIMPORTANT) * importance);

export const STRATEGY_NAMES = ["tidemark", "swarm", "linear", "rrf"] as const;
export type Strategy = (typeof STRATEGY_NAMES)[number];
/** The systems that a strategy comes from name it too. */
export const ANCESTORS = {
  "agent-swarm": "swarm",
  synthorg: "linear",
} as const satisfies Readonly<Record<string, Strategy>>;
export type StrategyName = Strategy | keyof typeof ANCESTORS;

/** A candidate that answers the question, as a strategy sees it. */
export interface Judged {
  readonly id: string;
  readonly why: Why;
  readonly relevance: number;
  /** ms since it was stated. */
  readonly age: number;
}

/**
 * Scores of 0…1 for candidates that are relevant at all. What is not (below RANKING.least) reaches none of them, so no
 * strategy shows a fresh memory that has nothing to do with the question. They differ in what a fresh memory that has a
 * little to do with it can do to an old exact one:
 *
 * | strategy | an old exact memory stays before a fresh one of relevance … |
 * |---|---|
 * | tidemark | up to 0.39, before the most used and important; up to 0.7 when use and importance are alike |
 * | linear | up to 0.57 |
 * | rrf | below 1: it knows no age |
 * | swarm | none: after a few half-lives its product is next to 0, and it promises nothing |
 */
export const STRATEGIES: Readonly<Record<Strategy, (pool: readonly Judged[]) => number[]>> = {
  tidemark: (pool) => pool.map(({ relevance, why }) => modulated(relevance, why)),
  /** Agent Swarm's: similarity × 2^(−age / half-life) × use, brought to 0…1. */
  swarm: (pool) => pool.map(({ relevance, why }) => relevance * why.recency * why.use),
  /** SynthOrg's: 0.7 relevance + 0.3 recency. Its own half-life is 69 hours. */
  linear: (pool) =>
    pool.map(
      ({ relevance, age }) =>
        LINEAR.relevance * relevance + LINEAR.recency * Math.exp((-LINEAR.hourly * age) / HOUR),
    ),
  /** Reciprocal ranks by words and by meaning; a list that says nothing has no vote. The first of every list has 1. */
  rrf(pool) {
    const lists = (["words", "meaning"] as const).filter((sign) =>
      pool.some(({ why }) => why[sign] > 0),
    );
    const votes = pool.map(() => 0);
    for (const sign of lists) {
      const places = placesOf(pool, sign);
      pool.forEach(
        ({ id, why }, at) =>
          (votes[at] = (votes[at] ?? 0) + (why[sign] > 0 ? 1 / (RRF + (places.get(id) ?? 0)) : 0)),
      );
    }
    return votes.map((vote) => (vote * (RRF + 1)) / lists.length);
  },
};

/** Places from 1, best first; equals share one, so that ids decide nothing here. */
function placesOf(pool: readonly Judged[], sign: "words" | "meaning"): Map<string, number> {
  const sorted = [...pool].sort((one, other) => other.why[sign] - one.why[sign]);
  const places = new Map<string, number>();
  let place = 0;
  sorted.forEach(({ id, why }, at) => {
    if (at === 0 || why[sign] < (sorted[at - 1]?.why[sign] ?? 0)) place = at + 1;
    places.set(id, place);
  });
  return places;
}
