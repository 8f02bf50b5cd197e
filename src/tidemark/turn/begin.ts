import type { Folding, Relief } from "../../compaction/commit.ts";
import { noteEarlier, type Rests } from "../../compaction/distilling/short-session-queue.ts";
import { distilWhenQuiet, relieve } from "../../compaction/fold.ts";
import { breathe, breaths, isLater } from "../../core/base.ts";
import {
  degraded,
  isTidemarkError,
  reasonOf,
  telling,
  TidemarkError,
} from "../../core/errors-and-events.ts";
import { openLoop } from "../../providers/common/seams-and-thinking.ts";
import { isThinkingRefusal, overflowOf } from "../../providers/usage-and-overflow.ts";
import { closed, openCall, place } from "../../session/incoming-request.ts";
import type { AdapterOptions } from "../../session/options/internals.ts";
import type { Turn, WindowLevel } from "../../session/options/tidemark-api.ts";
import {
  firstInView,
  keeping,
  levelOf,
  marked,
  type Outgoing,
  outgoingOf,
  ownTokens,
  type PlacedCall,
} from "../../session/outgoing-request.ts";
import { isOwnCall } from "../../session/own-calls.ts";
import type { Call, Who } from "../../session/ports.ts";
import { renderFrozen } from "../../session/render-frozen.ts";
import { type Ending, endingOf, endOnce } from "./end.ts";
import { noteLessons } from "./lessons.ts";
import { fitting, type Recalling, recallOptions, recallSection, withRecall } from "./recall.ts";
import { smallerFor, withoutRefused } from "./recover.ts";

/** Characters kept of a user's last words: longer ones hold no wish that something be forgotten. */
const SAID = 1_000;

const HELD =
  "Requests go on as they are, without memory and folds, where they do not hold their history";

/**
 * Read, archive, count, distil, fold, assemble. Rejects only with "window", "config" or "closed".
 */
export async function begin(
  core: Turning,
  who: Who,
  request: Turn["request"],
  options: AdapterOptions,
): Promise<Turn> {
  const call = openCall(core, who, request, options);
  const held = call.dialect.held?.(request);
  if (held !== undefined) core.notice.say("history-held", `${HELD}: ${held}.`);
  if (
    core.off ||
    held !== undefined ||
    call.conversation.length === 0 ||
    isOwnCall(call.conversation.at(-1), call.dialect)
  )
    return idleTurn(request, levelOf(core, call, sizeOf(core, call)));
  if (call.complete) core.models.met(who.root, call.complete);
  const last = call.conversation.findLast((message) => call.dialect.speaker(message) === "user");
  who.seen.said = last === undefined ? "" : call.dialect.text(last).slice(0, SAID);
  try {
    return await prepare(core, call);
  } catch (thrown) {
    if (isTidemarkError(thrown) && thrown.code === "window") throw thrown;
    core.emit(degraded("begin", thrown));
    return idleTurn(request, levelOf(core, call, sizeOf(core, call)));
  }
}

/** A request that made trouble may make more when it is measured. */
function sizeOf(core: Turning, { dialect, request }: Call): number {
  try {
    return core.measure.request(dialect, request);
  } catch {
    return 0;
  }
}

/** Work that the turn itself does not need begins when the turn is on its way. */
const afterwards = (core: Turning, work: () => Promise<unknown>): void =>
  core.background.run(breathe().then(work));

async function prepare(core: Turning, call: Call): Promise<Turn> {
  const { who } = call;
  const placed = await place(core, call);
  const { session } = placed;
  core.scheduler.quiet.rest(session.id);
  core.rests.began(session.id);
  if (core.observes) return turnOf(core, { outgoing: outgoingOf(core, placed) });

  const { id, at } = session;
  if (placed.added === 0) core.log.note(who.home, { at, what: "session", id, did: "began" });
  const lessons = core.level === "none" ? () => undefined : noteLessons(core, placed);
  try {
    return await fitted(core, placed);
  } finally {
    afterwards(core, async () => lessons());
  }
}

/**
 * The turn of a request that lies on its session: with the epoch's sections, and no larger than may
 * be.
 */
async function fitted(core: Turning, call: PlacedCall): Promise<Turn> {
  const { who, session } = call;
  const due = breaths();
  const outgoing = outgoingOf(core, await withFrozen(core, call));
  core.tellUnbound(outgoing);
  const head = ownTokens(core, outgoing);
  // No fold can help.
  if (head >= call.limit)
    throw new TidemarkError(
      "window",
      `The system text and the tools take about ${Math.ceil(head)} tokens and the limit ` +
        `is ${call.limit} (window ${call.window}): shorten them, lower max_tokens or use a ` +
        "model with a larger window.",
    );
  if (recallOptions(core) !== undefined) await who.fresh();
  const relief = await fitting(core, outgoing, (one) => shrink(core, one));
  const { mark } = relief.outgoing.level;
  who.seen.newest = { session: session.id, from: firstInView(relief.outgoing) };
  if (mark === "flush") core.background.run(core.rests.read(who, { except: session.id }));
  await due();
  const told = await withRecall(core, relief.outgoing);
  // While the model answers: what was said last is made findable, too.
  if (recallOptions(core) !== undefined) core.turns.behind();
  afterwards(core, who.fresh);
  afterwards(core, () => core.pages.writeLeft(who));
  afterwards(core, () => core.rests.readAtStart(who, session.id));
  return turnOf(core, { ...relief, outgoing: told });
}

/** Trouble with folding below the brim is told and waited out; the request goes as it is. */
async function shrink(core: Turning, outgoing: Outgoing) {
  const { mark } = outgoing.level;
  if (mark === "below") return { outgoing };
  try {
    return await relieve(core, outgoing, mark === "brim" ? "brim" : "mark");
  } catch (thrown) {
    if (isTidemarkError(thrown) && thrown.code === "window") throw thrown;
    core.emit({ type: "fold-refused", reason: reasonOf(thrown) });
    return { outgoing };
  }
}

/**
 * The epoch's sections: rendered with a session's first request, then the same bytes until a fold.
 */
async function withFrozen(core: Turning, call: PlacedCall): Promise<PlacedCall> {
  const { session } = call;
  const { frozen: known } = session.state;
  const taken = known?.sections.reduce((sum, { tokens }) => sum + tokens, 0) ?? 0;
  // A model with a smaller window may have come in.
  const fits = taken === 0 || taken + core.measure.head(call.dialect, call.request) < call.limit;
  const stands = known !== undefined && fits && !known.isMissing;
  if (stands || core.inject === false) return call;
  // Thinking in a tool loop under way was made behind the bare system text; the sections come with
  // the next words.
  if (
    openLoop(call.dialect, call.conversation) !== undefined &&
    call.conversation.some((message) => call.dialect.thinks(message))
  )
    return call;
  try {
    await call.who.fresh();
    await noteEarlier(core, call.who, session.id);
    const frozen = await renderFrozen(core, call);
    const kept = await keeping(core, call, { frozen });
    if (frozen.sections.length > 0)
      core.emit({ type: "injected", session: session.id, sections: [...frozen.sections] });
    return kept;
  } catch (thrown) {
    core.emit(degraded("prompt sections", thrown));
    return call;
  }
}

export type Turning = Folding & Recalling & { readonly rests: Rests };

/** The turn to hand out for a request that is placed, measured and, if need be, folded. */
function turnOf(
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
function idleTurn(request: Turn["request"], window: WindowLevel): Turn {
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
