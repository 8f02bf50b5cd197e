import { marked, type Sight, foldIn, held } from "../session/outgoing.ts";
import { GROWTH } from "../../window/limits.ts";
import { target, weigh } from "./plan.ts";
import { isOnNewest } from "../journal/watermark.ts";
import { type Scheduler } from "../background/scheduler.ts";

/** ms after which a provider that caches by itself has surely let go. */
const BY_ITSELF = 3_600_000;

/** Has the provider forgotten this conversation since its last reply, so that all of it will be written anew? */
export function isCold(sight: Sight): boolean {
  const { call, placed } = sight;
  const last = placed.entries.findLast(({ reply }) => reply)?.at;
  const { marks } = call.dialect;
  const life = marks === undefined ? BY_ITSELF : marks.lifetime(marked(sight));
  return last !== undefined && life !== undefined && call.core.now() - last > life;
}

/**
 * With the end of a turn from the flush mark on, the clock starts: a conversation that stays quiet is distilled as far as it
 * then is, though the rest is less than a call in its course would be made for.
 */
export async function distilWhenQuiet(sight: Sight, scheduler: Scheduler): Promise<void> {
  const { call, placed, window } = sight;
  if (window.mark === "below" || call.core.closed) return;
  // Of two turns at once, the one that knows of the fold has started the clock, or will.
  if (!(await isOnNewest(sight).catch(() => false)) || call.core.closed) return;
  const kept = held(sight);
  call.core.idle.touch(placed.session.id, () => {
    const goal = target(kept);
    const done = Math.max(scheduler.prepared(kept)?.upTo ?? 0, foldIn(placed)?.upTo ?? 0);
    if (goal > done && weigh(kept, done, goal) >= GROWTH * call.limit) scheduler.start(kept, goal);
  });
}
