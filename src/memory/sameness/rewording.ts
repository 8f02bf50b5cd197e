import { ENGLISH_STOPWORDS } from "../../text/terms.ts";
import { sentences } from "../../text/sentences.ts";
import { canonical } from "./canonical.ts";
import { setOf } from "./canonical-words.ts";

/**
 * Which two statements may be one fact in other words, as far as words tell: one word of content has another in its place, and
 * nothing else differs. An embedder must say the same (meaning-alike.ts); alone this says nothing, since no
 * spelling tells "doctor" and "physician" from "doctor" and "lawyer".
 */

/** Stop words that are verbs in their own right: "has" may stand for "owns". */
const VERBS = setOf("has have having had make made get gets getting got go goes going like want");

const TELLING = setOf(
  [
    // How many, how sure, how often, how far.
    "never neither hardly barely scarcely without none nobody nothing nowhere everyone everybody everything someone somebody something anyone anybody anything half double twice once several dozen dozens",
    "pair couple hundreds thousands maybe possibly probably likely unlikely certainly definitely surely allegedly reportedly supposedly seemingly apparently always usually often sometimes seldom rarely",
    "occasionally frequently almost nearly mostly mainly partly entirely fully completely barely unless except instead despite besides false true",
    // When.
    "today tomorrow yesterday tonight soon later earlier already again ago first second last next previous former current future recent recently before after january february march april may june july august",
    "september october november december monday tuesday wednesday thursday friday saturday sunday spring summer autumn winter second seconds minute minutes hour hours day days week weeks month months year years",
    "decade decades century centuries weekend weekends noon midday midnight dawn dusk morning mornings afternoon afternoons evening evenings night nights weekly daily monthly yearly hourly nightly quarterly fortnightly fortnight fortnights",
    // Where to, and by what measure.
    "left right north south east west northern southern eastern western upper lower front back above below near inside outside percent euro euros dollar dollars pound pounds cent cents",
    "metre meter meters kilometer kilometers mile miles foot feet inch inches gram grams kilogram kilograms ounce ounces liter liters gallon gallons degree degrees byte bytes",
  ].join(" "),
);

/** English words that a sentence turns on, and names of days and measures: exchanged for one another they always make another fact. */
const isTelling = (word: string): boolean =>
  TELLING.has(word) || (ENGLISH_STOPWORDS.has(word) && !VERBS.has(word));

/** What a verb brings with it: "went to" for "attended", "is afraid of" for "fears". */
const COMPANIONS = setOf("is are am be to of");

/** What stands behind these, or is said beside them, is a word as such, and no other word will do. */
const LITERAL = setOf(
  "password passwords passphrase passcode code codes codeword pin token secret username login handle nickname alias spelled spelt word phrase term motto slogan title titled entitled label labeled tag tagged branch command flag variable channel",
);
/** The next word is a name, capital or not. */
const NAMING = setOf("called named calls names nicknamed baptized dubbed");

/** Words of other languages that English has not: a reader of English alone cannot tell what these sentences turn on. */
const FOREIGN = setOf(
  "der die das und nicht kein keine ein eine einen mit von zu ist sind auf im vom zum nach vor le la les des du une et est pas dans sur avec el los las una y es con por para il gli che di della lo de het een en niet voor ik och att det ar inte og ikke som",
);

/** Past forms that do not end in "ed". */
const PAST = setOf(
  "was were had did made got went came saw gave took found told became left felt brought began kept held wrote stood heard meant met ran paid sat spoke lay led read grew lost fell sent built understood drew broke spent cut rose drove bought " +
    "wore chose won sold threw caught taught fought hit shot sang slept ate drank flew forgot forgave hid hung knew laid lent lit put quit rang rode sank set shook shut slid spread stole struck stuck swam swept swore tore thought thrown woke wept withdrew " +
    "been done gone seen given taken written spoken grown fallen drawn froze frozen broken risen driven worn chosen sung eaten drunk flown forgotten hidden known rung ridden sunk shaken stolen swum sworn torn woken",
);

const MOST_LETTERS = 400;
const MOST_CONTENT = 20;
/** Of the content words of both. */
const MOST_CHANGED = 0.34;
/** "fears", "is afraid of". */
const LONGEST_CHANGE = 3;
/** Letters in common from which two words are forms or opposites of one ("hired", "fired"), and no synonyms. */
const SPELT_ALIKE = 4;

export type Statement = NonNullable<ReturnType<typeof statement>>;

const isContent = (token: string): boolean => !isTelling(token);

/**
 * A short English sentence of its own: its tokens, how many of them are words of content, and those that had a capital, which are names
 * for all one knows. Undefined for what is no single short sentence of plain English: of that words alone say too little.
 */
export function statement(text: string) {
  if (
    text.length > MOST_LETTERS ||
    /[\n;:()[\]{}<>|`"“”«»…]|(?<!\p{L})['‘]|--|[–—]/u.test(text.trim())
  )
    return undefined;
  const words = text.trim().split(/\s+/u);
  if (sentences(text).length !== 1 || !isEnglish(words)) return undefined;
  const tokens = canonical(text).split(" ");
  const content = count(tokens, isContent);
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
export const wordShare = (one: Statement, other: Statement): number =>
  2 / (one.content + other.content);

/**
 * Both say the same but for one place, where a word has another in its stead. Of two places an embedder that is deaf to order could not
 * tell whether they were changed round: "the doctor paid the lawyer", "the attorney paid the physician".
 */
export function mayBeAlike(one: Statement, other: Statement): boolean {
  const [mine, theirs] = [split(one.tokens, other.tokens), split(other.tokens, one.tokens)];
  if (mine.kept.join(" ") !== theirs.kept.join(" ")) return false;
  const [place, second] = mine.gaps
    .map((gap, at) => ({ at, gap, beside: theirs.gaps[at] ?? [] }))
    .filter(({ gap, beside }) => gap.length + beside.length > 0);
  if (place === undefined || second !== undefined) return false;
  const { at, gap, beside } = place;
  const [before = "", after = ""] = [mine.kept[at - 1], mine.kept[at]];
  if (/\d/.test(before + after) || NAMING.has(before)) return false;
  const changed = count([...gap, ...beside], isContent);
  return (
    changed / (one.content + other.content) <= MOST_CHANGED &&
    isExchange(gap, beside, one.capital.union(other.capital))
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
  capital: ReadonlySet<string>,
): boolean {
  const isPlain = (token: string): boolean =>
    /^[a-z]{2,}$/.test(token) && !capital.has(token) && (isContent(token) || COMPANIONS.has(token));
  if (
    one.length > LONGEST_CHANGE ||
    other.length > LONGEST_CHANGE ||
    ![...one, ...other].every(isPlain)
  )
    return false;
  const [mine, theirs] = [one.filter(isContent), other.filter(isContent)];
  if (
    Math.min(mine.length, theirs.length) !== 1 ||
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
  const least = Math.min(SPELT_ALIKE, one.length, other.length);
  return one.slice(0, least) === other.slice(0, least) || one.slice(-least) === other.slice(-least);
}
