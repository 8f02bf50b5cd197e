import type { Session } from "../core/history.ts";
import { digest } from "../core/text/cut.ts";
import type { ReadRequest } from "./read-messages.ts";
import { lay } from "./recognise.ts";
import type { History } from "./session-cache.ts";
import type { Conversation, Laid, Line, Reading } from "./spine.ts";

export interface Match {
  readonly conversation: Conversation;
  readonly laid: Laid;
  /** Messages that are the archived ones to the letter. */
  readonly exact: number;
  /**
   * The latest reply they share was thought alike: two conversations may have said the same so far.
   */
  readonly akin: boolean;
}

/**
 * Two sessions fit alike, and differ in what the request does not show: it may belong to either.
 */
export const EITHER = Symbol("either");

/** The session a request goes on with, or branches from. */
function choose(
  conversations: readonly Conversation[],
  { readings, label }: ReadRequest,
  lineOf: (conversation: Conversation) => Line,
): Match | typeof EITHER | undefined {
  const matches: Match[] = [];
  for (const conversation of conversations) {
    if (conversation.session.imported) continue;
    const laid = lay(lineOf(conversation), readings, label !== undefined);
    if (laid !== undefined) matches.push(matchOf(conversation, readings, laid));
  }
  const [best, ...others] = matches.sort((one, other) => (precedes(one, other) ? -1 : 1));
  return best !== undefined && others.some((other) => isEither(best, other)) ? EITHER : best;
}

function matchOf(conversation: Conversation, readings: readonly Reading[], laid: Laid): Match {
  const { entries } = conversation;
  const { positions } = laid;
  const reply = positions.findLastIndex((position) => entries[position]?.reply === true);
  const thought = readings[reply]?.thought;
  return {
    conversation,
    laid,
    exact: positions.filter((position, index) => isExact(entries[position], readings[index]))
      .length,
    akin: thought === undefined || thought === entries[positions[reply] ?? -1]?.thought,
  };
}

const isExact = (entry: { content: string } | undefined, reading: Reading | undefined): boolean =>
  entry !== undefined && entry.content === reading?.content;

/**
 * The whole line is shown, message by message, to the letter, and the request goes on at its end:
 * none can be a better one.
 */
const isCertain = (match: Match | typeof EITHER | undefined): match is Match =>
  match !== undefined &&
  match !== EITHER &&
  match.laid.leaf &&
  match.akin &&
  match.exact === match.laid.keep &&
  match.exact === match.laid.positions.length;

/**
 * Is the one the better match? One that fits whole and to the letter goes first, then the one that
 * holds more of the request; of equals the one that ends where the request goes on, then the
 * latest.
 */
function precedes(one: Match, other: Match): boolean {
  const merits = (match: Match): number[] => [
    Number(isCertain(match)),
    match.laid.matched,
    Number(match.laid.leaf) + Number(match.laid.kind === "same"),
    match.conversation.session.updatedAt,
  ];
  const [mine, its] = [merits(one), merits(other)];
  const at = mine.findIndex((merit, place) => merit !== its[place]);
  return (mine[at] ?? 0) > (its[at] ?? 0);
}

/** Do both fit alike, with other entries at places that the request leaves out or shows less of? */
function isEither(best: Match, other: Match): boolean {
  const [one, two] = [best.laid, other.laid];
  if (one.kind !== "same" || two.kind !== "same" || one.leaf !== two.leaf) return false;
  if (one.matched !== two.matched || best.exact !== other.exact || best.akin !== other.akin)
    return false;
  const chainOf = ({ conversation, laid }: Match): string | undefined =>
    conversation.entries[laid.keep - 1]?.chain;
  const isWhole = ({ laid, exact }: Match): boolean => exact === laid.keep;
  return chainOf(best) !== chainOf(other) && !(isWhole(best) && isWhole(other));
}

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
  const { readings, label } = request;
  const judge = history.judges.judge(request);
  const recent = await history.cache.recent(request);
  const exact = choose(recent, request, judge.lineOf({ strict: true }));
  if (isCertain(exact)) return exact;
  // Nothing says that it was had here: no reply is shown, and no label.
  if (label === undefined && !readings.some(({ assistant }) => assistant)) return undefined;
  const said = await loaded(history, request, wordsAsked(request));
  const chosen = (all: readonly Conversation[]) =>
    judge.settled(() => choose(all, request, judge.lineOf({ strict: false })));
  const found = await chosen(said);
  if (found === EITHER) return EITHER;
  // A host may change all words that are asked for; then it is one of the latest, if any.
  return found?.laid.kind === "same"
    ? found
    : chosen([...new Set([...said, ...(await loaded(history, request, []))])]);
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
