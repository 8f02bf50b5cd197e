import { cleaned } from "./cut.ts";
import { remembering } from "./remembering.ts";
import { withoutUnseen } from "./unseen.ts";

const TAG = /<(\/?)tidemark-([a-z0-9-]{1,80})(?:\s[^<>\n]{0,1000})?>/gi;
/** What may be taken for the beginning of a tag, and as much behind it as tells whether it is one of ours. */
const OPENS = /([<\uff1c\ufe64]|&(?:lt|#0{0,9}60|#x0{0,9}3c);?)([^<\uff1c\ufe64&‹]{8,100})/giu;
const TWINS: Readonly<Record<string, string>> = { т: "t", τ: "t", і: "i", ι: "i", ı: "i", ԁ: "d", ɗ: "d", е: "e", є: "e", ε: "e", м: "m", а: "a", α: "a", ɑ: "a", г: "r", ʀ: "r", к: "k", κ: "k" };

/** Wider than TAG on purpose: a model may take `</ Tidemark-x>`, or one in other letters that look alike, for a tag although we would not. */
function looksLikeOurs(text: string): boolean {
  const letters = text.normalize("NFKD").toLowerCase().replace(/[^\p{L}]/gu, "");
  return [...letters.slice(0, 16)].slice(0, 8).map((letter) => TWINS[letter] ?? letter).join("") === "tidemark";
}

/** Characters kept: files and summaries are fenced when a fold is foreseen and once more by the turn that folds. */
const KEPT = 600_000;

/** Text that can neither open nor close a fence and hides nothing: control characters and unseen ones are gone, a tag has lost its bracket. */
export const unfenceable = remembering((text: string): string => cleaned(text).replace(OPENS, (whole, _open, behind: string) => (looksLikeOurs(behind) ? `‹${behind}` : whole)), KEPT);

const attribute = ([name, value]: readonly [string, string]): string =>
  ` ${name}="${withoutUnseen(value).replace(/"/g, "'").replace(/</g, "‹").replace(/>/g, "›").replace(/\p{Cc}/gu, " ").slice(0, 200)}"`;

/** `text` between `<tidemark-TAG …>` and `</tidemark-TAG>`: marked as not the speaker's own words. */
export const fence = (tag: string, text: string, attributes: Readonly<Record<string, string>> = {}): string =>
  `<tidemark-${tag}${Object.entries(attributes).map(attribute).join("")}>\n${unfenceable(text)}\n</tidemark-${tag}>`;

/** A whole fenced passage of a text: from its `<` to behind its closing `>`. */
export interface Passage {
  readonly tag: string;
  readonly start: number;
  readonly end: number;
}

/** The fenced passages of a text, outermost, in order. A tag that is never closed is no passage. Linear. */
export function fences(text: string): Passage[] {
  const tags = [...text.matchAll(TAG)].map((match) => ({
    closes: match[1] === "/",
    tag: (match[2] ?? "").toLowerCase(),
    start: match.index,
    end: match.index + match[0].length,
  }));
  const closings = new Map<string, { at: number; ends: { start: number; end: number }[] }>();
  for (const { closes, tag, start, end } of tags) {
    if (!closes) continue;
    const known = closings.get(tag);
    if (known === undefined) closings.set(tag, { at: 0, ends: [{ start, end }] });
    else known.ends.push({ start, end });
  }
  const passages: Passage[] = [];
  let position = 0;
  for (const { closes, tag, start, end } of tags) {
    const closing = closings.get(tag);
    if (closes || start < position || closing === undefined) continue;
    while ((closing.ends[closing.at]?.start ?? Infinity) < end) closing.at += 1;
    const close = closing.ends[closing.at];
    if (close === undefined) continue;
    position = close.end;
    passages.push({ tag, start, end: position });
  }
  return passages;
}

/** The text without its fenced passages: what was said, not what was injected. */
export function withoutFences(text: string): string {
  const passages = fences(text);
  if (passages.length === 0) return text;
  let position = 0;
  let rest = "";
  for (const { start, end } of passages) {
    rest += text.slice(position, start);
    position = end;
  }
  return rest + text.slice(position);
}
