import { stemmer as stem } from "stemmer";
import { either, remembering } from "../base.ts";
import { head, withoutUnseen } from "./cut.ts";

const ENGLISH =
  "a about above after again against all also am an and any are aren't as at be because been " +
  "before being below between both but by can can't cannot " +
  "could couldn't did didn't do does doesn't doing don't down during each either else ever " +
  "every few for from further get gets getting go goes going got " +
  "had hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself " +
  "him himself his how how's however i i'd i'll i'm i've if in " +
  "into is isn't it it's its itself just let let's like made make many may me might more most " +
  "much must mustn't my myself neither no nor not now of off " +
  "oh ok okay on once one only or other ought our ours ourselves out over own per perhaps " +
  "please quite rather really same shall shan't she she'd she'll " +
  "she's should shouldn't since so some such sure than thank thanks that that's the their " +
  "theirs them themselves then there there's these they they'd " +
  "they'll they're they've this those though through thus till to too under until up upon us " +
  "very via want was wasn't we we'd we'll we're we've well " +
  "were weren't what what's when when's where where's whether which while who who's whom whose " +
  "why why's will with within without won't would wouldn't " +
  "yeah yep yes yet you you'd you'll you're you've your yours yourself yourselves";

/**
 * Chinese is not split by spaces, so these are matched as substrings, longest first: function words
 * and politeness only.
 */
const CHINESE =
  "的 了 是 在 和 与 或 及 也 都 就 还 又 很 更 最 被 把 从 到 对 向 给 让 用 以 为 因为 所以 但是 但 而 而且 并 并且 如果 那么 那 这 这个 那个 " +
  "这些 那些 " +
  "一个 一些 一下 我 你 您 他 她 它 我们 你们 他们 她们 它们 自己 什么 怎么 怎样 为什么 哪 哪个 哪里 谁 吗 呢 吧 啊 呀 哦 嗯 着 过 得 地 之 其 请 " +
  "谢谢 好的 " +
  "可以 能 会 要 想 应该 需要 没有 没 不 有 已经 现在 然后 还是 只 只是 再 先";

export const ENGLISH_STOPWORDS: ReadonlySet<string> = new Set(ENGLISH.split(" "));
const CHINESE_STOPWORDS = new Set(CHINESE.split(" "));

/** Says nothing about the subject. Expects a word in lower case, apostrophes straight. */
export const isStopword = (word: string): boolean =>
  ENGLISH_STOPWORDS.has(word) || CHINESE_STOPWORDS.has(word);

/**
 * How text becomes terms, the same for every store, query and ranker. A store that indexed with its
 * database's own tokeniser would match by other rules than those it is scored by.
 */

/** Longer runs are hashes or base64; their head finds them as well. */
const LONGEST_TERM = 64;
/** Words of a question beyond this many distinct terms say nothing new and cost a look-up each. */
const QUERY_TERMS = 64;

const WORD = /[\p{L}\p{N}\p{M}]+(?:'[\p{L}\p{M}]+)*/gu;
/** Scripts written without spaces, and Hangul, whose particles hang on the noun. */
const UNSPACED =
  "\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}" +
  "\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}";
const RUN = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, "gu");
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, "u");

const runsIn = (word: string): readonly string[] =>
  HAS_UNSPACED.test(word) ? (word.match(RUN) ?? []) : [word];

/**
 * Case, width and Latin accents folded; Japanese and Thai marks, which change the word, are not.
 */
export function fold(text: string): string {
  const lower = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u2018\u2019\u02bc]/g, "'");
  if (/^[\u0000-\u007f]*$/.test(lower)) return lower;
  return lower
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC");
}

/** Parts of a word as the index knows them: "cat's" is "cat", "l'eau" is "l" and "eau". */
const parts = (word: string): string[] =>
  word.includes("'") ? word.replace(/'s$/, "").split("'") : [word];

/** Some write in one word what others write in two: "Wi-Fi" is found as "wifi" too. */
const HYPHENED = /(?<![\p{L}\p{N}-])(\p{L}{2,20})-(\p{L}{2,20})(?![\p{L}\p{N}-])/gu;
const joined = (folded: string): string[] =>
  [...folded.matchAll(HYPHENED)].map(([, one = "", other = ""]) => spaced(one + other));

/** A conversation has few words, each many times. */
const stemOf = remembering(stem);
const spaced = (part: string): string => stemOf(head(part, LONGEST_TERM));

function pairs(run: string, into: string[]): void {
  let before = "";
  for (const character of run) {
    if (before !== "") into.push(before + character);
    into.push(character);
    before = character;
  }
}

/**
 * Stop words that still tell turns apart when the rarer words of a question leave a tie ("What did
 * she make after the move?"): kept for turns, 1.3 points of adversarial rec@10 on LoCoMo's shared
 * five.
 */
const LIGHT: ReadonlySet<string> = new Set(
  (
    "after again before down few get gets getting go goes going got like made make many more " +
    "most much off once one only other out over own same since " +
    "under up want while"
  ).split(" "),
);
const isEmpty = (word: string): boolean => isStopword(word) && !LIGHT.has(word);

/**
 * The terms of a text that say something, in order, repeats included, and how many it has in all.
 */
export function contentTerms(
  text: string,
  isDropped = isEmpty,
): { terms: string[]; length: number } {
  const found: string[] = [];
  let dropped = 0;
  const folded = fold(text);
  for (const word of folded.match(WORD) ?? [])
    for (const run of runsIn(word))
      if (HAS_UNSPACED.test(run)) pairs(run, found);
      else if (isDropped(run)) dropped += 1;
      else
        for (const part of parts(run)) {
          if (part === "") continue;
          if (isDropped(part)) dropped += 1;
          else found.push(spaced(part));
        }
  return { terms: [...found, ...joined(folded)], length: found.length + dropped };
}

/** The different terms of a text that say something. */
export const termSet = (text: string): Set<string> => new Set(contentTerms(text).terms);

/**
 * All terms of a text, in order, repeats included. Unspaced scripts give each character and each
 * pair.
 */
export const terms = (text: string): string[] => contentTerms(text, () => false).terms;

/**
 * The words of a text as what holds them is looked for, whole or begun: a word that is not whole
 * yet has another stem.
 */
export const begunWords = (text: string): { start: string; term: string }[] =>
  (fold(text).match(WORD) ?? [])
    .flatMap(runsIn)
    .flatMap((run) => (HAS_UNSPACED.test(run) ? contentTerms(run).terms : parts(run)))
    .filter((part) => part !== "")
    .slice(0, QUERY_TERMS)
    .map((part) => ({ start: head(part, LONGEST_TERM), term: spaced(part) }));

/** Words of a question's form: "how many", "what kind of". */
const FORM = /\bhow (?:many|much)\b|\b(?:kinds?|sorts?) of\b/g;

export interface QueryTerm {
  readonly term: string;
  /**
   * A pair that may be half a function word: it counts where it is known, and is no gap where it is
   * not.
   */
  readonly loose: boolean;
}

/**
 * The distinct terms a question is about; empty when it holds none but stop words. With `light`,
 * those of contentTerms.
 */
export const queryTerms = (text: string, { light = false } = {}): readonly QueryTerm[] =>
  (light ? lightTerms : heavyTerms)(text);

/** A turn asks with the same words several times. */
const lightTerms = remembering((text) => asked(text, isEmpty));
const heavyTerms = remembering((text) => asked(text, isStopword));

function asked(text: string, isDropped: (word: string) => boolean): QueryTerm[] {
  let [firm, firmest] = [0, 0];
  const found = new Map<string, boolean>();
  const add = (term: string, loose = false): void => {
    if (term === "" || found.get(term) === false) return;
    found.set(term, loose);
    if (!loose) firm += 1;
  };
  const folded = fold(text).replace(FORM, " ");
  for (const [word] of folded.matchAll(WORD)) {
    if (firm >= QUERY_TERMS) break;
    if (isDropped(word)) continue;
    for (const run of runsIn(word)) {
      if (HAS_UNSPACED.test(run)) askPairs(run, add);
      else for (const part of parts(run)) if (!isDropped(part)) add(spaced(part));
    }
    if (!isStopword(word)) firmest += 1;
  }
  for (const term of joined(folded)) add(term, true);
  return firm === 0 || firmest === 0
    ? []
    : [...found].slice(0, 2 * QUERY_TERMS).map(([term, loose]) => ({ term, loose }));
}

const LONGEST_STOPWORD = Math.max(...[...CHINESE_STOPWORDS].map((word) => word.length));

/** Which characters belong to function words, longest first. */
function covered(characters: readonly string[]): boolean[] {
  const marks = characters.map(() => false);
  for (let at = 0; at < characters.length; at += 1)
    for (let size = Math.min(LONGEST_STOPWORD, characters.length - at); size > 0; size -= 1)
      if (CHINESE_STOPWORDS.has(characters.slice(at, at + size).join(""))) {
        marks.fill(true, at, at + size);
        at += size - 1;
        break;
      }
  return marks;
}

/**
 * Pairs inside the words; a pair across a function word loosely ("重要" holds "要"); a word of one
 * character by itself.
 */
function askPairs(run: string, add: (term: string, loose?: boolean) => void): void {
  const characters = [...run];
  const stops = covered(characters);
  characters.forEach((character, at) => {
    if (stops[at] === true) return;
    const next = characters[at + 1];
    const alone =
      (at === 0 || stops[at - 1] === true) && (next === undefined || stops[at + 1] === true);
    if (alone) add(character);
    if (at > 0 && stops[at - 1] === true) add((characters[at - 1] ?? "") + character, true);
    if (next !== undefined) add(character + next, stops[at + 1] === true);
  });
}

/** Words that say something, one after another: fewer are how anyone speaks of the same thing. */
const COPIED_WORDS = 3;
/**
 * An address, a path, a file, a setting; an option of a command. A match begins at a word alone:
 * else a long one is read anew at each letter.
 */
const EXACT = either(
  /(?<![\p{L}\p{N}_-])[\p{L}\p{N}_-]+(?:[./:@\\=?&#%~+$|]+[\p{L}\p{N}_-]+)+/gu,
  /(?<![\p{L}\p{N}-])-{1,2}[\p{L}\p{N}][\p{L}\p{N}-]*/gu,
);
const SHORTEST_EXACT = 4;

/**
 * Does a text stand on another's words: a run of three that say something, or one address, path or
 * option? What is also in `known` was not got from there. It tells copies apart, not what was said
 * again in other words: that is for a person to judge.
 */
export function copies(text: string, said: string, known: string): boolean {
  const bare = (one: string): string => fold(withoutUnseen(one));
  const mine = bare(text);
  const theirs = bare(said);
  const ours = bare(known);
  const size = Math.min(COPIED_WORDS, contentTerms(theirs).terms.length);
  const copied = runsOf(theirs, size).difference(runsOf(ours, COPIED_WORDS));
  return (
    (size > 1 && !runsOf(mine, size).isDisjointFrom(copied)) ||
    (mine.match(EXACT) ?? []).some(
      (exact) => exact.length >= SHORTEST_EXACT && theirs.includes(exact) && !ours.includes(exact),
    )
  );
}

function runsOf(text: string, size: number): Set<string> {
  const { terms } = contentTerms(text);
  return new Set(terms.slice(size - 1).map((_, at) => terms.slice(at, at + size).join(" ")));
}
