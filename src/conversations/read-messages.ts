import { breaths, lru } from "../core/base.ts";
import type { Format, Message } from "../core/request.ts";
import { digest } from "../core/text/cut.ts";
import { createSeen, type Seen } from "../core/tokens/message-cache.ts";
import type { Dialect } from "../providers/common/dialect.ts";
import { exact } from "../providers/common/pieces.ts";
import { AT_ONCE, bareWords, bareWordsSlowly } from "./same-words.ts";
import type { Reading } from "./spine.ts";

export interface PlaceInput {
  readonly dialect: Dialect;
  /** The conversation without a preamble of instructions. */
  readonly messages: readonly Message[];
  readonly root: string;
  readonly label?: string;
  /**
   * Digest of what the caller sends before a message, which an unarchived reply's thinking was made
   * behind.
   */
  readonly prefixBefore?: (index: number) => string;
}

/** A request to be placed, and how its messages read. */
export interface ReadRequest extends PlaceInput {
  readonly readings: readonly Reading[];
}

/** Estimated tokens of a message. */
export type Weigh = (dialect: Dialect, message: Message) => number;

/** Messages whose words are kept in digest: some hosts parse their history anew for each call. */
const MESSAGES_KEPT = 10_000;

/**
 * Reads messages for placing. A message object that was read before and has not been changed since
 * is not hashed again: comparing leaves is two hundred times cheaper, and callers do change
 * messages in place.
 */
export function createReadings(weigh: Weigh) {
  // The same objects may be sent to two providers, and are another message to each.
  const seen = new Map<Format, Seen<Reading>>();
  const seenBy = ({ format }: Dialect): Seen<Reading> => {
    const mine = seen.get(format) ?? createSeen<Reading>();
    seen.set(format, mine);
    return mine;
  };
  /** Digests of words by what holds them. */
  const words = lru<string, string>(MESSAGES_KEPT);
  const saidOf = (dialect: Dialect, message: Message, content: string): string => {
    const said = words.get(content) ?? saidIn(dialect, message, content);
    words.set(content, said);
    return said;
  };
  const read = (dialect: Dialect, messages: readonly Message[], index: number): Reading => {
    const message = messages[index] as Message;
    const content = dialect.canon(messages, index);
    const speaker = dialect.speaker(message);
    const assistant = speaker === "assistant";
    return {
      content,
      said: once(() => saidOf(dialect, message, content)),
      own: speaker === "user",
      assistant,
      tools: dialect.calls(message).length > 0 || dialect.results(message).length > 0,
      tokens: weigh(dialect, message),
      thought: assistant ? thoughtOf(dialect, message) : undefined,
    };
  };

  return {
    read: (input: PlaceInput): ReadRequest => ({
      ...input,
      readings: seenBy(input.dialect).all(input.messages, (_, index) =>
        read(input.dialect, input.messages, index),
      ),
    }),
    /** Reads what is new of a history beforehand, with a turn for others where that takes long. */
    async ahead({ dialect, messages }: PlaceInput): Promise<void> {
      const mine = seenBy(dialect);
      const due = breaths();
      for (let index = mine.met(messages); index < messages.length; index++) {
        const message = messages[index] as Message;
        const { own, said, content } = mine.of(message, () => read(dialect, messages, index));
        await due();
        if (!own) continue;
        const text = words.get(content) === undefined ? dialect.text(message) : "";
        const slowly = text.length > AT_ONCE ? await bareWordsSlowly(text) : "";
        if (slowly !== "") words.set(content, digest(slowly));
        // An unknown conversation is looked for by all the user's words.
        said();
      }
    },
  };
}

/**
 * Digest of a message's words in normal form; of a user's message without words, of all it holds.
 */
export function saidIn(dialect: Dialect, message: Message, content: string): string {
  const speaker = dialect.speaker(message);
  if (speaker !== "user" && speaker !== "assistant") return "";
  const words = bareWords(dialect.text(message));
  if (words.length > 0) return digest(words.join(" "));
  return speaker === "user" ? content : "";
}

/** Most requests are known by what their messages are, and few words are ever asked for. */
function once(make: () => string): () => string {
  let made: string | undefined;
  return () => (made ??= make());
}

/**
 * Digest of the thinking in a message, undefined when it holds none. Two replies may say the same
 * words behind other thoughts, and only the thoughts are bound to what stood before them.
 */
export function thoughtOf(dialect: Dialect, message: Message): string | undefined {
  if (!dialect.thinks(message)) return undefined;
  const left = dialect.withoutThinking(message);
  const gone = Object.keys(message)
    .filter((name) => message[name] !== left[name])
    .sort()
    .map((name) => [name, takenFrom(message[name], left[name])]);
  return digest(exact(gone));
}

function takenFrom(whole: unknown, left: unknown): unknown {
  if (!Array.isArray(whole) || !Array.isArray(left)) return whole;
  const stayed = new Set<unknown>(left);
  return whole.filter((block) => !stayed.has(block));
}
