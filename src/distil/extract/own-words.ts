/** Longer texts are documents, or hold something pasted. */
export const DOCUMENT = 1_500;

/** A pasted document is named in a line before or behind it. */
const EDGE = 400;
const MOST_LINES = 4_000;
const FENCE = /^\s{0,20}(?:```|~~~)/;

/**
 * The speaker's own words in a message, without code. Of a long text only the lines before and
 * behind it count, since the rest may come from anywhere; "" where that cannot be told.
 */
export function ownWords(text: string): string {
  if (text.length <= DOCUMENT && !/\n[^\n]*\n[^\n]*\n/.test(text)) return text;
  let fenced = false;
  const own = text.split("\n", MOST_LINES).filter((line) => {
    const isFence = FENCE.test(line);
    if (isFence) fenced = !fenced;
    return !isFence && !fenced;
  });
  const said = own.join("\n").trim();
  if (said.length <= DOCUMENT) return said;
  const told = own.filter((line) => /\S/.test(line));
  return [told[0] ?? "", told.at(-1) ?? ""].filter((line) => line.length <= EDGE).join("\n");
}
