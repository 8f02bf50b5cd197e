import { digest } from "../../text/hash.ts";

/**
 * A fact that says the same in the same words has one digest. A text of signs only has no words to
 * compare, so it is its own.
 */
export const sameness = (content: string): string => digest(canonical(content) || content.trim());

/** Longer runs are data, not words. */
const LONGEST_WORD = 400;

/**
 * A text without what does not change its meaning: case, white space, the punctuation around its
 * words, and the form of its characters. Figures and all else stay as they are written, in order.
 */
export const canonical = (content: string): string =>
  content
    .normalize("NFKC")
    .replace(/[\u2018\u2019\u02bc]/g, "'")
    .replace(/[\u201c\u201d\u00ab\u00bb]/g, '"')
    .replace(/\u2212/g, "-")
    .split(/\s+/u)
    .map(plain)
    .filter((word) => word !== "")
    .join(" ");

/** Signs before a word may be part of it ("-5", ".env", "!x"), as a question mark behind it is. */
function plain(word: string): string {
  if (word.length > LONGEST_WORD) return word;
  if (/^[-\u2013\u2014]+$/.test(word)) return "";
  const bare = word.replace(/^["'`*,;:]+/, "").replace(/["'`*,;:.!…。、]+$/u, "");
  // Capitals inside a word, or beside figures, tell it from others: "Hunter2".
  return /\d|^\P{Ll}*\p{Ll}.*\p{Lu}|[^\p{L}']\p{Lu}/u.test(bare) ? bare : bare.toLowerCase();
}
