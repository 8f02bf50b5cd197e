import { troubleOf } from "../../model/errors.ts";
import { type Core } from "../session/context.ts";
import { type Relief } from "../fold/commit.ts";
import { type Ending, endingOf, endOnce } from "./end.ts";
import { overflowOf, thinkingRefusal } from "../../dialect/refusals.ts";
import { distilWhenQuiet } from "../fold/fold.ts";
import { smallerFor, withoutRefused } from "./recover.ts";
import { noteTurn } from "../background/at-rest.ts";
import { marked, type Sight } from "../session/outgoing.ts";
import { recallSection } from "./recall.ts";
import { type FoldReport, type Turn, type WindowLevel } from "../options/types.ts";
import { type Scheduler } from "../background/scheduler.ts";

/** A reply that is still to come, a stream's body say: a close waits for it, and one that breaks off is told of. */
function onceThere(
  core: Core,
  coming: Promise<unknown>,
  finish: (reply: unknown) => Promise<void>,
): Promise<void> {
  const work = coming.then(finish, (thrown: unknown) =>
    core.emit({ type: "degraded", where: "end", ...troubleOf(thrown) }),
  );
  core.background.run(work);
  return work;
}

/** The turn to hand out for a request that is placed, measured and, if need be, folded. */
export function turnOf(
  relief: Relief,
  scheduler: Scheduler,
  { recovered = false, inPlaceOf }: { recovered?: boolean; inPlaceOf?: Ending } = {},
): Turn {
  const { sight, folded } = relief;
  const { call, placed } = sight;
  const { core } = call;
  const request = marked(sight);
  const ending = endingOf({ sight }, inPlaceOf);
  const observes = core.options.mode === "observe";
  if (!recovered && !observes) noteUnended(sight);
  const report: FoldReport | undefined = folded && {
    id: folded.id,
    messages: folded.messages,
    before: folded.before,
    after: folded.after,
  };
  const finish = async (reply: unknown): Promise<void> => {
    if (!(await endOnce(ending, reply)) || core.closed || observes) return;
    try {
      if (call.heldByServer === true)
        return noteTurn({ ...sight, window: { ...sight.window, mark: "below" } });
      scheduler.turnEnded(sight);
      noteTurn(sight);
      await distilWhenQuiet(sight, scheduler);
    } catch (thrown) {
      core.emit({ type: "degraded", where: "end", ...troubleOf(thrown) });
    }
  };
  const turn: Turn = {
    request,
    window: sight.window,
    folded: report,
    injected: observes
      ? []
      : [...(placed.session.state.frozen?.sections ?? []), ...recallSection(sight)],
    end: (reply) => (reply instanceof Promise ? onceThere(core, reply, finish) : finish(reply)),
    recover: async (error) => {
      try {
        const overflow =
          recovered || observes || call.heldByServer === true ? undefined : overflowOf(error);
        if (!overflow || core.closed) return undefined;
        const smaller = await smallerFor(sight, scheduler, overflow);
        return smaller && turnOf(smaller, scheduler, { recovered: true, inPlaceOf: ending });
      } catch (thrown) {
        core.emit({ type: "degraded", where: "recover", ...troubleOf(thrown) });
        return undefined;
      }
    },
  };
  // Only what sends by itself may send again: a host is told of any error but an overflow.
  if (!recovered && !observes && call.heldByServer !== true)
    offerRetry(turn, (error) => withoutThinking(sight, scheduler, { error, ending }));
  return turn;
}

async function withoutThinking(
  sight: Sight,
  scheduler: Scheduler,
  { error, ending }: { error: unknown; ending: Ending },
): Promise<Turn | undefined> {
  const { core } = sight.call;
  const what = core.closed ? undefined : thinkingRefusal(error);
  if (what === undefined) return undefined;
  try {
    const now = await withoutRefused(sight, what, error);
    return now && turnOf({ sight: now }, scheduler, { recovered: true, inPlaceOf: ending });
  } catch (thrown) {
    core.emit({ type: "degraded", where: "recover", ...troubleOf(thrown) });
    return undefined;
  }
}

/** A turn that changes and keeps nothing. */
export function idleTurn(request: Turn["request"], window: WindowLevel): Turn {
  const end = async (reply: unknown): Promise<void> => {
    // One that breaks off is its caller's trouble, and no unhandled rejection.
    if (reply instanceof Promise) await reply.catch(() => undefined);
  };
  return { request, window, injected: [], end, recover: async () => undefined };
}

type Retry = (error: unknown) => Promise<Turn | undefined>;

const retries = new WeakMap<Turn, Retry>();

/** How an adapter may send a turn once more that the provider has refused. */
const offerRetry = (turn: Turn, retry: Retry): void => void retries.set(turn, retry);

/** The turn to send in its place: smaller after an overflow, without the thinking it was refused for; undefined: let the caller know. */
export const retryOf = async (turn: Turn, error: unknown): Promise<Turn | undefined> =>
  (await turn.recover(error)) ?? (await retries.get(turn)?.(error));

/** So many turns of a conversation that goes on, and none was ended: no call that failed, but a loop that never says how its turns end. */
const TELLING = 5;

const UNENDED =
  "No turn was ended so far. Call turn.end(reply) with each reply: without it Tidemark cannot know that a request goes on with an earlier one, keeps each as a conversation of its own, and distils every one of them. Where you cannot, give begin a conversation label.";

/** Tells a host once whose conversations go on though none of their turns was ended. */
function noteUnended({ call: { core, who, dialect, conversation }, placed }: Sight): void {
  if (core.counted(who.root).turns > 0 || placed.session.label !== undefined) return;
  const known = core.process.unended;
  const { replies, grew } = known.get(who.root) ?? { replies: 0, grew: 0 };
  const now = conversation.filter((message) => dialect.speaker(message) === "assistant").length;
  const told = { replies: now, grew: grew + (now > replies ? 1 : 0) };
  known.set(who.root, told);
  if (told.grew === TELLING) core.notice.say("turns-not-ended", UNENDED);
}
