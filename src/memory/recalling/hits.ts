import type { Hit } from "../../core/memory.ts";
import { head } from "../../core/text/cut.ts";
import { termSet } from "../../core/text/terms.ts";
import type { Candidate } from "../../storage/search-index.ts";
import type { Ranked } from "./rank.ts";

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
