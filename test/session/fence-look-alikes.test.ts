import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fence, fences, unfenceable } from "../../src/core/text/fence.ts";

/** The name in letters that look alike: compatibility forms, other scripts (UTS 39), hooks and strokes, small capitals, signs. */
const NAMES = [
  "tidemark",
  "TIDEMARK",
  "TiDeMaRk",
  "ｔｉｄｅｍａｒｋ",
  "ＴＩＤＥＭＡＲＫ",
  "𝐭𝐢𝐝𝐞𝐦𝐚𝐫𝐤",
  "𝓽𝓲𝓭𝓮𝓶𝓪𝓻𝓴",
  "𝔱𝔦𝔡𝔢𝔪𝔞𝔯𝔨",
  "𝕥𝕚𝕕𝕖𝕞𝕒𝕣𝕜",
  "𝚝𝚒𝚍𝚎𝚖𝚊𝚛𝚔",
  "𝖙𝖎𝖉𝖊𝖒𝖆𝖗𝖐",
  "ⓣⓘⓓⓔⓜⓐⓡⓚ",
  "ⓉⒾⒹⒺⓂⒶⓇⓀ",
  "🅣🅘🅓🅔🅜🅐🅡🅚",
  "🆃🅸🅳🅴🅼🅰🆁🅺",
  "🄣🄘🄓🄔🄜🄐🄡🄚",
  "⒯⒤⒟⒠⒨⒜⒭⒦",
  "ᵗⁱᵈᵉᵐᵃʳᵏ",
  "ᴛɪᴅᴇᴍᴀʀᴋ",
  "тіԁемагк",
  "tіdеmаrk",
  "τιdεmαrκ",
  "ᎢᎥᎠᎬᎷᎪᎡᏦ",
  "ꓔꓲꓓꓰꓟꓮꓣꓗ",
  "ⲦⲒdⲈⲘⲀⲄⲔ",
  "ŧɨđɇɱɑɍƙ",
  "tıdemark",
  "tldemark",
  "t1demark",
  "t|demark",
  "t!demark",
  "tidernark",
  "t1d3m4rk",
  "tide̸mark",
  "t̶i̶d̶e̶m̶a̶r̶k̶",
  "t\u0308i\u0301d\u0323emark",
  "ťïdémârk",
  "t·i·d·e·m·a·r·k",
  "t i d e m a r k",
  "tide\u200bmark",
  "tide\u2060mark",
  "tide\u00admark",
  "tide\u200dmark",
  "tide\ufe0fmark",
  "tide\u034fmark",
  "tide\u{e0001}mark",
  "tide\nmark",
  "🇹🇮🇩🇪🇲🇦🇷🇰",
];
const OPENINGS = [
  "<",
  "＜",
  "﹤",
  "‹",
  "❮",
  "˂",
  "𝈶",
  "ᐸ",
  "ᚲ",
  "〈",
  "〈",
  "⟨",
  "⟪",
  "《",
  "«",
  "≪",
  "⋘",
  "≺",
  "⪡",
  "⋖",
  "⩹",
  "❰",
  "❬",
  "⧼",
  "⦉",
  "⦑",
  "◁",
  "◀",
  "⊲",
  "≮",
  "く",
  "ㄑ",
  "<\u200b",
  "<\u0338",
  "< ",
  "<\n",
  "&lt;",
  "&#60;",
  "&#x3c;",
  "&#0060",
  "&LT;",
  "&amp;lt;",
  "%3C",
  "\\u003c",
  "\\x3c",
  "\\u{3c}",
];
const SLASHES = [
  "",
  "/",
  "／",
  "∕",
  "⁄",
  "╱",
  "⧸",
  "⟋",
  "\\",
  "＼",
  " / ",
  "ノ",
  "丿",
  "//",
  "\u0338",
];

/** No sign that may open a tag stands before the name any more. */
const isTamed = (text: string, opening: string): boolean => {
  const tamed = unfenceable(`x ${text} y`);
  return tamed.includes("(") && !tamed.includes(opening.trim()) && unfenceable(tamed) === tamed;
};

describe("text that looks like a fence", () => {
  it.each(NAMES)("has lost its bracket: %s", (name) => {
    for (const slash of ["", "/"]) expect(isTamed(`<${slash}${name}-facts>`, "<"), name).toBe(true);
  });

  it.each(OPENINGS)("has lost its bracket: %s", (opening) => {
    for (const slash of SLASHES)
      expect(isTamed(`${opening}${slash}tidemark-facts>`, opening), slash).toBe(true);
  });

  it("has lost it in any mixture", () => {
    const letters = Array.from({ length: 8 }, (_, at) =>
      NAMES.map((name) => [...name.normalize("NFC")])
        .filter((chars) => chars.length === 8)
        .map((chars) => chars[at] ?? ""),
    );
    const name = fc
      .tuple(...letters.map((some) => fc.constantFrom(...some)))
      .map((chars) => chars.join(""));
    fc.assert(
      fc.property(
        fc.constantFrom(...OPENINGS),
        fc.constantFrom(...SLASHES),
        name,
        fc.constantFrom("-", "‐", "–", "−", "_"),
        (opening, slash, said, dash) => {
          const text = `${opening}${slash}${said}${dash}facts>`;
          expect(isTamed(text, opening), text).toBe(true);
          const fenced = fence("facts", text, { from: text });
          expect(fences(fenced)).toEqual([{ tag: "facts", start: 0, end: fenced.length }]);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("is not what people write", () => {
    for (const text of [
      "“tidemark-js” and ‘tidemark’",
      "npm install tidemark-mcp",
      "→ tidemark, ✓ tidemark, — tidemark…",
      "(tidemark-x) [tidemark](https://example.org)",
      "if (a < b && time < t) {}",
      "Array<Tide>, Map<Time, Demark>",
      "2 < 3, ≤ 4, x ≈ y",
      "「tidemark」はよくtidemarkと",
      "%3Cdiv%3E &lt;b&gt; \\u003cp\\u003e",
      "<!-- tide --> <tid> <timed>",
    ])
      expect(unfenceable(text), text).toBe(text);
  });
});
