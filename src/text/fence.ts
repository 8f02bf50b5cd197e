const TAG = /<(\/?)tidemark-([a-z0-9-]{1,80})(?:\s[^<>\n]{0,1000})?>/gi;
/** Wider than TAG on purpose: a model may take `</ Tidemark-x>` for a closing tag although we would not. */
const LOOKALIKE = /<(?=[\s/\\\p{Cf}]{0,8}tidemark)/giu;

/** Text that can neither open nor close a fence; the change is one visible character. */
export const unfenceable = (text: string): string => text.replace(LOOKALIKE, "‹");

const attribute = ([name, value]: readonly [string, string]): string =>
  ` ${name}="${value.replace(/"/g, "'").replace(/</g, "‹").replace(/>/g, "›").replace(/\p{Cc}/gu, " ").slice(0, 200)}"`;

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
