import { type Hit } from "../../model/memory.ts";
import { searchTurns } from "../../memory/turns/turns.ts";
import { sightOf } from "../../model/shared-history.ts";
import { type Core, type Who } from "../session/core.ts";
import { indexTurns } from "./turn-index.ts";

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
  const roots = share === undefined ? [who.root] : await turns.roots();
  const found: Hit[] = [];
  for (const root of roots) {
    const sight = sightOf(who.identity, root, share);
    if (sight === undefined) continue;
    const fits = ({ role }: { role: string }): boolean => sight === "whole" || role !== "tool";
    found.push(...(await searchTurns({ turns, listen: core.emit }, query, { root, limit, fits })));
  }
  found.sort((one, other) => other.score - one.score);
  return [...new Map(found.toReversed().map((hit) => [hit.text.trim(), hit])).values()]
    .reverse()
    .slice(0, limit);
}
