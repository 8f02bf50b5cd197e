import { type Dialect } from "../dialect/common/dialect.ts";
import { type Message } from "../model/request.ts";
import { slices } from "../base/async.ts";
import { type Session } from "../model/history.ts";
import { type HistoryStore } from "../model/history-store.ts";
import { digest } from "../text/hash.ts";
import { type Cache, type Conversation } from "./cache.ts";
import { type Laid, straightTo } from "./align.ts";
import { choose, isCertain, type Match } from "./readings.ts";
import { type Judge, type Judges } from "./judge.ts";
import { type Reading } from "./line.ts";
import { findPieces, piecesAt, type Pieces } from "./pieces.ts";
import { shownOf } from "./shown.ts";

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

export interface PlaceInput {
  readonly dialect: Dialect;
  /** The conversation without a preamble of instructions. */
  readonly messages: readonly Message[];
  readonly root: string;
  readonly label?: string;
  /** Digest of what the caller sends before a message: what the thinking of a reply that was not archived was made behind. */
  readonly prefixBefore?: (index: number) => string;
  /** The digest of what stands before the next message, from that of what stands before this one. */
  readonly prefixBehind?: (prefix: string, message: Message) => string;
}

/** A request to be placed, and how its messages read. */
export interface ReadRequest {
  readonly input: PlaceInput;
  readonly readings: readonly Reading[];
}

/** A request's last messages tell best where it belongs; what stands before them need not be looked up. */
const CHAINS = 400;
const REPLIES = 8;

/** What the first message of a conversation is chained to: the identity and the host's label, never system, tools or model. */
export const rootChain = ({ root, label }: Pick<Session, "root" | "label">): string =>
  digest("root", root, label ?? "");

/** Where a request belongs, and whether it says the replies that give way in other pieces. */
export type Found = Match & { readonly pieces?: Pieces };

interface Stores {
  readonly store: HistoryStore;
  readonly cache: Cache;
  readonly judges: Judges;
}

interface Search {
  readonly judge: Judge;
  readonly others: () => Promise<Conversation[]>;
}

/** The session a request belongs to, recognised by its messages, or by its replies in other pieces. */
export async function findSession(
  stores: Stores,
  request: ReadRequest,
): Promise<Found | undefined> {
  const { store } = stores;
  const { input, readings } = request;
  let met: Promise<Conversation[]> | undefined;
  const others = (): Promise<Conversation[]> => (met ??= candidates(stores, request));
  const judge = stores.judges.judge(input, readings);
  const match = await findWhole(stores, request, { judge, others });
  if (match !== undefined) {
    const { conversation, laid } = match;
    const pieces =
      laid.keep < conversation.entries.length
        ? await piecesAt(store, input, {
            conversation,
            at: laid.keep,
            index: laid.positions.length,
          })
        : undefined;
    return pieces ? { ...match, pieces } : match;
  }
  if (!readings.some(({ assistant }) => assistant)) return undefined;
  const lines = (await others()).map((conversation) => ({
    conversation,
    line: judge.lineOf({ strict: false })(conversation),
  }));
  let found = await findPieces(store, input, { lines, readings });
  while (await judge.settle()) found = await findPieces(store, input, { lines, readings });
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
  { store, cache }: Stores,
  { input, readings }: ReadRequest,
  { judge, others }: Search,
): Promise<Match | undefined> {
  const labelled = input.label !== undefined;
  const recent = cache.recent(input.root, input.label);
  const exact = choose(recent, readings, {
    lineOf: judge.lineOf({ strict: true }),
    labelled,
    trimmed: false,
  });
  if (isCertain(exact)) return exact;
  const lineOf = judge.lineOf({ strict: false });
  /** What bodies alone can tell is read, and the choice made again. */
  const chosen = async (
    conversations: readonly Conversation[],
    how: { trimmed?: boolean; revised?: boolean },
  ): Promise<Match | undefined> => {
    let match = choose(conversations, readings, { lineOf, labelled, ...how });
    while (await judge.settle())
      match = choose(conversations, readings, { lineOf, labelled, ...how });
    return match;
  };
  const near = await chosen(recent, { trimmed: false });
  if (isCertain(near)) return near;
  let match = await chosen(await others(), {});
  if (match?.laid.revised) {
    const revision = await revisionOf(store, input, match);
    match =
      revision === undefined
        ? await chosen(await others(), { revised: false })
        : { ...match, laid: { ...match.laid, revised: revision } };
  }
  if (!match?.laid.unanswered || match.laid.positions.length !== input.messages.length - 1)
    return match;
  // A call that failed leaves its message unanswered; the caller joins the next words to it.
  const { conversation, laid } = match;
  const [waiting] = await store.bodies(conversation.session.id, laid.keep, laid.keep + 1);
  const last = input.messages.at(-1);
  return waiting && last && continues(input.dialect, waiting.body, last)
    ? { ...match, laid: { ...laid, kind: "same" } }
    : match;
}

/**
 * Does the message that would give way hold the whole of what the caller now sends in its place, or that the whole of it; or are
 * its words the same but for figures, as with a clock?
 */
async function revisionOf(
  store: HistoryStore,
  { dialect, messages }: PlaceInput,
  { conversation, laid }: Match,
): Promise<Laid["revised"]> {
  const [before] = await store.bodies(conversation.session.id, laid.keep, laid.keep + 1);
  const now = messages[laid.positions.length];
  if (before === undefined || now === undefined) return undefined;
  const read = (message: Message) => ({
    text: dialect.text(message).trim(),
    results: dialect.results(message).map(({ text }) => text),
  });
  const [one, other] = [read(before.body), read(now)];
  if (
    one.results.length !== other.results.length ||
    one.results.some((text, index) => text !== other.results[index])
  )
    return undefined;
  const [shorter = "", longer = ""] = [one.text, other.text].sort((a, b) => a.length - b.length);
  if (longer.includes(shorter) && (shorter !== "" || one.results.length > 0)) return "more or less";
  return shownOf(dialect, before.body, now) === "kin" ? "kin" : undefined;
}

async function candidates(
  { store, cache }: Stores,
  { input, readings }: ReadRequest,
): Promise<Conversation[]> {
  const chains: string[] = [];
  let chain = rootChain(input);
  for await (const { from, to } of slices(0, readings.length))
    for (const { content } of readings.slice(from, to))
      chains.push((chain = digest(chain, content)));
  const replies = readings.filter(({ assistant }) => assistant).slice(-REPLIES);
  const ids = new Set([
    ...(await store.byChain(chains.slice(-CHAINS))).map(({ session }) => session),
    ...(replies.length > 0
      ? await store.byReply(
          input.root,
          input.label,
          replies.map(({ content }) => content),
        )
      : []),
  ]);
  const found = await Promise.all([...ids].map((id) => cache.load(id)));
  return found.filter((one) => one !== undefined);
}
