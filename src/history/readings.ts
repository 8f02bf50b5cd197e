import { defined } from "../base/guards.ts";
import { type Dialect } from "../dialect/common/dialect.ts";
import { thoughtOf } from "./thought.ts";
import { type Format, type Message } from "../model/request.ts";
import { slices } from "../base/async.ts";
import { cleaned, head } from "../text/cut.ts";
import { createSeen, type Seen } from "../tokens/seen.ts";
import { sameBeginning } from "./choose.ts";
import { type Reading } from "./line.ts";

/** Enough of a reply to know its cut form again. */
const HEAD = 80;

/** Cleaned, because what a row cannot hold would come back changed. */
export const headOf = (dialect: Dialect, message: Message): string =>
  flat(head(cleaned(head(dialect.text(message), 2 * HEAD)), HEAD));

/** Characters of its own: a slice keeps the whole text it was cut from in memory for as long as the session is cached. */
const flat = (text: string): string => Buffer.from(text, "utf16le").toString("utf16le");

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
      ...defined({ thought }),
    };
  };

  /** Reads a long history in slices, with a turn for others between two: what was read is only compared then. */
  async function inSlices(dialect: Dialect, messages: readonly Message[]): Promise<void> {
    const mine = seenBy(dialect);
    for await (const { from, to } of slices(0, messages.length))
      for (let index = from; index < to; index += 1) {
        const message = messages[index] as Message;
        if (mine.get(message) === undefined) mine.set(message, read(dialect, messages, index));
      }
  }

  return {
    all: (dialect: Dialect, messages: readonly Message[]): Reading[] =>
      seenBy(dialect).all(messages, (_, index) => read(dialect, messages, index)),
    /** Runs work that reads messages: at once, or behind their reading in slices where many were not met before. */
    ahead: <T>(
      { dialect, messages }: { dialect: Dialect; messages: readonly Message[] },
      work: () => Promise<T>,
    ): Promise<T> =>
      messages.length - seenBy(dialect).met(messages) <= FEW
        ? work()
        : inSlices(dialect, messages).then(work),
  };
}

/** Messages read in one go. */
const FEW = 200;

/** Of readings that were summed up: those of the next request go on from there, and only what is new is fetched from memory. */
const sums = new WeakMap<readonly Reading[], number>();

export function tokensOf(readings: readonly Reading[], before: readonly Reading[] = []): number {
  const known = sums.get(readings);
  if (known !== undefined) return known;
  const earlier = sums.get(before);
  const from =
    earlier !== undefined && sameBeginning(before, readings) === before.length ? before.length : 0;
  const sum = readings
    .slice(from)
    .reduce((total, { tokens }) => total + tokens, from === 0 ? 0 : (earlier ?? 0));
  sums.set(readings, sum);
  return sum;
}
