import { endOfRun } from "../core/base.ts";
import type { Entry, Fold, Session } from "../core/history.ts";

/**
 * What a message shows of the one archived in its place. "part": nothing that is not in it.
 * "cleared": the same, with notes in place of what was left out. "whole": what was archived is such
 * a cleared form of it. "more": all of it stands among new words. "kin": all but figures and dates
 * is the same, as with a clock. "other": something new. "own": something new of the very same
 * calls. "foreign": something new, of other calls.
 */
export type Shown = "part" | "cleared" | "whole" | "more" | "kin" | "other" | "own" | "foreign";

/** A request's message as it reads before it is placed. */
export interface Reading {
  /** Digest of all that makes it this message. */
  readonly content: string;
  /** Digest of the user's or the assistant's words in normal form; "" where there are none. */
  readonly said: () => string;
  /** The user's own words. */
  readonly own: boolean;
  readonly assistant: boolean;
  /** It calls tools, or answers calls. */
  readonly tools: boolean;
  /** Digest of the thinking it holds. */
  readonly thought?: string;
  /** Its weight by our own count, thinking and all. */
  readonly tokens: number;
}

/** A session as it stands: its line without bodies, and its folds. */
export interface Conversation {
  readonly session: Session;
  readonly entries: readonly Entry[];
  readonly folds: readonly Fold[];
}

/** The line of a session: all that was seen, and how much of it the caller has confirmed. */
export interface Line {
  readonly entries: readonly Entry[];
  readonly confirmed: number;
  /** How many of them a summary speaks for. */
  readonly folded: number;
  /**
   * Compares a reading with the entry at a position, or with all assistant's entries of
   * [position, to) as one message. Undefined: not looked at yet, and taken for a part.
   */
  readonly shows: (position: number, reading: Reading, to?: number) => Shown | undefined;
  /** How often a message was shown otherwise where it stands. */
  readonly changes?: Readonly<Record<string, number>>;
}

/** A message that is shown otherwise where it stands. */
export interface Change {
  readonly position: number;
  /** It has changed so again and again: a fold over it holds. */
  readonly usual: boolean;
  /** Not the same words alone say that it is this conversation. */
  readonly proven: boolean;
}

/** How a request lies on a line that it belongs to. */
export interface Laid {
  /** "same": it goes on with the session. "branch": it leaves the line behind entry `keep - 1`. */
  readonly kind: "same" | "branch";
  /** The place of each message, -1 for a caller's own summary; messages behind these are new. */
  readonly positions: readonly number[];
  /** Entries from here on give way; new ones follow entry `keep - 1`. */
  readonly keep: number;
  readonly matched: number;
  /** The request goes on exactly where the line ends. */
  readonly leaf: boolean;
  /** "same" only because the last message of the user's is shown in another form. */
  readonly revised?: Shown | "unread";
  readonly changed?: readonly Change[];
}

/** Once may be a correction; a clock changes with every turn. */
export const isUsual = (changes: Line["changes"], position: number, kin: boolean): boolean =>
  (changes?.[String(position)] ?? 0) >= (kin ? 1 : 2);

export const isShown = (shown: Shown | undefined): boolean =>
  shown === undefined || shown === "part" || shown === "cleared" || shown === "whole";

/** Does a message of the user's, or a result, say less than was seen of it, or something else? */
export const isCleared = (entry: Entry | undefined, reading: Reading | undefined): boolean =>
  entry !== undefined &&
  entry.role !== "assistant" &&
  entry.content !== reading?.content &&
  (entry.said === "" || entry.said !== reading?.said());

/** A run of a request's messages along a line. */
export interface Walk {
  readonly positions: readonly number[];
  /** The place behind the last matched entry. */
  readonly at: number;
  readonly changed: readonly Change[];
}

/**
 * Follows a request along a line: the user's words in their order, between them any form of the
 * replies.
 */
export function walk(
  line: Line,
  readings: readonly Reading[],
  from: { index: number; at: number },
): Walk {
  const positions: number[] = [];
  const changed: Change[] = [];
  let { at } = from;
  let joined: number | undefined;
  for (let index = from.index; index < readings.length; index += 1) {
    // The messages that stand for one entry follow each other; words are compared where it matters.
    const isTold = (): boolean => {
      const said = readings[index]?.said();
      const pieces = endOfRun(0, (back) => positions[positions.length - 1 - back] === at - 1);
      return readings.slice(index - pieces, index).some((one) => one.said() === said);
    };
    const place = placeOf(line, readings, { index, at, joined, isTold });
    if (place === undefined) break;
    positions.push(place.position);
    if (place.change) changed.push(place.change);
    at = Math.max(at, place.to ?? place.position + 1);
    const { assistant = false, tools = false } = readings[index] ?? {};
    if (assistant || !tools) joined = place.joined;
  }
  return { positions, at, changed };
}

interface Place {
  readonly position: number;
  /** The place behind all that it shows, where that is further on. */
  readonly to?: number;
  /** It shows the calls of all steps from here on as one. */
  readonly joined?: number;
  readonly change?: Change;
}

function placeOf(
  line: Line,
  readings: readonly Reading[],
  given: { index: number; at: number; joined: number | undefined; isTold: () => boolean },
): Place | undefined {
  const { index, at } = given;
  const reading = readings[index];
  if (reading === undefined) return undefined;
  const { entries } = line;
  if (entries[at]?.content === reading.content) return { position: at };
  const spine = spineFrom(line, at);
  return !reading.own
    ? replyPlace(line, reading, { ...given, spine })
    : spinePlace(line, readings, { index, spine });
}

/** The next entry of the user's own words, or the line's end. */
export const spineFrom = ({ entries }: Line, at: number): number =>
  endOfRun(at, (place) => place < entries.length && entries[place]?.role !== "user");

function spinePlace(
  line: Line,
  readings: readonly Reading[],
  { index, spine }: { index: number; spine: number },
): Place | undefined {
  const [reading, entry] = [readings[index], line.entries[spine]];
  if (reading === undefined || entry === undefined) return undefined;
  if (entry.content === reading.content) return { position: spine };
  // The last words are provisional: in another form they give way, and all that came of them stays.
  if (came(line, readings, { index, spine })) return undefined;
  const shown = line.shows(spine, reading);
  if (shown === "foreign") return undefined;
  const next = readings[index + 1];
  const behind = { at: spine + 1, spine: spineFrom(line, spine + 1) };
  const isAnswered = next?.own === false && replyPlace(line, next, behind) !== undefined;
  if (isShown(shown)) return spine < line.confirmed || isAnswered ? { position: spine } : undefined;
  const kin = shown === "kin";
  const usual = isUsual(line.changes, spine, kin);
  const proven = shown === "own";
  if (!isAnswered || !(kin || usual || (proven && entry.said === reading.said()))) return undefined;
  return { position: spine, change: { position: spine, usual, proven } };
}

/** Does a request show, behind the last words of the user's, all that came of them, and go on? */
export function came(
  line: Line,
  readings: readonly Reading[],
  { index, spine }: { index: number; spine: number },
): boolean {
  const behind = line.entries.slice(spine + 1);
  return (
    behind.at(-1)?.reply === true &&
    readings.length > index + 1 + behind.length &&
    behind.every(
      ({ role, content }, place) =>
        role !== "user" && content === readings[index + 1 + place]?.content,
    )
  );
}

/**
 * Looks for a reply or a result among the entries up to the user's next words. `isTold`: its words
 * stood in the request already, for the entry before.
 */
function replyPlace(
  line: Line,
  reading: Reading,
  given: { at: number; spine: number; joined?: number | undefined; isTold?: () => boolean },
): Place | undefined {
  const { at, spine, isTold = () => false } = given;
  const { entries } = line;
  const joined = joinedPlace(line, reading, given);
  if (joined) return joined;
  const voice = (place: number): boolean =>
    (entries[place]?.role === "assistant") === reading.assistant;
  for (let place = at; place < spine; place += 1) {
    if (!voice(place)) continue;
    const shown = line.shows(place, reading);
    // A provisional message with another result is another message.
    if (isShown(shown) && (reading.assistant || place < line.confirmed)) {
      const isHere = (): boolean => entries[place]?.said === reading.said() && isTold();
      if (place > at && reading.assistant && !isHere() && line.shows(at - 1, reading) === "part")
        break;
      return { position: lastJoined(line, reading, { place, spine, shown }) };
    }
    const isNext = place === at && place < line.confirmed;
    if (isNext && (shown === "own" || shown === "other" || shown === "kin")) {
      // Other words are another reply; other arguments or results may be a correction.
      if (reading.assistant && !saysAlike(entries[place], reading)) continue;
      const usual = isUsual(line.changes, place, shown === "kin");
      const proven = shown === "own";
      return { position: place, change: { position: place, usual, proven } };
    }
  }
  // A host may show one reply in pieces.
  const before = at - 1;
  return reading.assistant && before >= 0 && voice(before) && line.shows(before, reading) === "part"
    ? { position: before }
    : undefined;
}

/**
 * A host may show the steps of a turn as one, their calls before their results: such calls stand
 * at the last of them, with their results, so that no fold parts what it does not stand for.
 */
function joinedPlace(
  line: Line,
  reading: Reading,
  { at, spine, joined }: { at: number; spine: number; joined?: number | undefined },
): Place | undefined {
  const { assistant, tools, content } = reading;
  const [from, least] = assistant ? [at, at + 2] : [joined, at];
  if (!tools || from === undefined || least > spine) return undefined;
  const isOne = (): boolean =>
    isShown(line.shows(at, reading)) ||
    line.entries.slice(at, spine).some((entry) => entry.content === content);
  const shows = (to: number): boolean => isShown(line.shows(from, reading, to));
  if ((assistant && isOne()) || !shows(spine)) return undefined;
  let to = least;
  while (!shows(to)) to += 1;
  return assistant ? { position: to - 1, joined: at } : { position: at - 1, to };
}

/** A host may show several replies joined into one: the place of the last of them. */
function lastJoined(
  line: Line,
  reading: Reading,
  { place, spine, shown }: { place: number; spine: number; shown: Shown | undefined },
): number {
  const isMore = shown === "whole" && reading.assistant && spine - place > 1;
  if (!isMore || !isShown(line.shows(place, reading, spine))) return place;
  return lastVoice(line.entries, place, spine);
}

/** The same words; where neither has any, only one that calls tools may be another call. */
const saysAlike = (entry: Entry | undefined, reading: Reading): boolean =>
  entry?.said === reading.said() && (entry.said !== "" || reading.tools);

const lastVoice = (entries: readonly Entry[], from: number, to: number): number =>
  from + entries.slice(from, to).findLastIndex(({ role }) => role === "assistant");

export const holdsReply = ({ entries }: Line, positions: readonly number[]): boolean =>
  positions.some((position) => entries[position]?.reply === true);
