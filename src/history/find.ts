import type { Dialect } from "../dialect/common/dialect.ts";
import type { Message } from "../model/request.ts";
import type { Session } from "../model/history.ts";
import { digest } from "../text/hash.ts";
import type { How } from "./recognise.ts";
import type { Conversation, Reading } from "./line.ts";
import { choose, EITHER, isCertain, type Match } from "./choose.ts";
import type { ReadRequest } from "./read-messages.ts";
import type { History } from "./session-cache.ts";

/**
 * What the first message of a conversation is chained to: identity and host's label, never system,
 * tools or model.
 */
export const rootChain = ({ root, label }: Pick<Session, "root" | "label">): string =>
  digest("root", root, label ?? "");

/**
 * The first words of the user's, and so many of the last of either side, find the sessions that may
 * be meant.
 */
const LAST_WORDS = 4;

/**
 * The session a request belongs to, recognised by its messages: undefined where it is new, EITHER
 * where two fit alike.
 */
export async function findSession(
  history: History,
  request: ReadRequest,
): Promise<Match | typeof EITHER | undefined> {
  const { readings, root, label } = request;
  const labelled = label !== undefined;
  const judge = history.judges.judge(request);
  const recent = await history.cache.recent(root, label);
  const lately: How = { labelled, trimmed: false };
  const exact = choose(recent, readings, judge.lineOf({ strict: true }), lately);
  if (isCertain(exact)) return exact;
  // Nothing says that it was had here: no reply is shown, and no label.
  if (!labelled && !readings.some(({ assistant }) => assistant)) return undefined;
  const said = await loaded(history, request, wordsAsked(request));
  const chosen = (all: readonly Conversation[]) =>
    judge.settled(() => choose(all, readings, judge.lineOf({ strict: false }), { labelled }));
  const found = await chosen(said);
  if (found === EITHER) return EITHER;
  // A host may change all words that are asked for; then it is one of the latest, if any.
  const match =
    found?.laid.kind === "same"
      ? found
      : await chosen([...new Set([...said, ...(await loaded(history, request, []))])]);
  return match === undefined || match === EITHER ? match : joined(history, request, match);
}

const wordsAsked = ({ readings }: ReadRequest): string[] => {
  const wordsOf = (some: readonly Reading[]): string[] => some.map(({ said }) => said());
  const own = readings.filter((reading) => reading.own);
  const replies = readings.filter(({ assistant }) => assistant);
  const asked = [...own.slice(0, 1), ...own.slice(-LAST_WORDS), ...replies.slice(-LAST_WORDS)];
  return [...new Set(wordsOf(asked))].filter((said) => said !== "");
};

/** The sessions that hold some of these words; the latest where none are asked for. */
async function loaded(
  { store, cache }: History,
  { root, label }: ReadRequest,
  said: readonly string[],
): Promise<Conversation[]> {
  const named = await store.sessions({ root, label, said });
  const found = await Promise.all(named.map(({ id }) => cache.load(id)));
  return found.filter((one) => one !== undefined);
}

/** A call that failed leaves its message unanswered, and a caller may join the next words to it. */
async function joined({ store }: History, request: ReadRequest, match: Match): Promise<Match> {
  const { conversation, laid } = match;
  const { messages, dialect } = request;
  if (!laid.unanswered || laid.positions.length !== messages.length - 1) return match;
  const [waiting] = await store.bodies(conversation.session.id, laid.keep, laid.keep + 1);
  const last = messages.at(-1);
  return waiting && last && continues(dialect, waiting.body, last)
    ? { ...match, laid: { ...laid, kind: "same" } }
    : match;
}

/** Does the user's message begin with all the words of the one that waits, and go on? */
function continues(dialect: Dialect, waiting: Message, message: Message): boolean {
  const said = dialect.text(waiting);
  return said !== "" && dialect.text(message).startsWith(`${said}\n`);
}
