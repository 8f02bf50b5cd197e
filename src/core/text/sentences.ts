import { either, inOrder, remembering } from "../base.ts";
import { isStopword } from "./terms.ts";

/** A sentence, a list item, or a line of code. */
interface Sentence {
  readonly text: string;
  readonly code: boolean;
}

/**
 * Sentences longer than this are cut at white space: a line without punctuation must not become one
 * giant.
 */
const LONGEST_SENTENCE = 600;
const END = /[.!?。！？；…]+["'”’」』)\]）]*/g;
const ABBREVIATION = either(
  /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|m[rs]s?|dr|prof|st|no|nr|ca|approx|fig|pp?|[A-Z])\.$/i,
  /(?:^|\b(?:(?<!\bi )am|de[mnr]|vom|zum|im))\s*\d{1,3}\.$/i,
);
/**
 * A text all in small letters has ends of sentences all the same: behind two words or more, the
 * last of them no short form.
 */
const ENDS_SMALL = /[\p{L}\p{N}]{2}["'”’)]?(?:[.!?]|[!?]{2,3})$/u;
const SHORT_FORM = inOrder(
  /(?:^|[\s(])/iu,
  either(
    /(?:\p{L}|\p{L}(?:\.\s?\p{L}{1,3})+|al|approx|avg|dept|ed|etc|ext|ff|fig|incl|inv)\.$/iu,
    /(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|lat|max|min|nos|op|par|pos|resp)\.$/iu,
    /(?:std|str|tel|temp|vols?)\.$/iu,
  ),
);
const LIST_ITEM = /^\s{0,20}(?:[-*+•–]|\d{1,3}[.)、])\s/;

/**
 * `text` as sentences in order; white space is tidied, words stay as they are. Linear. What reads a
 * turn asks for the same ones many times.
 */
export const sentences: (text: string) => readonly Sentence[] = remembering((text) => {
  const found: Sentence[] = [];
  let fenced = false;
  let paragraph = "";
  const flush = () => {
    if (paragraph !== "") split(paragraph, found);
    paragraph = "";
  };
  for (const line of text.split("\n")) {
    if (/^\s{0,20}(?:```|~~~)/.test(line)) {
      flush();
      fenced = !fenced;
    } else if (fenced) {
      for (const part of pieces(line.trim())) found.push({ text: part, code: true });
    } else {
      const wrapped =
        paragraph.length >= 50 &&
        !/[.!?:;。！？：；]$/.test(paragraph) &&
        /^[a-z]/.test(line) &&
        !LIST_ITEM.test(line);
      if (wrapped && paragraph.length < 4 * LONGEST_SENTENCE)
        paragraph = `${paragraph} ${line.trim()}`;
      else {
        flush();
        paragraph = line.trim();
      }
    }
  }
  flush();
  return found;
});

function split(line: string, into: Sentence[]): void {
  let start = 0;
  let ticks = 0;
  let counted = 0;
  const push = (end: number) => {
    for (const part of pieces(line.slice(start, end).trim()))
      if (/[\p{L}\p{N}]/u.test(part)) into.push({ text: part, code: false });
    start = end;
  };
  for (const match of line.matchAll(END)) {
    const end = match.index + match[0].length;
    for (; counted < end; counted += 1) if (line[counted] === "`") ticks += 1;
    // Code in back-ticks has dots of its own.
    if (ticks % 2 === 1) continue;
    if (/[。！？；]/.test(match[0])) push(end);
    else if (
      end < line.length &&
      /\s/.test(line[end] ?? "") &&
      !ABBREVIATION.test(line.slice(Math.max(start, end - 12), end)) &&
      (!/^\s+[a-z]/.test(line.slice(end, end + 4)) || endsSmall(line.slice(start, end)))
    )
      push(end);
  }
  push(line.length);
}

const endsSmall = (said: string): boolean =>
  ENDS_SMALL.test(said.slice(-6)) && !SHORT_FORM.test(said.slice(-12)) && /\S\s/.test(said);

function* pieces(text: string): Generator<string> {
  let rest = text.replace(/\s+/g, " ");
  while (rest.length > LONGEST_SENTENCE) {
    const part = wholeHead(rest, LONGEST_SENTENCE);
    if (part === "") {
      // One unbroken run: nothing in it can be quoted whole.
      const next = rest.indexOf(" ", LONGEST_SENTENCE);
      rest = next < 0 ? "" : rest.slice(next + 1);
      continue;
    }
    yield part;
    rest = rest.slice(part.length).trimStart();
  }
  if (rest !== "") yield rest;
}

const isWide = (code: number): boolean => code >= 0x2e80 && code < 0xd800;

/**
 * Where a text may be cut without harming a word or an identifier: at white space, or between wide
 * characters that are no path.
 */
function isBoundary(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  if (before <= 0x20 || after <= 0x20) return true;
  if (!isWide(before) && !isWide(after)) return false;
  const left = /[^\s，。！？；：、]*$/.exec(text.slice(Math.max(0, at - 60), at))?.[0] ?? "";
  const right = /^[^\s，。！？；：、]*/.exec(text.slice(at, at + 60))?.[0] ?? "";
  return !/[/\\_@]/.test(left) || !/[/\\_.@]/.test(right);
}

/**
 * The longest head of at most `max` characters that ends between words; "" when the first word
 * alone is longer.
 */
export function wholeHead(text: string, max: number): string {
  if (text.length <= max) return text;
  for (let end = max; end > 0; end -= 1)
    if (isBoundary(text, end)) return text.slice(0, end).trimEnd();
  return "";
}

/**
 * The longest tail of at most `max` characters that begins between words; "" when the last word
 * alone is longer.
 */
export function wholeTail(text: string, max: number): string {
  if (text.length <= max) return text;
  for (let start = text.length - max; start < text.length; start += 1)
    if (isBoundary(text, start)) return text.slice(start).trimStart();
  return "";
}

/** A remembered sentence names its speaker first. */
const SPEAKER = /^(?:User|Agent): ?(?=\S)/;
/** A record of a conversation's work begins so. */
const RECORD = /^(?:Open request|Done): /;

/** The sentence alone. */
export const withoutSpeaker = (content: string): string => content.replace(SPEAKER, "");

/** The sentence of a speaker, or the words of a record, alone. */
export const bareWords = (content: string): string => withoutSpeaker(content).replace(RECORD, "");

/** At most `most` characters, cut between words and visibly. */
export function fitting(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = wholeHead(text, most - 2);
  return head === "" ? "" : `${head} …`;
}

const WORD =
  /[\p{Script=Latin}\p{N}]+(?:['’_.-][\p{Script=Latin}\p{N}]+)*|[\p{Script=Han}]+|[\p{L}]+/gu;

/**
 * The words a text is about, lower case, in order: stop words left out, Chinese as overlapping
 * pairs of characters.
 */
export function contentWords(text: string): string[] {
  const words: string[] = [];
  // `match` makes one string a word; an iterator makes an object of each, ten times the garbage on
  // a long history.
  for (const match of text.match(WORD) ?? []) {
    if (match.length > 80) continue;
    if (/^\p{Script=Han}/u.test(match)) {
      if (match.length === 1 && !isStopword(match)) words.push(match);
      for (let at = 0; at + 2 <= match.length; at += 1) {
        const pair = match.slice(at, at + 2);
        if (!isStopword(pair) && !(isStopword(pair[0] ?? "") && isStopword(pair[1] ?? "")))
          words.push(pair);
      }
      continue;
    }
    const lower = match.toLowerCase();
    const word = /['’]/.test(lower) ? lower.replace(/’/g, "'").replace(/'s$/, "") : lower;
    if (word.length > 1 && !isStopword(word)) words.push(word);
  }
  return words;
}

/** The words that say a point. */
export const pointOf = (text: string): ReadonlySet<string> =>
  new Set(contentWords(bareWords(text)));

/** Does any of the lines hold at least so large a share of a point's words? */
export function saying(lines: readonly string[], share: number) {
  const held = lines.map((line) => new Set(contentWords(line)));
  return (point: string | ReadonlySet<string>): boolean => {
    const wanted = typeof point === "string" ? pointOf(point) : point;
    return (
      wanted.size > 0 &&
      held.some((words) => wanted.intersection(words).size >= wanted.size * share)
    );
  };
}

/** How many words of content a sentence holds. */
export const telling = (sentence: string): number => new Set(contentWords(sentence)).size;

const NAME = /(?<=[\p{Ll}\p{N},;:(/&+] ["'“]?)(?!I\b|I['’])\p{Lu}[\p{L}\p{N}'’-]*/gu;
const NUMBER = /\p{N}|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b/iu;
/** How much of a sentence only this world has: names inside it, figures, code. 0…4. */
export function specifics(sentence: string): number {
  const names = new Set(sentence.match(NAME)).size;
  const isCode = /`|\w[_/]\w|\w\.\w/.test(sentence);
  return Math.min(4, names + Number(NUMBER.test(sentence)) + Number(isCode));
}
