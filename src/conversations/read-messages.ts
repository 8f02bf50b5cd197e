import { breaths, either, inOrder, lru } from "../core/base.ts";
import type { Format, Message } from "../core/request.ts";
import { digest } from "../core/text/cut.ts";
import { createSeen, type Seen } from "../core/tokens/message-cache.ts";
import type { Dialect } from "../providers/common/dialect.ts";
import { exact } from "../providers/common/pieces.ts";
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

/** An ampersand may hide another escape, and an apostrophe joins a word; others part words. */
const IN_WORDS: Readonly<Record<string, string>> = { amp: "&", apos: "'" };
const ESCAPED = /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,6})|#x([\da-f]{1,5}));/gi;
/** A host that escapes a text may cut it behind that. */
const CUT_ESCAPE = /&(?:#\w{0,6}|[a-z]{0,5})$/i;
const THOUGHT = /<(think|thinking|reasoning)>[\s\S]*?(?:<\/\1>|$)/gi;
const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]`;
const WORD = new RegExp(`${UNSPACED}|(?:(?!${UNSPACED})[\\p{L}\\p{M}\\p{N}])+`, "gu");
const APOSTROPHE = /(?<=\p{L})['’‘ʼ`](?=\p{L})/gu;
/** Hosts that keep a log put a name or a moment before each message. */
const LEAD =
  /^\s*(?:[[(][^\])\n]{1,40}[\])]\s*)?(?:[*_]{0,2}[\p{L}\p{N}_ .'-]{1,40}[*_]{0,2}:\s)?/u;

/** A note behind a reply that broke off. */
const NOTE = inOrder(
  /(?:[[(<{*_…—–/-]|\.\.\.)[^\n[(<{]{0,40}?/i,
  /(?:interrupt|cut off|stopp|abort|cancel|truncat|incomplete)[^\n]{0,60}$/i,
);

const unescaped = (text: string): string =>
  text
    .replace(ESCAPED, (_, name?: string, decimal?: string, hex = "") => {
      if (name !== undefined) return IN_WORDS[name] ?? " ";
      return String.fromCodePoint(parseInt(decimal ?? hex, decimal === undefined ? 16 : 10));
    })
    .replace(CUT_ESCAPE, "");

/** Tags of a page that a host shows; what else stands in angles is words. */
const TAG = either(
  /<\/?(?:p|br|hr|b|i|u|a|em|strong|code|pre|del|sup|sub|span|div|h[1-6])(?:\s[^<>]{0,200})?\/?>/gi,
  /<\/?(?:ul|ol|li|blockquote|table|thead|tbody|tr|td|th)(?:\s[^<>]{0,200})?>/gi,
);

/** Takes a page's tags and markup's escapes out, of a text escaped twice, too. */
function plainOf(text: string): string {
  const bare = text.includes("<") ? text.replace(TAG, " ") : text;
  return bare.includes("&") ? unescaped(unescaped(bare)) : bare;
}

/**
 * Lists a text's words in normal form: white space, the form of letters, quotes, punctuation,
 * Markdown's marks and markup's escapes do not count.
 */
const normalWords = (text: string): string[] => wordsOf(plainOf(text));
const wordsOf = (plain: string): string[] =>
  plain.normalize("NFKC").toLowerCase().replace(APOSTROPHE, "").match(WORD) ?? [];

/** The texts' words as they are compared: without thinking, without a name before them. */
export const bareWords = (text: string): string[] => {
  const bare = plainOf(text).replace(THOUGHT, " ");
  const words = normalWords(bare.replace(LEAD, ""));
  return words.length > 0 ? words : normalWords(bare);
};

/** Characters of a text whose words are read at once. */
export const AT_ONCE = 40_000;
/** Up to a blank: no word lies on both sides. */
const PIECE = new RegExp(String.raw`[^]{1,${AT_ONCE}}(?:\s|$)|\S+\s?`, "g");

/** The same of a long text, joined by blanks, with breaths. */
export async function bareWordsSlowly(text: string): Promise<string> {
  const due = breaths();
  const bare = plainOf(text).replace(THOUGHT, " ").replace(LEAD, "");
  let words = "";
  for (const [piece] of plainOf(bare).matchAll(PIECE)) {
    words += wordsOf(piece)
      .map((word) => ` ${word}`)
      .join("");
    await due();
  }
  return words.slice(1);
}

/** What is many times as long is another text, and long ones take long to compare. */
export const mayBeSame = (one: string, other: string): boolean =>
  Math.max(one.length, other.length) < Math.max(AT_ONCE, 20 * Math.min(one.length, other.length));

/** Are the words the same, but for marks, escapes, and a name or a moment before them? */
export function areSameWords(one: string, other: string): boolean {
  if (!mayBeSame(one, other)) return false;
  const [mine, its] = [bareWords(one), bareWords(other)];
  if (mine.length > 0 && areEqual(mine, its)) return true;
  // A text of its own may begin as a name does.
  return areEqual(normalWords(one), its) || areEqual(mine, normalWords(other));
}

const areEqual = (one: readonly string[], other: readonly string[]): boolean =>
  one.length > 0 && one.length === other.length && one.every((word, at) => word === other[at]);

/** A shorter one may be any text's beginning; it is a form only where nothing else is said. */
const FEWEST_WORDS = 3;
/** Words in a row on the average, below which texts share their words by chance. */
const TELLING_RUN = 3;

/**
 * Tells whether a text is some form of another: cut, joined, without its thinking, its citations or
 * its marks, with a name before it. All words of the shorter one stand in the longer, in their
 * order and in runs, so that one other word or figure makes it another text. "more": the text holds
 * all of the other, and says more.
 */
export function formOf(was: string, now: string): "less" | "more" | undefined {
  if (areSameWords(was, now)) return "less";
  const forms = (text: string): (readonly string[])[] => [
    bareWords(text.replace(NOTE, "")),
    normalWords(text.replace(LEAD, "")),
  ];
  const isBroken = NOTE.test(now) !== NOTE.test(was);
  for (const before of forms(was))
    for (const after of forms(now))
      if (stands(before, after, isBroken ? FEWEST_WORDS : CUT_BEHIND))
        return after.length > before.length ? "more" : "less";
  return undefined;
}

/** A citation may be gone before a word that was cut. */
const CITED = 3;
/**
 * So many whole words stand before one that was cut, where no note says so: "5" is no cut form of
 * "50".
 */
const CUT_BEHIND = 6;

function stands(one: readonly string[], other: readonly string[], cutBehind: number): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (short.length < FEWEST_WORDS) return false;
  let [at, from, runs, whole] = [0, 0, 0, 0];
  while (at < short.length && runs < MOST_RUNS) {
    const length = longestRun(short, at, { long, from });
    if (length.words > 0) {
      runs += 1;
      whole += length.words;
      from = length.end;
    } else if (whole < cutBehind || !isCut(short[at], long.slice(from, from + CITED))) break;
    // The last word of a text that was cut may be cut, too.
    else whole = 0;
    at += Math.max(1, length.words);
  }
  const last = short.at(-1) ?? "";
  const isLonger =
    at === short.length - 1 && whole >= cutBehind && last.startsWith(long.at(-1) ?? "");
  return (at === short.length || isLonger) && at >= TELLING_RUN * runs;
}

const isCut = (word: string | undefined, next: readonly string[]): boolean =>
  word !== undefined && next.some((one) => one.startsWith(word));

/** So many words in a row stand together by no chance: no longer row is looked for. */
const NO_CHANCE = 8;
/** Each may be looked for in all of the rest. */
const MOST_RUNS = 400;

/** Finds where the words from a place on stand longest together in the rest of the longer text. */
function longestRun(
  short: readonly string[],
  at: number,
  { long, from }: { long: readonly string[]; from: number },
): { words: number; end: number } {
  let best = { words: 0, end: from };
  const first = short[at];
  const enough = Math.min(NO_CHANCE, short.length - at);
  for (let place = from; place < long.length && best.words < enough; place += 1) {
    if (long[place] !== first) continue;
    let words = 1;
    while (at + words < short.length && short[at + words] === long[place + words]) words += 1;
    if (words > best.words) best = { words, end: place + words };
  }
  return best;
}
