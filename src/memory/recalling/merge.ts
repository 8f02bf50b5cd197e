import { type Hit } from "../../model/memory.ts";

/**
 * One list out of several on one scale: of their first hits always the one with the greatest score, of equals the one of the
 * earlier list. Each list keeps its own order, which may know more than its scores say.
 */
export function mergeHits(lists: readonly (readonly Hit[])[], limit: number): Hit[] {
  const places = lists.map(() => 0);
  const merged: Hit[] = [];
  while (merged.length < limit) {
    const heads = lists.flatMap((hits, list) =>
      hits.slice(places[list], (places[list] ?? 0) + 1).map((hit) => ({ list, hit })),
    );
    const [first, ...others] = heads;
    if (first === undefined) break;
    const next = others.reduce(
      (one, other) => (other.hit.score > one.hit.score ? other : one),
      first,
    );
    merged.push(next.hit);
    places[next.list] = (places[next.list] ?? 0) + 1;
  }
  return merged;
}
