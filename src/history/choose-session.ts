import { align, type How, type Laid } from "./align.ts";
import type { Conversation, Line, Reading } from "./match-line.ts";
import type { Dialect } from "../dialect/common/dialect.ts";
import type { Format, Message } from "../model/request.ts";
import { slices } from "../base/async.ts";
import { cleaned, head } from "../text/cut.ts";
import { createSeen, type Seen } from "../tokens/message-cache.ts";
import { digest, stableJson } from "../text/hash.ts";
import type { Job, Session } from "../model/history.ts";

export interface Match {
  readonly conversation: Conversation;
  readonly laid: Laid;
  /** The latest reply they share was thought alike: two conversations may have said the same so far. */
  readonly akin: boolean;
}

/** The session a request goes on with, or branches from. */
export function choose(
  conversations: readonly Conversation[],
  readings: readonly Reading[],
  lineOf: (conversation: Conversation) => Line,
  how: How,
): Match | undefined {
  let chosen: Match | undefined;
  for (const conversation of conversations) {
    const { session, folds } = conversation;
    if (session.imported) continue;
    let laid = align(lineOf(conversation), readings, how);
    const { revised, keep = 0 } = laid ?? {};
    // No summary may speak for what is said otherwise now.
    if (revised && folds.some(({ upTo }) => upTo > keep))
      laid = align(lineOf(conversation), readings, { ...how, revised: false });
    if (laid === undefined) continue;
    const match = { conversation, laid, akin: akin(conversation, readings, laid) };
    if (chosen === undefined || precedes(match, chosen)) chosen = match;
  }
  return chosen;
}

/** No other session can be a better one: this one's line ends where the request goes on, and only a reply proves more. */
export const isCertain = (match: Match | undefined): match is Match =>
  match !== undefined &&
  match.laid.leaf &&
  match.laid.straight &&
  match.akin &&
  match.laid.changed === undefined;

/** Is the one the better match? What tells most comes first, and more of it is better. */
function precedes(one: Match, other: Match): boolean {
  const differ = one.laid.kind !== other.laid.kind;
  const [mine = [], its = []] = [one, other].map((match) => {
    const { conversation, laid, akin } = match;
    return [
      isCertain(match),
      // A request that repeats earlier words goes on with the newer telling, however long the older one was: all of it but what
      // the caller has added lies in a row up to the end of the line.
      differ && laid.leaf && laid.matched === laid.positions.length,
      laid.matched,
      -(laid.changed?.length ?? 0),
      laid.leaf,
      laid.straight,
      laid.kind === "same",
      akin,
      conversation.session.updatedAt,
    ].map(Number);
  });
  const at = mine.findIndex((merit, place) => merit !== its[place]);
  return (mine[at] ?? 0) > (its[at] ?? 0);
}

function akin(
  { entries }: Conversation,
  readings: readonly Reading[],
  { positions }: Laid,
): boolean {
  const index = positions.findLastIndex((position) => entries[position]?.reply === true);
  const thought = readings[index]?.thought;
  return thought === undefined || thought === entries[positions[index] ?? -1]?.thought;
}

/** Enough of a reply to know its cut form again. */
const HEAD = 80;

/** Cleaned, because what a row cannot hold would come back changed. */
export const headOf = (dialect: Dialect, message: Message): string =>
  flat(head(cleaned(head(dialect.text(message), 2 * HEAD)), HEAD));

/** Characters of its own: a slice keeps the whole text it was cut from in memory for as long as the session is cached. */
const flat = (text: string): string => Buffer.from(text, "utf16le").toString("utf16le");

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
export interface ReadRequest extends PlaceInput {
  readonly readings: readonly Reading[];
}

/** Estimated tokens of a message. */
export type Weigh = (dialect: Dialect, message: Message) => number;

/**
 * Reads messages for placing. A message object that was read before and has not been changed since is not hashed again:
 * comparing leaves is two hundred times cheaper, and callers do change messages in place.
 */
export function createReadings(weigh: Weigh) {
  // The same objects may be sent to two providers, and are another message to each.
  const seen = new Map<Format, Seen<Reading>>();
  const seenBy = ({ format }: Dialect): Seen<Reading> => {
    const mine = seen.get(format) ?? createSeen<Reading>();
    seen.set(format, mine);
    return mine;
  };
  const read = (dialect: Dialect, messages: readonly Message[], index: number): Reading => {
    const message = messages[index] as Message;
    const { content, skeleton } = dialect.canon(messages, index);
    const assistant = dialect.speaker(message) === "assistant";
    const thought = assistant ? thoughtOf(dialect, message) : undefined;
    const tools = dialect.calls(message).length > 0 || dialect.results(message).length > 0;
    return {
      content,
      skeleton,
      assistant,
      tools,
      tokens: weigh(dialect, message),
      head: assistant ? headOf(dialect, message) : "",
      thought,
    };
  };

  /** Reads a long history in slices, with a turn for others between two: what was read is only compared then. */
  async function inSlices(dialect: Dialect, messages: readonly Message[]): Promise<void> {
    const mine = seenBy(dialect);
    for await (const { from, to } of slices(0, messages.length))
      for (let index = from; index < to; index += 1)
        mine.of(messages[index] as Message, () => read(dialect, messages, index));
  }

  return {
    read: (input: PlaceInput): ReadRequest => ({
      ...input,
      readings: seenBy(input.dialect).all(input.messages, (_, index) =>
        read(input.dialect, input.messages, index),
      ),
    }),
    /** Runs work that reads messages: at once, or behind their reading in slices where many were not met before. */
    ahead: <T>({ dialect, messages }: PlaceInput, work: () => Promise<T>): Promise<T> =>
      messages.length - seenBy(dialect).met(messages) <= FEW
        ? work()
        : inSlices(dialect, messages).then(work),
  };
}

/** Messages read in one go. */
const FEW = 200;

/**
 * Digest of the thinking in a message, undefined when it holds none. Two replies may say the same words behind other
 * thoughts, and only the thoughts are bound to what stood before them.
 */
export function thoughtOf(dialect: Dialect, message: Message): string | undefined {
  if (!dialect.thinks(message)) return undefined;
  const left = dialect.withoutThinking(message);
  const gone = Object.keys(message)
    .filter((name) => message[name] !== left[name])
    .sort()
    .map((name) => [name, takenFrom(message[name], left[name])]);
  return digest(stableJson(gone));
}

function takenFrom(whole: unknown, left: unknown): unknown {
  if (!Array.isArray(whole) || !Array.isArray(left)) return whole;
  const stayed = new Set<unknown>(left);
  return whole.filter((block) => !stayed.has(block));
}

/** Where a request stands in its session; `positions[i]` is where message i does, -1 for a caller's own summary. */
export interface Laying extends Conversation {
  readonly positions: readonly number[];
  /** The first message not seen before. */
  readonly added: number;
  /** Work that is owed by now, because the caller shows messages otherwise that had been distilled. */
  readonly owed?: readonly Job[];
}

/** A request laid on its session, and what its messages hold where they stand. There may be thousands, and few turns ask. */
export interface Placed extends Laying {
  /** Digest of the thinking a message holds, as the caller sent it. */
  readonly thought?: (index: number) => string | undefined;
  /** Does the caller show less than was seen before of the entries in [from, to): cleared results? */
  readonly cleared?: (from: number, to: number) => boolean;
  /** What the caller's messages weigh by our own count, a fold or not. */
  readonly tokens: () => number;
  /** What one of them weighed when it was placed. */
  readonly weight?: (index: number) => number;
  /** Are the caller's messages still what was placed? They are its own, and it may clear or edit them where they stand. */
  readonly unchanged?: () => boolean;
}

/** Of the limit, for messages that a fold stood for: what is at the brim would be folded at once, without a model. */
const ROOM = 0.8;

export const hasRoom = ({ state: { last } }: Session, readings: readonly Reading[]): boolean =>
  last === undefined ||
  readings.reduce((sum, { tokens }) => sum + tokens, last.overhead) <= ROOM * last.limit;
