import { type Why } from "../model/memory.ts";
import { type Candidate, type Frequencies, type Stored, type WeightedTerm } from "../model/store.ts";
import { type QueryTerm } from "../text/terms.ts";

const DAY = 86_400_000;
const HOUR = 3_600_000;

/** Design §7, as figures. */
export const RANKING = {
  /** Below this share of the question a memory is no answer. */
  least: 0.25,
  halfLife: 14 * DAY,
  /** What age can take away at most: 0.3 of the score. */
  ageless: 0.7,
  /** Ten uses, the last within 48 hours, make the whole of it. */
  mostUse: 1.5,
  recentUse: 48 * HOUR,
  /** An unimportant memory keeps this much of its score. */
  unimportant: 0.85,
  /** What neighbouring words add to the words themselves: 0.7 points of rec@10 on LoCoMo's shared five. */
  neighbours: 0.05,
} as const;

/**
 * Documents a corpus is held to have beside its own. Without them a word's weight, and so the score, would hang on how much
 * else is remembered: the share of a question moves by at most 250 / PRIOR when 1,000 unrelated documents come in.
 */
const PRIOR = 5_000;

const idf = (documents: number, holding: number): number => Math.log((PRIOR + documents + 1) / (holding + 1));

/** The question's words with what each weighs among what the reader may see. */
export interface Weighing {
  /** Words somebody used, in the question's order. */
  readonly terms: readonly WeightedTerm[];
  /** All weights, those of unknown words too. */
  readonly total: number;
}

/** A word nobody used may be a synonym of one that was: it weighs half. */
export function weigh(asked: readonly QueryTerm[], { documents, holding }: Frequencies): Weighing {
  let total = 0;
  const terms: WeightedTerm[] = [];
  asked.forEach(({ term, loose }, at) => {
    const held = holding[at] ?? 0;
    const weight = held > 0 ? idf(documents, held) : loose ? 0 : idf(documents, 0) / 2;
    total += weight;
    if (held > 0) terms.push({ term, weight });
  });
  return { terms, total };
}

/** The share of the question that these terms cover, 0…1: all of it, side by side, is 1. */
export function relevance(terms: readonly string[], { terms: asked, total }: Weighing): number {
  if (total <= 0) return 0;
  const places = new Map<string, number[]>();
  const wanted = new Set(asked.map(({ term }) => term));
  terms.forEach((term, at) => {
    if (!wanted.has(term)) return;
    const known = places.get(term);
    if (known === undefined) places.set(term, [at]);
    else known.push(at);
  });
  const found = asked.filter(({ term }) => places.has(term));
  const covered = found.reduce((sum, { weight }) => sum + weight, 0);
  let near = 0;
  for (let at = 1; at < found.length; at += 1) if (close(places.get(found[at - 1]?.term ?? ""), places.get(found[at]?.term ?? ""))) near += 1;
  const order = found.length > 1 ? near / (found.length - 1) : asked.length === 1 ? 1 : 0;
  return Math.min(1, (covered / total) * (1 - RANKING.neighbours + RANKING.neighbours * order));
}

/** At most two words stand between some two of the places; both lists ascend. */
function close(one: readonly number[] = [], other: readonly number[] = []): boolean {
  let [a, b] = [0, 0];
  while (a < one.length && b < other.length) {
    const apart = (other[b] ?? 0) - (one[a] ?? 0);
    if (Math.abs(apart) <= 3) return true;
    if (apart > 0) a += 1;
    else b += 1;
  }
  return false;
}

export const recency = (statedAt: number, now: number): number => 2 ** (-Math.max(0, now - statedAt) / RANKING.halfLife);

/** 1…1.5 */
export function use(uses: number, usedAt: number | undefined, now: number): number {
  const recent = usedAt !== undefined && now - usedAt <= RANKING.recentUse;
  return 1 + Math.min(uses / 10, RANKING.mostUse - 1) * (recent ? 1 : 0.5);
}

/** Words gate, the rest modulates. */
export const scoreOf = (why: Pick<Why, "words" | "use" | "importance">, age: number): number =>
  why.words * age * why.use * (RANKING.unimportant + (1 - RANKING.unimportant) * why.importance);

export interface Ranked {
  readonly stored: Stored;
  readonly score: number;
  readonly why: Why;
}

/** Best first, ties by id; what is not relevant is left out. `words` answers a candidate's relevance, 0…1. */
export function rank(candidates: readonly Candidate[], words: (candidate: Candidate) => number, now: number): Ranked[] {
  return candidates
    .map((stored) => ({ stored, relevant: words(stored) }))
    .filter(({ relevant }) => relevant >= RANKING.least)
    .map(({ stored, relevant }): Ranked => {
      const { memory, usedAt, statedAt } = stored;
      const why: Why = {
        words: relevant,
        meaning: 0,
        recency: recency(statedAt, now),
        use: use(memory.uses, usedAt, now) / RANKING.mostUse,
        importance: memory.importance,
      };
      return { stored, why, score: scoreOf(why, RANKING.ageless + (1 - RANKING.ageless) * why.recency) };
    })
    .sort((one, other) => other.score - one.score || byId(one.stored.memory.id, other.stored.memory.id));
}

export const byId = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
