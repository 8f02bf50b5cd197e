import { digest } from "../../text/hash.ts";
import { ENGLISH_STOPWORDS } from "../../text/terms.ts";
import { inFigures } from "./canonical-figures.ts";
import {
  CONTRACTIONS,
  FILLERS,
  FRONTS,
  NEGATIONS,
  PRONOUNS,
  SAYING,
  SPELLINGS,
} from "./canonical-words.ts";

/**
 * What says the same in other letters has one digest. A text of signs only has no words to compare, so it is its own.
 * "-5 °C" and "5 °C" are two facts.
 */
export const sameness = (content: string): string => digest(canonical(content) || content.trim());

const HAN = /(\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana})/u;
const CHINESE: readonly (readonly [RegExp, string])[] = [
  [/(?:星期|礼拜)(?=[一二三四五六日天])/gu, "周"],
  [/周天/gu, "周日"],
  [/(月\s?\d{1,2}\s?)号/gu, "$1日"],
  [/没有/gu, "没"],
  [/目前|当前/gu, "现在"],
  [/母亲/gu, "妈妈"],
  [/父亲/gu, "爸爸"],
  // Particles at the end of a clause colour it; 吗 and 了 change it.
  [/[啊呀吧呢哦嘛](?=$|[\s,.!;。,!;])/gu, ""],
];

/**
 * A text without what does not change its meaning: case, punctuation, articles, fillers, contractions, spelling, how a number
 * or a date is written, where a time or a place stands. All else is kept, in order. So two facts that differ in a name, a
 * figure, a negation, a tense or a thing keep two forms; one reworded with other content words has two forms as well, since
 * words alone cannot tell a synonym from another thing.
 */
export function canonical(content: string): string {
  let text = content
    .normalize("NFKC")
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/[\u201c\u201d\u00ab\u00bb]/g, '"')
    .replace(/\u2212/g, "-");
  const han = HAN.test(text);
  if (han)
    text = CHINESE.reduce(
      (kept, [pattern, by]) => kept.replace(pattern, by),
      text.replace(/[、。]/gu, ", "),
    );
  const shouted = !/\p{Ll}/u.test(text);
  text = text.replace(/(\d(?:st|nd|rd|th)?),(?=\s(?:19|20)\d\d\b)/g, "$1");
  const words = unfronted(text).flatMap((word, at) => {
    const place = { first: at === 0, shouted };
    return han
      ? word.split(HAN).flatMap((part) => (HAN.test(part) ? [part] : read(part, place)))
      : read(word, place);
  });
  return inFigures(withoutFillers(words));
}

const SIMPLE = /^[a-z\d]+$/;

/** A word in its lower case and its full form; a name made of signs or mixed case as it stands. */
function read(word: string, place: { first: boolean; shouted: boolean }): string[] {
  // By far the most words are no more than this, and come out of the rules below as they are.
  if (SIMPLE.test(word)) return /\d/.test(word) ? [word] : full(word);
  const said = spoken(bare(word), place);
  return /\?["')\]]*$/.test(word) ? [...said, "?"] : said;
}

function spoken(plain: string, { first, shouted }: { first: boolean; shouted: boolean }): string[] {
  if (plain === "" || /^[-\u2013\u2014]+$/.test(plain)) return [];
  const lower = plain.toLowerCase();
  // "US" is no "us", "plan A" no "plan"; a word in capitals among capitals, or the first, is a word.
  if (
    /^\p{Lu}+$/u.test(plain) &&
    !shouted &&
    !(first && plain.length === 1) &&
    plain !== "I" &&
    ENGLISH_STOPWORDS.has(lower)
  )
    return [plain];
  if (/^\p{L}+(?:['-]\p{L}+)*$/u.test(plain))
    return /\p{Ll}\p{Lu}/u.test(plain) ? [plain] : full(lower);
  return [/\d/.test(plain) || /\p{Lu}/u.test(plain.slice(1)) ? plain : lower];
}

function full(word: string): string[] {
  const whole = CONTRACTIONS.get(word);
  if (whole !== undefined) return whole.split(" ");
  if (word.endsWith("n't")) return [word.slice(0, -3), "not"];
  const [, pronoun, ending] = /^([a-z]+)'(s|re|ve|ll|m)$/.exec(word) ?? [];
  if (pronoun !== undefined && ending !== undefined && PRONOUNS.has(pronoun))
    return [pronoun, { s: "is", re: "are", ve: "have", ll: "will", m: "am" }[ending] ?? ending];
  return [
    SPELLINGS.get(word) ??
      word.replace(/^(\p{L}{4,})is(e|es|ed|er|ers|ing|ation|ations)$/u, "$1iz$2"),
  ];
}

const PAIRS = ["()", "[]", "{}"];

/** Without the punctuation at its edges; brackets that belong to it stay, as in "f()" and "a[0]". */
function bare(word: string): string {
  // Longer runs are data, not words.
  if (word.length > 400) return word;
  let plain = word;
  for (let before = ""; plain !== before;) {
    before = plain;
    plain = plain.replace(/^["'`,;:]+/, "").replace(/["'`,;:.!…?]+$/, "");
    if (plain.startsWith("**")) plain = plain.slice(2);
    if (plain.endsWith("**")) plain = plain.slice(0, -2);
    for (const [open = "", close = ""] of PAIRS) {
      if (plain.startsWith(open) && (plain.endsWith(close) || !plain.includes(close)))
        plain = plain.slice(1, plain.endsWith(close) ? -1 : undefined);
      else if (plain.endsWith(close) && !plain.includes(open)) plain = plain.slice(0, -1);
    }
  }
  return plain;
}

function withoutFillers(words: readonly string[]): string[] {
  return words.filter((word, at) => {
    const [before, after] = [words[at - 1] ?? "", words[at + 1]];
    // "a few" are some, "few" are next to none.
    if (word === "a")
      return after === "few" || after === "little" || after === "lot" || after === "bit";
    if (word === "an" || word === "the") return false;
    if (word === "that") return !SAYING.has(before);
    if (word === "too" || word === "also")
      return !(word === "also" || after === undefined) || NEGATIONS.has(before);
    if (word === "now")
      return /^(?:until|till|by|from|for|right|just|not)$/.test(before) || after === "on";
    return !FILLERS.has(word) || NEGATIONS.has(before);
  });
}

/** "On Monday, Ada plays chess" as "Ada plays chess on Monday": one clause, opened by a short phrase of time or place. */
function unfronted(text: string): string[] {
  const words = text.split(/\s+/u).filter((word) => word !== "");
  const comma = words.findIndex((word) => /[,;:]$/.test(word));
  const front = words.slice(0, comma + 1);
  const rest = words.slice(comma + 1);
  const goesOn = (word: string, at: number): boolean =>
    /^(?:and|or|but|if|because|while|when)$/i.test(word) ||
    (/[,;:.!?]["')]*$/.test(word) && at < rest.length - 1);
  const moves =
    front.at(-1)?.endsWith(",") === true &&
    front.length <= 6 &&
    rest.length >= 3 &&
    FRONTS.has(words[0]?.toLowerCase() ?? "") &&
    !rest.some(goesOn);
  return moves ? [...rest, ...front] : words;
}
