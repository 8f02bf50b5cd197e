import { remembering } from "../base.ts";
import { cleaned, withoutUnseen } from "./cut.ts";

/**
 * Is it our name, in whatever letters? By structure first: compatibility forms (full width,
 * mathematical, circled, superscript) fold by NFKD, accents and overlays are marks. What is left
 * are letters of other scripts and signs that look the same: those of UTS 39, and Latin ones with
 * strokes, hooks and in small capitals, which Unicode does not take apart.
 */
const NAME = "tidemark";
const LOOKS: Readonly<Record<string, string>> = {
  t: "τтҭꭲꓔⲧᴛŧƭʈⱦ⊤⟙†‡🝨𖼊𑢼𐊗𐊱𐌕",
  i: "ıɪɩιіїꙇӏꭵɨᵻ⍳˛lłƚ1|!¡ǀ∣⏽׀וןا١۱ꓲⲓⵏᛁߊ𖼨𐊊𐌉𑣃",
  d: "ԁɗđðɖᑯꭰꮷꓓꓒᗞᗪᴅժ∂",
  e: "еєэεɛҽ℮ꬲɘəᴇⴹꭼꓰ⋿ɇⲉ3∈∊€𑢦𑢮𐊆",
  m: "мμӎꓟᗰꮇⲙᴍɱʍᛖϻ𐊰𐌑𑣣",
  a: "аαɑᴀꓮꭺᗅ⍺ⲁɐⱥ4@λ∀𖽀𐊠",
  r: "гґғʀɾɼꭇꭈᴦⲅꮁꭱꮢᖇꓣɍɽяγ𐒴𖼵𝈖",
  k: "кκқҝҟҡӄᴋⲕĸƙⱪꝁꝃꮶᛕꓗʞ𐔘",
};
const LOOK_ALIKE = new Map(
  Object.entries(LOOKS).flatMap(([letter, looks]) =>
    [letter, ...looks].map((look) => [look, NAME.indexOf(letter)] as const),
  ),
);
/** Letters in filled circles and squares, and those flags are made of: no form of NFKD. */
const ALPHABETS = [0x1f150, 0x1f170, 0x1f1e6];
/** Letters that are read as a slash. */
const SLASHES = "ノ丿〳ⳇ丶";

/**
 * What a character is to us: which letter of the name it looks like, and whether it is a sign or a
 * mark.
 */
interface CharacterKind {
  readonly letter: number;
  readonly isSign: boolean;
  /** With the "r" before it, it is read as "m". */
  readonly isN: boolean;
}

function lookAt(code: number): CharacterKind {
  const from = ALPHABETS.find((first) => code >= first && code < first + 26);
  const char = String.fromCodePoint(from === undefined ? code : 97 + code - from);
  const folded = char.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "");
  // "(t)" is one letter, "km" is none of ours.
  const bare = folded.length > 1 ? folded.replace(/[^\p{L}]/gu, "") : folded;
  const isSign = SLASHES.includes(bare) || !/\p{L}/u.test(folded);
  return {
    letter: LOOK_ALIKE.get(bare) ?? LOOK_ALIKE.get(folded) ?? -1,
    isSign,
    isN: bare === "n",
  };
}

const kinds = new Map<number, CharacterKind>();
function kindOf(code: number): CharacterKind {
  const known = kinds.get(code);
  if (known !== undefined) return known;
  const made = lookAt(code);
  if (kinds.size < UNCHANGED) kinds.set(code, made);
  return made;
}
/** Most texts are made of fewer characters. */
const UNCHANGED = 20_000;

/** Signs that may stand between two letters of a name that is still read as one. */
const GAP = 8;

/**
 * Does our name stand here, but for signs before it and in it? It reads no more of the text than it
 * must.
 */
function isOurNameAt(text: string, start: number): boolean {
  let [found, gap, isR, bySign] = [0, 0, false, false];
  for (let at = start; at < text.length && gap <= GAP;) {
    const code = text.codePointAt(at) ?? 0;
    at += code > 0xffff ? 2 : 1;
    const { letter, isSign, isN } = kindOf(code);
    const isM = isR && isN;
    isR = found === MIDDLE && letter === R;
    if (letter === found || isM) {
      found += 1;
      gap = 0;
      bySign = isSign;
      if (found === NAME.length) return true;
    } else {
      // A sign like a letter was taken for it, and the letter itself stands behind.
      const isMeant = bySign && letter === found - 1;
      if (!isSign && !isMeant && !isR) return false;
      gap += 1;
    }
  }
  return false;
}
const MIDDLE = NAME.indexOf("m");
const R = NAME.indexOf("r");

const TAG = /<(\/?)tidemark-([a-z0-9-]{1,80})(?:\s[^<>\n]{0,1000})?>/gi;
/** "<" as a page, an address or a program writes it. */
const WRITTEN =
  String.raw`&(?:amp;){0,9}(?:lt|lang|langle|#0{0,9}60|#x0{0,9}3c);?|%(?:25){0,9}3c|\\{1,9}` +
  String.raw`(?:u\{?0{0,9}3c\}?|x3c|0?74)`;
/** Letters of other scripts that look like it; the kana only where no word goes before it. */
const LETTERS = String.raw`[ᐸᚲㄑ]|(?<!\p{L})[く〱]`;
/**
 * What may be read as "<": angles, quotes and brackets of all kinds, signs of mathematics; not what
 * texts are full of.
 */
const SIGNS =
  String.raw`<|[\[\{](?=\s{0,9}[\/\\])|[◀◂◄⏴⯇⮜🞀🢀𝈶\u0354\u1dfe]|[[\p{Ps}\p{Pi}\p{Sm}\p{Sk}]` +
  String.raw`--[\x00-\x7f“‘‟‛„‚「『【〔（［｛→⇒↔×±−÷¬⁄≥≈∞¨´¯¸～￣]]`;
const OPENING = new RegExp(`${WRITTEN}|${LETTERS}|${SIGNS}`, "giv");
/** Signs in a row, at least one of which may open a tag: the name may follow the last. */
const OPENINGS = new RegExp(
  `(?:${WRITTEN}|${LETTERS}|${SIGNS})(?:${WRITTEN}|${LETTERS}|[^\\p{L}\\p{So}†‡⊤⟙])*`,
  "giv",
);

/**
 * Characters kept: files and summaries are fenced when a fold is foreseen and once more by the turn
 * that folds.
 */
const KEPT = 600_000;

/**
 * Text that can neither open nor close a fence and hides nothing: control characters and unseen
 * ones are gone, a tag has "(" for its bracket.
 */
export const unfenceable = remembering((text: string): string => withoutOpenings(cleaned(text)), {
  bound: KEPT,
});

/** A text without any of these cannot open anything. */
const HARMLESS = /^[^<&%\\[{\u0080-\uffff]*$/;
/**
 * Wider than TAG on purpose: a model may take `</ Tidemark-x>`, or one in other letters that look
 * alike, for a tag although we would not.
 */
function withoutOpenings(text: string): string {
  if (HARMLESS.test(text)) return text;
  const tamed = text.replace(OPENINGS, (signs: string, at: number) =>
    isOurNameAt(text, at + signs.length) ? signs.replace(OPENING, "(") : signs,
  );
  // One that is gone may have stood between another and the name; within reach of a name there are
  // few.
  return tamed === text ? text : withoutOpenings(tamed);
}

const attribute = ([name, value]: readonly [string, string]): string =>
  ` ${name}="${withoutOpenings(withoutUnseen(value))
    .replace(/"/g, "'")
    .replace(/</g, "‹")
    .replace(/>/g, "›")
    .replace(/\p{Cc}/gu, " ")
    .slice(0, 200)}"`;

/**
 * `text` between `<tidemark-TAG …>` and `</tidemark-TAG>`: marked as not the speaker's own words.
 */
export const fence = (
  tag: string,
  text: string,
  attributes: Readonly<Record<string, string>> = {},
): string =>
  `<tidemark-${tag}${Object.entries(attributes).map(attribute).join("")}>\n` +
  `${unfenceable(text)}\n</tidemark-${tag}>`;

/** The tag of a wake-up prompt: a conversation of these alone teaches nothing. */
export const HEARTBEAT = "heartbeat";

/** Is this text a wake-up prompt? */
export const isHeartbeat = (text: string): boolean =>
  text.trimStart().startsWith(`<tidemark-${HEARTBEAT} `);

/** A whole fenced passage of a text: from its `<` to behind its closing `>`. */
interface Passage {
  readonly tag: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The fenced passages of a text, outermost, in order. A tag that is never closed is no passage.
 * Linear.
 */
export function fences(text: string): Passage[] {
  const tags = [...text.matchAll(TAG)].map((match) => ({
    closes: match[1] === "/",
    tag: (match[2] ?? "").toLowerCase(),
    start: match.index,
    end: match.index + match[0].length,
  }));
  // The next to come stands last.
  const closings = Map.groupBy(tags.filter(({ closes }) => closes).reverse(), ({ tag }) => tag);
  const passages: Passage[] = [];
  let position = 0;
  for (const { closes, tag, start, end } of tags) {
    if (closes || start < position) continue;
    const ends = closings.get(tag) ?? [];
    while ((ends.at(-1)?.start ?? Infinity) < end) ends.pop();
    const close = ends.at(-1);
    if (close === undefined) continue;
    position = close.end;
    passages.push({ tag, start, end: position });
  }
  return passages;
}

/** The text without its fenced passages: what was said, not what was injected. */
export function withoutFences(text: string): string {
  const passages = fences(text);
  return [{ end: 0 }, ...passages]
    .map(({ end }, next) => text.slice(end, passages[next]?.start))
    .join("");
}
