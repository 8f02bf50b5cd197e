import { defined } from "../../core/base.ts";
import { telling } from "../../core/errors-and-events.ts";
import { type Message, readTokens, type Spent } from "../../core/request.ts";
import type { EndedTurn } from "../../core/turns.ts";
import type { Dialect } from "../../providers/common/dialect.ts";
import { contextLengthIn } from "../../providers/common/models.ts";
import { replyIn } from "../../providers/usage-and-overflow.ts";
import { prefixOf, TO_NOTHING } from "../../session/assemble-request.ts";
import type { Ground, Kept, Settings, Weighing } from "../../session/ports.ts";
import { turnSpent } from "../../session/metered-and-spent.ts";
import { doubtOf, judge, learn } from "../../session/options/save-and-fold-marks.ts";
import { type Outgoing, ownTokens } from "../../session/outgoing-request.ts";
import { SMALLEST_WINDOW } from "../../session/count-tokens.ts";
import { recalledIn } from "./recall.ts";

/**
 * How a turn ended. A turn that was refused and the smaller one in its place end once between them.
 */
export interface Ending {
  /** The request that was sent last. */
  readonly outgoing: Outgoing;
  /** The fold that was made for it, and ms that its making took. */
  readonly fold?: string | undefined;
  readonly ms: number;
  message?: Message;
  archived?: Promise<void>;
}

/**
 * For the turn sent in place of a refused one. A reply that came before the refusal belongs to a
 * call of its own.
 */
export const endingOf = (sent: Omit<Ending, "message" | "archived">, before?: Ending): Ending => {
  if (before === undefined || before.message !== undefined) return sent;
  const { fold = before.fold, ms } = sent;
  return Object.assign(before, sent, { fold, ms: before.ms + ms });
};

const OTHER =
  "this turn had ended with another reply, which stands in the history; where your " +
  "next request holds this one, it takes that one's place";

const JUNK = "the reply is not of the provider's form, so it was not archived";
const PARTIAL =
  "a call in the reply's stream could not be put together, so the reply was archived without it";

/** Ends the turn with its first reply, and answers whether it was this one. Never rejects. */
export async function endOnce(
  core: Ground & Kept & Settings & Weighing,
  ending: Ending,
  given: unknown,
): Promise<boolean> {
  const { dialect } = ending.outgoing;
  const tell = telling(core.emit, "end");
  if (core.closed) return false;
  try {
    const reply = replyIn(dialect, given);
    if (!reply || reply.partial === true) {
      // A caller that ends every turn so is told once a conversation; what its next request holds
      // is kept all the same.
      const { who, session } = ending.outgoing;
      if (who.seen.junk.get(session.id) !== true) tell(new Error(reply ? PARTIAL : JUNK));
      who.seen.junk.set(session.id, true);
    }
    if (!reply) return ending.message === undefined;
    if (ending.message !== undefined) {
      // The first end is told of trouble with that.
      await ending.archived?.catch(() => undefined);
      if (!isSame(ending, reply.message)) tell(new Error(OTHER));
      return false;
    }
    ending.message = reply.message;
    ending.archived = archive(core, ending, { reply, whole: given });
    await ending.archived.catch((thrown: unknown) => {
      // What was not archived may be ended once more.
      delete ending.message;
      throw thrown;
    });
    return true;
  } catch (thrown) {
    tell(thrown);
    return ending.message === undefined;
  }
}

function isSame({ outgoing: { dialect, conversation }, message }: Ending, other: Message): boolean {
  const [one, two] = [message ?? other, other].map((each) =>
    dialect.canon([...conversation, each], conversation.length),
  );
  return one === two;
}

/** Archives the reply and learns from what the provider counted: one transaction. */
async function archive(
  core: Ground & Kept & Settings & Weighing,
  ending: Ending,
  { reply, whole }: { reply: NonNullable<ReturnType<Dialect["reply"]>>; whole: unknown },
): Promise<void> {
  const { outgoing } = ending;
  const { dialect, model, can, session, view } = outgoing;
  const reported = reply.usage ? readTokens(reply.usage) : 0;
  outgoing.who.seen.ended = true;
  const told = contextLengthIn(whole);
  if (told !== undefined) core.windows.told(model, told);
  const { messages } = view.request;
  const seen = { model, reported, estimated: outgoing.estimated, messages: messages.length };
  const { anchor, doubt } = session.state;
  const isSmall = reported <= Math.max(anchor?.reported ?? 0, doubt?.reported ?? 0);
  const judged =
    reported > 0
      ? judge(session.state, {
          ...seen,
          cached: reply.usage?.cacheRead ?? 0,
          added: isSmall && onlyAdded(core, outgoing),
        })
      : undefined;
  // No model reads so little: the figures are a host's own.
  const said = judged === "cut" && reported < SMALLEST_WINDOW ? "doubted" : judged;
  if (said === "cut") {
    // It is told once a process, and what is really read is kept to.
    core.windows.told(model, reported);
    core.notice.say(
      "cut-by-provider",
      `The server reads about ${reported.toLocaleString("en")} tokens of a prompt and cuts ` +
        "the rest without a word (its window, num_ctx or max_model_len, is smaller than it " +
        "seems); Tidemark keeps below that from now on. Set window: { tokens } to its true size.",
    );
  }
  if (said === "doubted" && doubt !== undefined && doubtOf(session.state, seen) === seen)
    core.notice.say("usage-untrue", UNTRUE);
  const spent = turnSpent(core, outgoing, reply);
  const bound = (): string => (can.boundThinking ? prefixOf(view.request) : TO_NOTHING);
  // Asked for before anything is awaited: a caller that calls again without waiting for us finds
  // the reply in its place.
  await core.sessions.archive(session.id, {
    dialect,
    message: reply.message,
    before: outgoing.conversation,
    line: outgoing.entries,
    prefix: dialect.thinks(reply.message) ? bound() : undefined,
    learn: (state) => {
      const last = {
        overhead: Math.ceil(ownTokens(core, outgoing)),
        limit: outgoing.limit,
        format: dialect.format,
      };
      if (said === "doubted") return { last, doubt: doubtOf(state, seen) };
      // What was cut off was not counted: the reports so far may say too little of this text.
      if (said === "cut") return { last, anchor: undefined, doubt: undefined, calibration: {} };
      if (said === "agreed")
        return { calibration: {}, ...learn({ anchor: state.doubt }, seen), last, doubt: undefined };
      return { ...learn(state, seen), last, doubt: undefined };
    },
    spent: [spent],
    ended: endedTurn(core, ending, spent.spent),
  });
}

/** The row that it leaves. */
function endedTurn(
  { now, observes }: Ground & Settings,
  { outgoing, fold, ms }: Ending,
  spent: Spent,
): EndedTurn {
  const { model, level, patience, session } = outgoing;
  const { input, cacheRead, cacheWrite, output, dollars, unpriced } = spent;
  return {
    conversation: session.id,
    at: now(),
    used: Math.round(level.used),
    limit: Math.round(level.limit),
    mark: level.mark,
    read: input + cacheRead + cacheWrite,
    cached: cacheRead,
    written: output,
    ms: Math.round(ms),
    waited: Math.round(patience.taken().waited),
    told: observes ? [] : (session.state.frozen?.told ?? []),
    recalled: recalledIn(outgoing),
    ...defined({ model: model || undefined, dollars: unpriced === 0 ? dollars : undefined, fold }),
  };
}

const UNTRUE =
  "The usage that turns are ended with cannot be true: it is far from the request's " +
  "size by Tidemark's own count, which is gone by instead. End each turn with the " +
  "usage of its own call, not of a whole run, and count cached tokens once.";

/**
 * Whether the request begins with the one that was counted, and all of it is read: after a fold or
 * an edit, other text may take more tokens a character; and makers leave out earlier thinking and
 * what they were asked to clear.
 */
function onlyAdded(
  { measure }: Weighing,
  { dialect, session: { state }, view: { request } }: Outgoing,
): boolean {
  const before = state.anchor ?? state.doubt;
  if (before?.messages === undefined || before.messages > request.messages.length) return false;
  if ("context_management" in request || request.messages.some((one) => dialect.thinks(one)))
    return false;
  const earlier = { ...request, messages: request.messages.slice(0, before.messages) };
  return Math.abs(measure.request(dialect, earlier) - before.estimated) < 1;
}
