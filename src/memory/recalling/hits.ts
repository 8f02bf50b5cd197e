import type { Hit } from "../../model/memory.ts";
import { head } from "../../text/cut.ts";

/** Shorter stumps say nothing. */
const LEAST_CHARACTERS = 20;
/** What one hit may take of the room while others wait: a long page must not keep all facts out. */
const SHARE = 0.5;

type Count = (text: string) => number;

/**
 * Hits within `tokens`, in order. One that does not fit is shortened, not skipped: what ranks behind it is never shown in
 * its place. While others wait it is shortened to half of the room; the one that meets the end of it takes what is left.
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
 * One list out of several on one scale: of their first hits always the one with the greatest score, of equals the one of the
 * earlier list. Each list keeps its own order, which may know more than its scores say.
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
