import type { Candidate } from "../../model/store.ts";
import type { Ranked } from "./rank.ts";

/** Beyond it all are taken alike: choosing costs the square of the number. */
const MOST = 100;

/**
 * The `limit` hits that say most together (maximal marginal relevance): a hit that repeats a better one gives way to one that
 * adds something. They keep their scores and stand best first; only the choice changes.
 */
export function diverse(
  ranked: readonly Ranked<Candidate>[],
  limit: number,
  lambda: number,
): Ranked<Candidate>[] {
  // Where none has to give way likeness is not asked.
  if (ranked.length <= limit || limit > MOST || lambda >= 1) return ranked.slice(0, limit);
  const pool = ranked.slice(0, 3 * limit);
  const terms = pool.map(({ stored }) => new Set(stored.terms));
  const likest = pool.map(() => 0);
  const chosen = new Set<number>();
  while (chosen.size < limit) {
    let best = -1;
    let most = -Infinity;
    pool.forEach(({ score }, at) => {
      const worth = lambda * score - (1 - lambda) * (likest[at] ?? 0);
      if (!chosen.has(at) && worth > most) [best, most] = [at, worth];
    });
    const taken = terms[best];
    if (taken === undefined) break;
    chosen.add(best);
    terms.forEach((own, at) => {
      if (!chosen.has(at)) likest[at] = Math.max(likest[at] ?? 0, likeness(taken, own));
    });
  }
  return pool.filter((_, at) => chosen.has(at));
}

/** The share of their different terms that two memories have in common, squared: a shared word or two is no repetition (0.6 points of rec@10 on LoCoMo's facts). */
export function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const term of one) if (other.has(term)) shared += 1;
  const all = one.size + other.size - shared;
  return all === 0 ? 0 : (shared / all) ** 2;
}
