import type { Entry, Fold, Session } from "../model/history.ts";
import type { Shown } from "./compare-message.ts";

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
  /** The readings of its latest request, and where each stood. */
  readonly read?: { readonly readings: readonly Reading[]; readonly positions: readonly number[] };
}

/** The line of a session: all that was seen, and how much of it the caller has confirmed. */
export interface Line {
  readonly entries: readonly Entry[];
  readonly confirmed: number;
  /**
   * Compares a reading with the entry at a position, or with all assistant's entries of
   * [position, to) as one message. Undefined: not looked at yet, and taken for a part.
   */
  readonly shows: (position: number, reading: Reading, to?: number) => Shown | undefined;
  /** Positions of the first readings, which are the very objects of the last request. */
  readonly known: readonly number[];
  /** A reply in the request is the very object that the line's last request held. */
  readonly met: boolean;
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
  /** A branch only because the message that would give way waits for its answer. */
  readonly unanswered: boolean;
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
