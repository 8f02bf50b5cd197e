import { isDeepStrictEqual } from "node:util";
import type { Dialect } from "../dialect/common/dialect.ts";
import type { Message } from "../model/request.ts";
import { slices } from "../base/async.ts";
import type { Session } from "../model/history.ts";
import type { HistoryStore } from "../model/history-store.ts";
import { digest } from "../text/hash.ts";
import type { Conversation } from "./match-line.ts";
import { type How, type Laid, straightTo } from "./align.ts";
import { choose, isCertain, type Match, type ReadRequest } from "./choose-session.ts";
import type { History, Judge } from "./session-cache.ts";
import { findPieces, piecesAt, type Pieces } from "./split-replies.ts";
import { shownOf } from "./compare-message.ts";

/** Does the message begin with all of the one that waits: the same words or the same results, with more behind them? */
function continues(dialect: Dialect, waiting: Message, message: Message): boolean {
  if (dialect.speaker(waiting) === "assistant" || dialect.speaker(message) === "assistant")
    return false;
  const said = dialect.text(waiting);
  const answered = dialect.results(waiting);
  if (said === "" && answered.length === 0) return false;
  const results = dialect.results(message);
  return (
    (said === "" || dialect.text(message).startsWith(`${said}\n`)) &&
    answered.every(({ text }, index) => results[index]?.text === text)
  );
}

/** A request's last messages tell best where it belongs; what stands before them need not be looked up. */
const CHAINS = 400;
const REPLIES = 8;

/** What the first message of a conversation is chained to: the identity and the host's label, never system, tools or model. */
export const rootChain = ({ root, label }: Pick<Session, "root" | "label">): string =>
  digest("root", root, label ?? "");

/** Where a request belongs, and whether it says the replies that give way in other pieces. */
export type Found = Match & { readonly pieces?: Pieces };

/** The session a request belongs to, recognised by its messages, or by its replies in other pieces. */
export async function findSession(
  history: History,
  request: ReadRequest,
): Promise<Found | undefined> {
  const { store } = history;
  let met: Promise<Conversation[]> | undefined;
  const others = (): Promise<Conversation[]> => (met ??= candidates(history, request));
  const judge = history.judges.judge(request);
  const match = await findWhole(history, request, judge, others);
  if (match !== undefined) {
    const { conversation, laid } = match;
    const place = { conversation, at: laid.keep, index: laid.positions.length };
    return { ...match, pieces: await piecesAt(store, request, place) };
  }
  if (!request.readings.some(({ assistant }) => assistant)) return undefined;
  const all = await others();
  const found = await judge.settled(() =>
    findPieces(store, request, all, judge.lineOf({ strict: false })),
  );
  if (found === undefined) return undefined;
  const { conversation, at, pieces } = found;
  const same =
    at >= conversation.session.confirmed && at + pieces.entries === conversation.entries.length;
  return {
    conversation,
    pieces,
    akin: true,
    laid: { ...straightTo(at), kind: same ? "same" : "branch" },
  };
}

/** Among those met lately if that is certain, else among all that share something with it. */
async function findWhole(
  { store, cache }: History,
  request: ReadRequest,
  judge: Judge,
  others: () => Promise<Conversation[]>,
): Promise<Match | undefined> {
  const { readings, messages, root, label } = request;
  const labelled = label !== undefined;
  const recent = cache.recent(root, label);
  const lately = { labelled, trimmed: false };
  const exact = choose(recent, readings, judge.lineOf({ strict: true }), lately);
  if (isCertain(exact)) return exact;
  const chosen = (conversations: readonly Conversation[], how: How) =>
    judge.settled(() => choose(conversations, readings, judge.lineOf({ strict: false }), how));
  const near = await chosen(recent, lately);
  if (isCertain(near)) return near;
  let match = await chosen(await others(), { labelled });
  if (match?.laid.revised) {
    const revised = await revisionOf(store, request, match);
    match =
      revised === undefined
        ? await chosen(await others(), { labelled, revised: false })
        : { ...match, laid: { ...match.laid, revised } };
  }
  if (!match?.laid.unanswered || match.laid.positions.length !== messages.length - 1) return match;
  // A call that failed leaves its message unanswered; the caller joins the next words to it.
  const { conversation, laid } = match;
  const [waiting] = await store.bodies(conversation.session.id, laid.keep, laid.keep + 1);
  const last = messages.at(-1);
  return waiting && last && continues(request.dialect, waiting.body, last)
    ? { ...match, laid: { ...laid, kind: "same" } }
    : match;
}

/**
 * Does the message that would give way hold the whole of what the caller now sends in its place, or that the whole of it; or are
 * its words the same but for figures, as with a clock?
 */
async function revisionOf(
  store: HistoryStore,
  { dialect, messages }: ReadRequest,
  { conversation, laid }: Match,
): Promise<Laid["revised"]> {
  const [before] = await store.bodies(conversation.session.id, laid.keep, laid.keep + 1);
  const now = messages[laid.positions.length];
  if (before === undefined || now === undefined) return undefined;
  const both = [before.body, now];
  const [one, other] = both.map((message) => dialect.results(message).map(({ text }) => text));
  if (!isDeepStrictEqual(one, other)) return undefined;
  const [shorter = "", longer = ""] = both
    .map((message) => dialect.text(message).trim())
    .sort((a, b) => a.length - b.length);
  if (longer.includes(shorter) && (shorter !== "" || one?.length !== 0)) return "more or less";
  return shownOf(dialect, before.body, now) === "kin" ? "kin" : undefined;
}

async function candidates(
  { store, cache }: History,
  { root, label, readings }: ReadRequest,
): Promise<Conversation[]> {
  const chains: string[] = [];
  let chain = rootChain({ root, label });
  for await (const { from, to } of slices(0, readings.length))
    for (const { content } of readings.slice(from, to))
      chains.push((chain = digest(chain, content)));
  const replies = readings
    .filter(({ assistant }) => assistant)
    .slice(-REPLIES)
    .map(({ content }) => content);
  const ids = new Set([
    ...(await store.byChain(chains.slice(-CHAINS))).map(({ session }) => session),
    ...(replies.length > 0 ? await store.byReply(root, label, replies) : []),
  ]);
  const found = await Promise.all([...ids].map((id) => cache.load(id)));
  return found.filter((one) => one !== undefined);
}
