import type { Dialect } from "../../dialect/common/dialect.ts";
import { replyIn } from "../../dialect/reported.ts";
import { contextLengthIn } from "../../dialect/models/capabilities.ts";
import { telling } from "../../model/errors.ts";
import { readTokens } from "../../model/ports.ts";
import type { Message } from "../../model/request.ts";
import { TO_NOTHING } from "../../prompt/binding.ts";
import { learn, ratioOf } from "../../window/calibrate.ts";
import { turnSpent } from "../accounting/spent.ts";
import { ownTokens, type Outgoing } from "../session/outgoing-request.ts";
import type { SessionState } from "../../model/history.ts";

/**
 * How a turn ended. A turn that was refused and the smaller one in its place end once between them.
 */
export interface Ending {
  /** The request that was sent last. */
  readonly outgoing: Outgoing;
  message?: Message;
  archived?: Promise<void>;
}

/**
 * For the turn sent in place of a refused one. A reply that came before the refusal belongs to a
 * call of its own.
 */
export const endingOf = (sent: Pick<Ending, "outgoing">, before?: Ending): Ending =>
  before === undefined || before.message !== undefined ? sent : Object.assign(before, sent);

const OTHER =
  "this turn had ended with another reply, which stands in the history; where your next request holds this one, it takes that one's place";

const JUNK = "the reply is not of the provider's form, so it was not archived";
const PARTIAL =
  "a call in the reply's stream could not be put together, so the reply was archived without it";

/** Ends the turn with its first reply, and answers whether it was this one. Never rejects. */
export async function endOnce(ending: Ending, given: unknown): Promise<boolean> {
  const { core, dialect } = ending.outgoing;
  const tell = telling(core.emit, "end");
  if (core.closed) return false;
  try {
    const reply = replyIn(dialect, given);
    if (!reply || reply.partial === true) {
      // A caller that ends every turn so is told once a conversation; what its next request holds
      // is kept all the same.
      const { id } = ending.outgoing.session;
      if (core.process.junkTold.get(id) !== true) tell(new Error(reply ? PARTIAL : JUNK));
      core.process.junkTold.set(id, true);
    }
    if (!reply) return ending.message === undefined;
    if (ending.message !== undefined) {
      // The first end is told of trouble with that.
      await ending.archived?.catch(() => undefined);
      if (!isSame(ending, reply.message)) tell(new Error(OTHER));
      return false;
    }
    ending.message = reply.message;
    ending.archived = archive(ending, reply, given);
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
  ending: Ending,
  reply: NonNullable<ReturnType<Dialect["reply"]>>,
  whole: unknown,
): Promise<void> {
  const { outgoing } = ending;
  const { core, dialect, model, session, view } = outgoing;
  const reported = reply.usage ? readTokens(reply.usage) : 0;
  core.process.ended.set(outgoing.who.root, true);
  const told = contextLengthIn(whole);
  if (told !== undefined) core.windows.told(model, told);
  const cut = windowThatCuts(outgoing, session.state, reported);
  if (cut !== undefined) noteCut(outgoing, cut);
  // Asked for before anything is awaited: a caller that calls again without waiting for us finds
  // the reply in its place.
  await core.sessions.archive(session.id, {
    dialect,
    message: reply.message,
    before: outgoing.conversation,
    line: outgoing.entries,
    prefix: dialect.thinks(reply.message) ? boundTo(outgoing) : undefined,
    learn: (state) => {
      const last = {
        overhead: Math.ceil(ownTokens(outgoing)),
        limit: outgoing.limit,
        format: dialect.format,
      };
      // What was cut off was not counted: the report says nothing of how this text is counted.
      if (cut !== undefined) return { last };
      const seen = {
        model,
        reported,
        estimated: outgoing.estimated,
        messages: view.request.messages.length,
      };
      return { ...learn(state, seen), last };
    },
    spent: [turnSpent(outgoing, reply)],
  });
}

/** What its thinking is bound to. */
const boundTo = ({ core, dialect, can, view }: Outgoing): string =>
  can.boundThinking ? core.binding.whole(dialect, view.request) : TO_NOTHING;

/**
 * Growth by our own count, in tokens and as a share, behind which a report that falls is no
 * tokenizer's doing.
 */
const GREW = { tokens: 200, share: 0.05 } as const;
/** Growth behind which the very same count is no chance. */
const SAME = 40;
/**
 * Below this share of the last report a server counts otherwise (without its cache, say) and cuts
 * nothing.
 */
const LEAST = 0.5;

/**
 * The window of a server that cuts what is longer without a word: its count of the prompt falls or
 * stays while messages are only added. Undefined where nothing shows that. Makers that refuse what
 * is too long never do so.
 */
function windowThatCuts(
  outgoing: Outgoing,
  { anchor, ...state }: SessionState,
  reported: number,
): number | undefined {
  const { dialect, model, estimated } = outgoing;
  if (
    dialect.traits.refusesTooLong ||
    anchor === undefined ||
    anchor.model !== model ||
    reported <= 0
  )
    return undefined;
  const grown = (estimated - anchor.estimated) * ratioOf(state, model);
  const stays = reported === anchor.reported && grown >= SAME;
  const falls =
    reported < anchor.reported &&
    reported >= anchor.reported * LEAST &&
    grown >= Math.max(GREW.tokens, anchor.reported * GREW.share);
  return (stays || falls) && goesOn(outgoing, anchor) ? anchor.reported : undefined;
}

/**
 * Whether the request begins with the one that was counted: after a fold or an edit, other text may
 * take more tokens a character.
 */
function goesOn(
  { core, dialect, view: { request } }: Outgoing,
  anchor: NonNullable<SessionState["anchor"]>,
): boolean {
  if (anchor.messages === undefined || anchor.messages > request.messages.length) return false;
  const before = { ...request, messages: request.messages.slice(0, anchor.messages) };
  return Math.abs(core.measure.request(dialect, before) - anchor.estimated) < 1;
}

/** Tells of it once a process, and keeps to what is really read. */
function noteCut({ core, model, dialect }: Outgoing, window: number): void {
  core.windows.told(model, window);
  core.notice.sayAnew(
    "cut-by-provider",
    `The server reads about ${window.toLocaleString("en")} tokens of a prompt and cuts the rest without a word (${dialect.traits.windowSetting} is smaller than it seems); Tidemark keeps below that from now on. Set window: { tokens } to what the server really has.`,
  );
}
