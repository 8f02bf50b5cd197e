import type { Folding, Relief } from "../../compaction/commit.ts";
import type { Rests } from "../../compaction/distilling/short-session-queue.ts";
import { distilWhenQuiet } from "../../compaction/fold.ts";
import { isLater } from "../../core/base.ts";
import { telling } from "../../core/errors-and-events.ts";
import { isThinkingRefusal, overflowOf } from "../../providers/usage-and-overflow.ts";
import type { Turn, WindowLevel } from "../../session/options/tidemark-api.ts";
import { closed } from "../../session/incoming-request.ts";
import { marked, type Outgoing } from "../../session/outgoing-request.ts";
import { type Ending, endingOf, endOnce } from "./end.ts";
import { type Recalling, recallSection } from "./recall.ts";
import { smallerFor, withoutRefused } from "./recover.ts";

export type Turning = Folding & Recalling & { readonly rests: Rests };

/** The turn to hand out for a request that is placed, measured and, if need be, folded. */
export function turnOf(
  core: Turning,
  relief: Relief,
  /**
   * How the refused turn ended that this one is sent in place of, and the ms since it came: it is
   * the only one in its place.
   */
  inPlaceOf?: Ending,
  since = 0,
): Turn {
  const { outgoing, folded } = relief;
  const { session } = outgoing;
  const { observes } = core;
  const request = closed(outgoing, marked(core, outgoing));
  const ms = outgoing.patience.taken().ms - since;
  const ending = endingOf({ outgoing, fold: folded?.id, ms }, inPlaceOf);
  if (inPlaceOf === undefined && !observes) noteUnended(core, outgoing);
  const tell = telling(core.emit, "end");
  const finish = async (reply: unknown): Promise<void> => {
    if (!(await endOnce(core, ending, reply)) || core.closed || observes) return;
    try {
      core.pages.spoken(session.id);
      core.scheduler.startWaiting(session.id);
      core.rests.ended(outgoing);
      await distilWhenQuiet(core, outgoing);
    } catch (thrown) {
      tell(thrown);
    }
  };
  /**
   * The turn to send once more, with what makes a refused request fit; trouble of its own is told.
   */
  const again = async (
    change: () => Promise<Relief | undefined> | undefined,
  ): Promise<Turn | undefined> => {
    const { ms } = outgoing.patience.taken();
    try {
      const changed = core.closed ? undefined : await change();
      return changed && turnOf(core, changed, ending, ms);
    } catch (thrown) {
      return telling(core.emit, "recover")(thrown);
    }
  };
  const mayRetry = inPlaceOf === undefined && !observes;
  const turn: Turn = {
    request,
    window: outgoing.level,
    folded,
    injected: observes
      ? []
      : [...(session.state.frozen?.sections ?? []), ...recallSection(outgoing)],
    end: async (reply) => {
      try {
        if (!isLater(reply)) return await finish(reply);
        // A stream's body, say, is still to come: a close waits for it, and one that breaks off is
        // told of.
        const work = Promise.resolve(reply).then(finish, tell);
        core.background.run(work);
        await work;
      } catch (thrown) {
        tell(thrown);
      }
    },
    recover: (error) =>
      again(() => {
        const overflow = mayRetry ? overflowOf(error) : undefined;
        return overflow && smallerFor(core, outgoing, overflow);
      }),
  };
  // Only what sends by itself may send again: a host is told of any error but an overflow.
  if (mayRetry)
    retries.set(turn, (error) =>
      again(() => (isThinkingRefusal(error) ? withoutRefused(core, outgoing, error) : undefined)),
    );
  return turn;
}

/** A turn that changes and keeps nothing. */
export function idleTurn(request: Turn["request"], window: WindowLevel): Turn {
  const end = async (reply: unknown): Promise<void> => {
    // One that breaks off is its caller's trouble, and no unhandled rejection.
    await Promise.resolve(reply).catch(() => undefined);
  };
  return { request, window, injected: [], end, recover: async () => undefined };
}

/** How an adapter may send a turn once more that the provider has refused. */
const retries = new WeakMap<Turn, Turn["recover"]>();

/**
 * The turn to send in its place: smaller after an overflow, without the thinking it was refused
 * for; undefined: let the caller know.
 */
export const retryOf = async (turn: Turn, error: unknown): Promise<Turn | undefined> =>
  (await turn.recover(error)) ?? (await retries.get(turn)?.(error));

/**
 * So many turns of a conversation that goes on, and none was ended: no call that failed, but a loop
 * that never says how its turns end.
 */
const TELLING = 5;

const UNENDED =
  "No turn was ended so far. Call turn.end(reply) with each reply: without it Tidemark " +
  "cannot know that a request goes on with an earlier one, keeps each as a conversation " +
  "of its own, and distils every one of them. Where you cannot, give begin a " +
  "conversation label.";

/** Tells a host once whose conversations go on though none of their turns was ended. */
function noteUnended({ notice }: Turning, { who, dialect, conversation, session }: Outgoing): void {
  const { ended, unended } = who.seen;
  if (ended || session.label !== undefined) return;
  const now = conversation.filter((message) => dialect.speaker(message) === "assistant").length;
  if (now > unended.replies) unended.grew += 1;
  unended.replies = now;
  if (unended.grew === TELLING) notice.say("turns-not-ended", UNENDED);
}
