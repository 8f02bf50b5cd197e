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
const LETTERS = new Map(
  Object.entries(LOOKS).flatMap(([letter, looks]) =>
    [letter, ...looks].map((look) => [look, NAME.indexOf(letter)] as const),
  ),
);
/** Letters in filled circles and squares, and those flags are made of: no form of NFKD. */
const ALPHABETS = [0x1f150, 0x1f170, 0x1f1e6];
/** Letters that are read as a slash. */
const SLASHES = "ノ丿〳ⳇ丶";

/** What a character is to us: which letter of the name it looks like, and whether it is a sign or a mark. */
interface Kind {
  readonly letter: number;
  readonly isSign: boolean;
  /** With the "r" before it, it is read as "m". */
  readonly isN: boolean;
}

function lookAt(code: number): Kind {
  const from = ALPHABETS.find((first) => code >= first && code < first + 26);
  const char =
    from === undefined ? String.fromCodePoint(code) : String.fromCharCode(97 + code - from);
  const folded = char.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "");
  // "(t)" is one letter, "km" is none of ours.
  const bare = folded.length > 1 ? folded.replace(/[^\p{L}]/gu, "") : folded;
  const isSign = SLASHES.includes(bare) || !/\p{L}/u.test(folded);
  return { letter: LETTERS.get(bare) ?? LETTERS.get(folded) ?? -1, isSign, isN: bare === "n" };
}

const kinds = new Map<number, Kind>();
function kindOf(code: number): Kind {
  const known = kinds.get(code);
  if (known !== undefined) return known;
  const made = lookAt(code);
  if (kinds.size < KEPT) kinds.set(code, made);
  return made;
}
/** Most texts are made of fewer characters. */
const KEPT = 20_000;

/** Signs that may stand between two letters of a name that is still read as one. */
const GAP = 8;

/** Does our name stand here, but for signs before it and in it? It reads no more of the text than it must. */
export function isOurNameAt(text: string, start: number): boolean {
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
