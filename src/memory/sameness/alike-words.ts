import { ENGLISH_STOPWORDS } from "../../text/content-words.ts";

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "));

/** Stop words that are verbs in their own right: "has" may stand for "owns". */
const VERBS = set("has have having had make made get gets getting got go goes going like want");

const TELLING = set(
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
export const isTelling = (word: string): boolean =>
  TELLING.has(word) || (ENGLISH_STOPWORDS.has(word) && !VERBS.has(word));

/** What a verb brings with it: "went to" for "attended", "is afraid of" for "fears". */
export const COMPANIONS = set("is are am be to of");

/** What stands behind these, or is said beside them, is a word as such, and no other word will do. */
export const LITERAL = set(
  "password passwords passphrase passcode code codes codeword pin token secret username login handle nickname alias spelled spelt word phrase term motto slogan title titled entitled label labeled tag tagged branch command flag variable channel",
);
/** The next word is a name, capital or not. */
export const NAMING = set("called named calls names nicknamed baptized dubbed");

/** Words of other languages that English has not: a reader of English alone cannot tell what these sentences turn on. */
export const FOREIGN = set(
  "der die das und nicht kein keine ein eine einen mit von zu ist sind auf im vom zum nach vor le la les des du une et est pas dans sur avec el los las una y es con por para il gli che di della lo de het een en niet voor ik och att det ar inte og ikke som",
);

/** Past forms that do not end in "ed". */
export const PAST = set(
  "was were had did made got went came saw gave took found told became left felt brought began kept held wrote stood heard meant met ran paid sat spoke lay led read grew lost fell sent built understood drew broke spent cut rose drove bought " +
    "wore chose won sold threw caught taught fought hit shot sang slept ate drank flew forgot forgave hid hung knew laid lent lit put quit rang rode sank set shook shut slid spread stole struck stuck swam swept swore tore thought thrown woke wept withdrew " +
    "been done gone seen given taken written spoken grown fallen drawn froze frozen broken risen driven worn chosen sung eaten drunk flown forgotten hidden known rung ridden sunk shaken stolen swum sworn torn woken",
);
