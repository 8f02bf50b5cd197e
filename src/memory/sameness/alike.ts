import { ENGLISH_STOPWORDS } from "../../text/content-words.ts";
import { sentences } from "../../text/sentences.ts";
import { canonical } from "./canonical.ts";
import { COMPANIONS, FOREIGN, isTelling, LITERAL, NAMING, PAST } from "./alike-words.ts";

/**
 * Which two statements may be one fact in other words, as far as words tell: one word of content has another in its place, and
 * nothing else differs. An embedder must say the same (meaning-alike.ts); alone this says nothing, since no
 * spelling tells "doctor" and "physician" from "doctor" and "lawyer".
 */

const MOST_LETTERS = 400;
const MOST_CONTENT = 20;
/** Of the content words of both. */
const MOST_CHANGED = 0.34;
/** "fears", "is afraid of". */
const LONGEST_CHANGE = 3;
/** Letters in common from which two words are forms or opposites of one ("hired", "fired"), and no synonyms. */
const SPELT_ALIKE = 4;

/** A short English sentence of its own. */
export interface Statement {
  readonly tokens: readonly string[];
  /** How many of them are words of content. */
  readonly content: number;
  /** Tokens that had a capital: names, for all one knows. */
  readonly capital: ReadonlySet<string>;
}

const isContent = (token: string): boolean => !isTelling(token);

/** Undefined for what is no single short sentence of plain English: of that words alone say too little. */
export function statement(text: string): Statement | undefined {
  if (
    text.length > MOST_LETTERS ||
    /[\n;:()[\]{}<>|`"“”«»…]|(?<!\p{L})['‘]|--|[–—]/u.test(text.trim())
  )
    return undefined;
  const words = text.trim().split(/\s+/u);
  if (sentences(text).length !== 1 || !isEnglish(words)) return undefined;
  const tokens = canonical(text).split(" ");
  const content = tokens.filter(isContent).length;
  if (content === 0 || content > MOST_CONTENT || tokens.some((token) => LITERAL.has(token)))
    return undefined;
  return {
    tokens,
    content,
    capital: new Set(
      words
        .filter((word) => /\p{Lu}/u.test(word))
        .flatMap((word) => canonical(word).toLowerCase().split(" ")),
    ),
  };
}

function isEnglish(words: readonly string[]): boolean {
  const lower = words
    .filter((word) => !/\p{Lu}/u.test(word))
    .map((word) => word.replace(/[^\p{L}']/gu, ""));
  return (
    !words.some((word) => /[^\u0000-\u024f\u2019]/u.test(word)) &&
    !lower.some((word) => /[^\u0000-\u007f]/.test(word) || FOREIGN.has(word)) &&
    words.some((word) => ENGLISH_STOPWORDS.has(word.toLowerCase()))
  );
}

/** The share that one word has in the content of two statements: what a single other word changes of them at least. */
export const wordShare = (
  one: Pick<Statement, "content">,
  other: Pick<Statement, "content">,
): number => 2 / (one.content + other.content);

/**
 * Both say the same but for one place, where a word has another in its stead. Of two places an embedder that is deaf to order could not
 * tell whether they were changed round: "the doctor paid the lawyer", "the attorney paid the physician".
 */
export function mayBeAlike(one: Statement, other: Statement): boolean {
  const [mine, theirs] = [split(one.tokens, other.tokens), split(other.tokens, one.tokens)];
  if (
    mine.kept.length !== theirs.kept.length ||
    mine.kept.some((token, at) => token !== theirs.kept[at])
  )
    return false;
  const places = mine.gaps
    .map((gap, at) => ({
      gap,
      beside: theirs.gaps[at] ?? [],
      before: mine.kept[at - 1] ?? "",
      after: mine.kept[at] ?? "",
    }))
    .filter(({ gap, beside }) => gap.length + beside.length > 0);
  const [place, second] = places;
  if (place === undefined || second !== undefined) return false;
  const { gap, beside, before, after } = place;
  if (/\d/.test(before + after) || NAMING.has(before)) return false;
  const changed = [...gap, ...beside].filter(isContent).length;
  return (
    changed / (one.content + other.content) <= MOST_CHANGED &&
    isExchange(gap, beside, (token) => one.capital.has(token) || other.capital.has(token))
  );
}

/** What both have, in order, and between each two of them what only this one has. */
function split(
  tokens: readonly string[],
  others: readonly string[],
): { kept: string[]; gaps: string[][] } {
  const shared = new Set(others);
  const kept: string[] = [];
  const gaps: string[][] = [[]];
  for (const token of tokens) {
    if (shared.has(token)) {
      kept.push(token);
      gaps.push([]);
    } else gaps.at(-1)?.push(token);
  }
  return { kept, gaps };
}

/** One word of content for one or two, of the same number and tense, and no name, figure or turning word among them. */
function isExchange(
  one: readonly string[],
  other: readonly string[],
  capital: (token: string) => boolean,
): boolean {
  const both = [...one, ...other];
  if (
    one.length > LONGEST_CHANGE ||
    other.length > LONGEST_CHANGE ||
    both.some((token) => !/^[a-z]{2,}$/.test(token) || capital(token))
  )
    return false;
  if (both.some((token) => !isContent(token) && !COMPANIONS.has(token))) return false;
  const [mine, theirs] = [one.filter(isContent), other.filter(isContent)];
  const fewest = Math.min(mine.length, theirs.length);
  if (
    fewest !== 1 ||
    Math.max(mine.length, theirs.length) > 2 ||
    (mine.length < one.length && theirs.length < other.length)
  )
    return false;
  return (
    count(one, isPast) === count(other, isPast) &&
    count(one, endsInS) === count(other, endsInS) &&
    !mine.some((word) => theirs.some((beside) => speltAlike(word, beside)))
  );
}

const count = (tokens: readonly string[], test: (token: string) => boolean): number =>
  tokens.filter(test).length;
const isPast = (token: string): boolean => PAST.has(token) || /[a-z]{2}ed$/.test(token);
/** "cats", "owns", "is": another number is another fact. */
const endsInS = (token: string): boolean => /[^su]s$/.test(token);

function speltAlike(one: string, other: string): boolean {
  const shortest = Math.min(one.length, other.length);
  let [head, tail] = [0, 0];
  while (head < shortest && one[head] === other[head]) head += 1;
  while (tail < shortest && one.at(-1 - tail) === other.at(-1 - tail)) tail += 1;
  return head >= Math.min(SPELT_ALIKE, shortest) || tail >= Math.min(SPELT_ALIKE, shortest);
}
