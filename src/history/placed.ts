import { type Job, type Session } from "../model/history.ts";
import { type Conversation } from "./cache.ts";
import { type Reading } from "./line.ts";
import { tokensOf } from "./readings.ts";

/** A request laid on its session; `positions[i]` is where message i stands in the session, -1 for a caller's own summary. */
export interface Placed extends Conversation {
  readonly positions: readonly number[];
  /** The first message not seen before. */
  readonly added: number;
  /** Digest of the thinking a message holds, as the caller sent it. */
  readonly thought?: (index: number) => string | undefined;
  /** Work that is owed by now, because the caller shows messages otherwise that had been distilled. */
  readonly owed?: readonly Job[];
  /** Does the caller show less than was seen before of the entries in [from, to): cleared results? */
  readonly cleared?: (from: number, to: number) => boolean;
  /** What the caller's messages weigh by our own count, a fold or not. */
  readonly tokens: () => number;
  /** What one of them weighed when it was placed. */
  readonly weight?: (index: number) => number;
  /** Are the caller's messages still what was placed? They are its own, and it may clear or edit them where they stand. */
  readonly unchanged?: () => boolean;
}

/** Where a request stands, before what it shows there is looked up. */
export type Laying = Omit<Placed, "thought" | "cleared" | "tokens" | "weight" | "unchanged">;

/** What the caller's messages hold where they stand. There may be thousands, and few turns ask. */
export const lookups = (
  { positions, entries }: Laying,
  readings: readonly Reading[],
  before: readonly Reading[] | undefined,
): Pick<Placed, "thought" | "cleared" | "tokens" | "weight"> => ({
  thought: (index) => readings[index]?.thought,
  cleared: (from, to) =>
    positions.some(
      (position, index) =>
        position >= from &&
        position < to &&
        entries[position]?.content !== readings[index]?.content,
    ),
  tokens: () => tokensOf(readings, before),
  weight: (index) => readings[index]?.tokens ?? 0,
});

/** Of a request that lies on its line from the first message on, each where it stands. */
export const readOf = (
  positions: readonly number[],
  readings: readonly Reading[],
): Pick<Conversation, "read"> =>
  positions.at(-1) === readings.length - 1 ? { read: readings } : {};

/** Of the limit, for messages that a fold stood for: what is at the brim would be folded at once, without a model. */
const ROOM = 0.8;

export const hasRoom = ({ state: { last } }: Session, readings: readonly Reading[]): boolean =>
  last === undefined ||
  readings.reduce((sum, { tokens }) => sum + tokens, last.overhead) <= ROOM * last.limit;
