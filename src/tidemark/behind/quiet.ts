import { GROWTH } from "../../window/limits.ts";
import { target, weigh } from "../fold/fold-plan.ts";
import { foldIn, type Sight } from "../sight.ts";
import { held } from "./held.ts";
import { isOnNewest } from "./newest.ts";
import { type Works } from "./works.ts";

/**
 * With the end of a turn from the flush mark on, the clock starts: a conversation that stays quiet is distilled as far as it
 * then is, though the rest is less than a call in its course would be made for.
 */
export async function distilWhenQuiet(sight: Sight, works: Works): Promise<void> {
  const { call, placed, window } = sight;
  if (window.mark === "below" || call.core.closed) return;
  // Of two turns at once, the one that knows of the fold has started the clock, or will.
  if (!(await isOnNewest(sight).catch(() => false)) || call.core.closed) return;
  const kept = held(sight);
  call.core.idle.touch(placed.session.id, () => {
    const goal = target(kept);
    const done = Math.max(works.prepared(kept)?.upTo ?? 0, foldIn(placed)?.upTo ?? 0);
    if (goal > done && weigh(kept, done, goal) >= GROWTH * call.limit) works.start(kept, goal);
  });
}
