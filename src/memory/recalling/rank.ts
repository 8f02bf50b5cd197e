import type { Hit, Stored, Why } from "../../core/memory.ts";
import { head } from "../../core/text/cut.ts";
import { termSet } from "../../core/text/terms.ts";
import type { Candidate } from "../../storage/search-index.ts";
import type { Match } from "../meaning/embeddings.ts";

const HOUR = 3_600_000;

/** A memory that is relevant at all, as the formulas see it. */
interface Relevant {
  readonly relevance: number;
  readonly why: Why;
  /** Age in ms, never below 0. */
  readonly age: number;
  /** An agent's or a user's own, not a team's. */
  readonly isPersonal: boolean;
}
/** A score of 0…1 for each of the pool; one without a score is no hit. */
type Formula = (pool: readonly Relevant[]) => readonly (number | undefined)[];

/**
 * Age takes away at most 0.3 of a score, and an unimportant memory keeps 0.85 of its own. Of use
 * but little is made: what was found is found again (1.8 points of R@1 on LoCoMo's facts).
 */
const TIDEMARK = { ageless: 0.7, unused: 0.6, unimportant: 0.85 } as const;

/** Relevance gates; age (0…1), use and importance modulate. */
export function scoreOf(
  relevance: number,
  { recency, use, importance }: Pick<Why, "recency" | "use" | "importance">,
): number {
  const { ageless, unused, unimportant } = TIDEMARK;
  const byAge = ageless + (1 - ageless) * recency;
  const byUse = unused + (1 - unused) * use;
  return relevance * byAge * byUse * (unimportant + (1 - unimportant) * importance);
}

/**
 * Tidemark's own. An old exact memory stays before a fresh one of relevance up to 0.39, before the
 * most used and important; up to 0.7 where use and importance are alike.
 */
const tidemark: Formula = (pool) => pool.map(({ relevance, why }) => scoreOf(relevance, why));

/**
 * Agent Swarm's: similarity × 2^(−age ÷ half-life) × use, brought to 0…1. It promises nothing to
 * the old: after a few half-lives their product is next to 0.
 */
const swarm: Formula = (pool) =>
  pool.map(({ relevance, why: { recency, use } }) => relevance * recency * use);

/** SynthOrg's weights; recency loses a hundredth an hour. */
const LINEAR = {
  relevance: 0.7,
  recency: 0.3,
  hourly: 0.01,
  personalBoost: 0.1,
  minScore: 0.3,
} as const;

/**
 * SynthOrg's `rank_memories`: 0.7 relevance + 0.3 recency; what is personal gains relevance, and a
 * score below `minScore` is no hit. An old exact memory stays before a fresh one of relevance up to
 * 0.47.
 */
const linear: Formula = (pool) =>
  pool.map(({ relevance, age, isPersonal }) => {
    const boosted = Math.min(1, relevance + (isPersonal ? LINEAR.personalBoost : 0));
    const recency = Math.exp((-LINEAR.hourly * age) / HOUR);
    const score = LINEAR.relevance * boosted + LINEAR.recency * recency;
    return score >= LINEAR.minScore ? score : undefined;
  });

/** The first place counts 1 ÷ 61, the second 1 ÷ 62. */
const RRF = 60;

/**
 * SynthOrg's `fuse_ranked_lists`, after Cormack and others (2009): reciprocal places by words and
 * by meaning. The first of every list has 1 (SynthOrg spreads the pool over 0…1, so that others
 * would move a score), equals share a place, and a list that says nothing has no vote. It knows no
 * age, no boost and no least score.
 */
const rrf: Formula = (pool) => {
  const lists = (["words", "meaning"] as const)
    .map((sign) => pool.map(({ why }) => why[sign]))
    .filter((list) => list.some((value) => value > 0));
  const votes = lists.map((list) => {
    const order = list.toSorted((one, other) => other - one);
    // The first place of equals stands, since it is set last.
    const places = new Map(order.map((value, at): [number, number] => [value, at]).reverse());
    return list.map((value) => (value > 0 ? (RRF + 1) / (RRF + 1 + (places.get(value) ?? 0)) : 0));
  });
  return pool.map((_, at) => votes.reduce((sum, list) => sum + (list[at] ?? 0) / lists.length, 0));
};

const FORMULAS = { tidemark, swarm, linear, rrf } as const;

const DAY = 86_400_000;
const PERSONAL = /^(?:agent|user):/;
export type Strategy = keyof typeof FORMULAS;
export const STRATEGY_NAMES = Object.keys(FORMULAS) as readonly Strategy[];
/** The systems that a strategy comes from name it too. */
export const ANCESTORS = {
  "agent-swarm": "swarm",
  synthorg: "linear",
} as const satisfies Readonly<Record<string, Strategy>>;
export type StrategyName = Strategy | keyof typeof ANCESTORS;

/** After so long, recency is a half. */
const HALF_LIFE = 14 * DAY;
/** Ten uses multiply by it, the last of them recent. */
export const MOST_USE = 1.5;
/** Until so long ago a use is recent; an older one counts half. */
const RECENT_USE = 48 * HOUR;

/** Below this share of the question a memory is no answer, whatever the strategy. */
const LEAST_RELEVANCE = 0.1;
/** Beside an answer, a memory is shown that says so much of what the strongest says. */
const BESIDE = 0.1;

export const strategyOf = (name: StrategyName = "tidemark"): Strategy =>
  STRATEGY_NAMES.find((own) => own === name) ?? ANCESTORS[name as keyof typeof ANCESTORS];

export const recency = (statedAt: number, now: number): number =>
  2 ** (-Math.max(0, now - statedAt) / HALF_LIFE);

/** 1…MOST_USE */
export function use(uses: number, usedAt: number | undefined, now: number): number {
  const recent = usedAt !== undefined && now - usedAt <= RECENT_USE;
  return 1 + Math.min(uses / 10, MOST_USE - 1) * (recent ? 1 : 0.5);
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
  strategy: Strategy = "tidemark",
): Ranked<T>[] {
  const matched = candidates.map((stored) => ({ stored, ...match(stored) }));
  const answers = matched.filter((one) => relevanceOf(one) >= LEAST_RELEVANCE);
  // Without an answer nothing stands beside it.
  const strongest = Math.max(...answers.map(({ strength }) => strength), 0) || Infinity;
  const pool = matched.flatMap(({ stored, strength, ...signs }) => {
    if (!(relevanceOf(signs) >= LEAST_RELEVANCE || strength >= BESIDE * strongest)) return [];
    const { memory, usedAt, statedAt } = stored;
    const why: Why = {
      ...signs,
      recency: recency(statedAt, now),
      use: use(memory.uses, usedAt, now) / MOST_USE,
      importance: memory.importance,
    };
    const isPersonal = PERSONAL.test(memory.scope);
    return [{ stored, relevance: strength, why, age: Math.max(0, now - statedAt), isPersonal }];
  });
  const scores = FORMULAS[strategy](pool);
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

/** How far it answers, whatever its age and use. */
export const relevanceOf = ({ words, meaning }: Pick<Why, "words" | "meaning">): number =>
  Math.max(words, meaning);

/** Found by its words alone. */
export const byWords = (words: number): Match => ({
  words,
  meaning: 0,
  strength: words,
});

/** Shorter stumps say nothing. */
const LEAST_CHARACTERS = 20;
/** One hit may take this of the room while others wait: a long page must not keep all facts out. */
const SHARE = 0.5;

type Count = (text: string) => number;

/**
 * The best `limit` hits. One that says nearly the same as a better one comes only where no other
 * waits.
 */
export function diverse(ranked: readonly Ranked<Candidate>[], limit: number): Ranked<Candidate>[] {
  if (ranked.length <= limit) return [...ranked];
  const told: ReadonlySet<string>[] = [];
  const [news, again]: [Ranked<Candidate>[], Ranked<Candidate>[]] = [[], []];
  for (const hit of ranked) {
    if (news.length === limit) break;
    const words = termSet(hit.stored.memory.content);
    const isTold = told.some((other) => likeness(other, words) >= SAME);
    (isTold ? again : news).push(hit);
    told.push(words);
  }
  const chosen = new Set([...news, ...again.slice(0, limit - news.length)]);
  return ranked.filter((hit) => chosen.has(hit));
}

/** Two memories of one sense share so many of the words that say something. */
const SAME = 0.8;

/** The share of their different terms that two memories have in common. */
function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const shared = one.intersection(other).size;
  return shared / Math.max(1, one.size + other.size - shared);
}

/**
 * Hits within `tokens`, in order. One that does not fit is shortened, not skipped: what ranks
 * behind it is never shown in its place. While others wait it is shortened to half of the room; the
 * one that meets the end of it takes what is left.
 */
export function pack(hits: readonly Hit[], tokens: number, count: Count): Hit[] {
  const packed: Hit[] = [];
  let left = tokens;
  for (const [at, hit] of hits.entries()) {
    const size = count(hit.text);
    const room =
      at < hits.length - 1 && size > left
        ? Math.min(left, Math.max(Math.floor(tokens * SHARE), 1))
        : left;
    const text = size <= room ? hit.text : shorten(hit.text, room, count);
    if (text === undefined) break;
    packed.push(text === hit.text ? hit : { ...hit, content: text, text });
    left -= count(text);
  }
  return packed;
}

function shorten(text: string, tokens: number, count: Count): string | undefined {
  let [fits, over] = [0, text.length];
  while (over - fits > 1) {
    const middle = (fits + over) >> 1;
    if (count(`${head(text, middle)}…`) <= tokens) fits = middle;
    else over = middle;
  }
  return fits < LEAST_CHARACTERS ? undefined : `${head(text, fits)}…`;
}

/**
 * One list out of several on one scale: of their first hits always the one with the greatest score,
 * of equals the one of the earlier list. Each list keeps its own order, which may know more than
 * its scores say.
 */
export function mergeHits(lists: readonly (readonly Hit[])[], limit: number): Hit[] {
  const left = lists.map((hits) => [...hits]);
  const merged: Hit[] = [];
  while (merged.length < limit) {
    const [first] = left
      .filter((hits) => hits.length > 0)
      .sort(([one], [other]) => (other?.score ?? 0) - (one?.score ?? 0));
    const next = first?.shift();
    if (next === undefined) break;
    merged.push(next);
  }
  return merged;
}
