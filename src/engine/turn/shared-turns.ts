import type { Hit } from "../../model/memory.ts";
import { searchTurns } from "../../memory/turns/turns.ts";
import { sightOf } from "../../model/identity.ts";
import type { Core, Who } from "../session/core.ts";
import { indexTurns } from "./turn-index.ts";

/** The asker and those of its project that spoke last: each takes some milliseconds. */
const MOST = 32;

/**
 * Turns of the asker's own conversations and of those that its project shares with it, best first. Each root is asked by
 * itself: a score says which share of the question a turn covers, whatever else is remembered, so that lists go together.
 */
export async function searchHistory(
  core: Core,
  who: Who,
  { query, limit }: { query: string; limit: number },
): Promise<Hit[]> {
  await indexTurns(core);
  const { turns } = core.store;
  const share = core.options.history?.share;
  const others = share === undefined ? [] : await turns.roots();
  const seen = [...new Set([who.root, ...others])].flatMap((root) => {
    const sight = sightOf(who.identity, root, share);
    return sight === undefined ? [] : [{ root, sight }];
  });
  const found: Hit[] = [];
  for (const { root, sight } of seen.slice(0, MOST)) {
    const fits = ({ role }: { role: string }): boolean => sight === "whole" || role !== "tool";
    found.push(...(await searchTurns({ turns, listen: core.emit }, query, { root, limit, fits })));
  }
  found.sort((one, other) => other.score - one.score);
  return [...new Map(found.toReversed().map((hit) => [hit.text.trim(), hit])).values()]
    .reverse()
    .slice(0, limit);
}
