import type { Hit } from "../../core/memory.ts";
import { head } from "../../core/text/cut.ts";
import type { Candidate } from "../../storage/search-index.ts";
import type { Ranked } from "./rank.ts";

/** Beyond it all are taken alike: choosing costs the square of the number. */
const MOST_HITS = 100;
/** Shorter stumps say nothing. */
const LEAST_CHARACTERS = 20;
/** One hit may take this of the room while others wait: a long page must not keep all facts out. */
const SHARE = 0.5;

type Count = (text: string) => number;

/**
 * The `limit` hits that say most together (maximal marginal relevance): a hit that repeats a better
 * one gives way to one that adds something. They keep their scores and stand best first; only the
 * choice changes.
 */
export function diverse(
  ranked: readonly Ranked<Candidate>[],
  limit: number,
  lambda: number,
): Ranked<Candidate>[] {
  // Likeness is not asked where none has to give way.
  if (ranked.length <= limit || limit > MOST_HITS || lambda >= 1) return ranked.slice(0, limit);
  const pool = ranked
    .slice(0, 3 * limit)
    .map((hit) => ({ hit, terms: new Set(hit.stored.terms), likest: 0 }));
  const worth = ({ hit, likest }: (typeof pool)[number]): number =>
    lambda * hit.score - (1 - lambda) * likest;
  const chosen = new Set<(typeof pool)[number]>();
  while (chosen.size < limit) {
    const open = pool.filter((one) => !chosen.has(one));
    const best = open.reduce((one, other) => (worth(other) > worth(one) ? other : one));
    chosen.add(best);
    for (const one of open) one.likest = Math.max(one.likest, likeness(best.terms, one.terms));
  }
  return pool.filter((one) => chosen.has(one)).map(({ hit }) => hit);
}

/**
 * The share of their different terms that two memories have in common, squared: a shared word or
 * two is no repetition (0.6 points of rec@10 on LoCoMo's facts).
 */
export function likeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0;
  for (const term of one) if (other.has(term)) shared += 1;
  const all = one.size + other.size - shared;
  return all === 0 ? 0 : (shared / all) ** 2;
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
