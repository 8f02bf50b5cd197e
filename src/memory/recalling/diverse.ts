import { type Candidate } from "../../model/store.ts";
import { dot } from "../../store/vectors/math.ts";
import { type Calibration } from "../meaning/calibration.ts";
import { type Ranked } from "./rank.ts";

/** Beyond it all are taken alike: choosing costs the square of the number. */
const MOST = 100;

/** The hits that are chosen from. */
export const contenders = (
  ranked: readonly Ranked<Candidate>[],
  limit: number,
): readonly Ranked<Candidate>[] => ranked.slice(0, 3 * limit);

/** False when none has to give way, and likeness is not asked. */
export const isChoice = (ranked: readonly unknown[], limit: number, lambda: number): boolean =>
  ranked.length > limit && limit <= MOST && lambda < 1;

export type Likeness = (one: Candidate, other: Candidate) => number;

/**
 * The `limit` hits that say most together (maximal marginal relevance): a hit that repeats a better one gives way to one that
 * adds something. They keep their scores and stand best first; only the choice changes.
 */
export function diverse(
  ranked: readonly Ranked<Candidate>[],
  limit: number,
  lambda: number,
  likeness = overlapping(),
): Ranked<Candidate>[] {
  if (!isChoice(ranked, limit, lambda)) return ranked.slice(0, limit);
  const pool = contenders(ranked, limit);
  const likest = pool.map(() => 0);
  const chosen = new Set<number>();
  while (chosen.size < limit) {
    let best = -1;
    let most = -Infinity;
    pool.forEach(({ score }, at) => {
      const worth = lambda * score - (1 - lambda) * (likest[at] ?? 0);
      if (!chosen.has(at) && worth > most) [best, most] = [at, worth];
    });
    const taken = pool[best];
    if (taken === undefined) break;
    chosen.add(best);
    pool.forEach(({ stored }, at) => {
      if (!chosen.has(at)) likest[at] = Math.max(likest[at] ?? 0, likeness(taken.stored, stored));
    });
  }
  return pool.filter((_, at) => chosen.has(at));
}

/** The share of their different terms that two memories have in common, squared: a shared word or two is no repetition (0.6 points of rec@10 on LoCoMo's facts). */
export function overlapping(): Likeness {
  const known = new Map<Candidate, ReadonlySet<string>>();
  const termsOf = (candidate: Candidate): ReadonlySet<string> => {
    const found = known.get(candidate) ?? new Set(candidate.terms);
    known.set(candidate, found);
    return found;
  };
  return (one, other) => {
    const [a, b] = [termsOf(one), termsOf(other)];
    let shared = 0;
    for (const term of a) if (b.has(term)) shared += 1;
    const all = a.size + b.size - shared;
    return all === 0 ? 0 : (shared / all) ** 2;
  };
}

/** Facts on one subject are near, and no repetition: only what is all but the same counts (power 1 costs a point of rec@10 on LoCoMo's facts, 4 none). */
const STEEP = 4;

/**
 * Alike by their terms or by what they mean: how far their cosine stands above what this embedder gives to strangers, and
 * how far it tells answers from strangers at all. `vectors` are of length 1, by memory; one without is judged by its terms.
 */
export function meaningAlike(
  vectors: ReadonlyMap<string, Float32Array>,
  { floor, separation }: Calibration,
  likeness = overlapping(),
): Likeness {
  return (one, other) => {
    const [a, b] = [vectors.get(one.memory.id), vectors.get(other.memory.id)];
    const said = likeness(one, other);
    if (a === undefined || b === undefined || floor >= 1) return said;
    const above = Math.max(0, (dot(a, b) - floor) / (1 - floor));
    return Math.max(said, separation * Math.min(1, above) ** STEEP);
  };
}
