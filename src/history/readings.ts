import { type Dialect } from "../dialect/dialect.ts";
import { thoughtOf } from "./thought.ts";
import { type Format, type Message } from "../model/request.ts";
import { cleaned, head } from "../text/cut.ts";
import { createSeen, type Seen } from "../tokens/seen.ts";
import { sameBeginning } from "./choose.ts";
import { type Reading } from "./line.ts";

/** Enough of a reply to know its cut form again. */
const HEAD = 80;

/** Cleaned, because what a row cannot hold would come back changed. */
export const headOf = (dialect: Dialect, message: Message): string => flat(head(cleaned(head(dialect.text(message), 2 * HEAD)), HEAD));

/** Characters of its own: a slice keeps the whole text it was cut from in memory for as long as the session is cached. */
const flat = (text: string): string => Buffer.from(text, "utf16le").toString("utf16le");

/** Estimated tokens of a message. */
export type Weigh = (dialect: Dialect, message: Message) => number;

/**
 * Reads messages for placing. A message object that was read before and has not been changed since is not hashed again:
 * comparing leaves is two hundred times cheaper, and callers do change messages in place.
 */
export function createReadings(weigh: Weigh): (dialect: Dialect, messages: readonly Message[]) => Reading[] {
  // The same objects may be sent to two providers, and are another message to each.
  const seen = new Map<Format, Seen<Reading>>();
  return (dialect, messages) => {
    const mine = seen.get(dialect.format) ?? createSeen<Reading>();
    seen.set(dialect.format, mine);
    return mine.all(messages, (message, index) => {
      const { content, skeleton } = dialect.canon(messages, index);
      const assistant = dialect.speaker(message) === "assistant";
      const thought = assistant ? thoughtOf(dialect, message) : undefined;
      return { content, skeleton, assistant, tokens: weigh(dialect, message), head: assistant ? headOf(dialect, message) : "", ...(thought === undefined ? {} : { thought }) };
    });
  };
}

/** Of readings that were summed up: those of the next request go on from there, and only what is new is fetched from memory. */
const sums = new WeakMap<readonly Reading[], number>();

export function tokensOf(readings: readonly Reading[], before: readonly Reading[] = []): number {
  const known = sums.get(readings);
  if (known !== undefined) return known;
  const earlier = sums.get(before);
  const from = earlier !== undefined && sameBeginning(before, readings) === before.length ? before.length : 0;
  const sum = readings.slice(from).reduce((total, { tokens }) => total + tokens, from === 0 ? 0 : (earlier ?? 0));
  sums.set(readings, sum);
  return sum;
}
