import { hash } from "node:crypto";
import { either, inOrder, remembering } from "../base.ts";

/**
 * What a person does not see and a model reads: marks of direction, tags, fillers, breaks and
 * joiners of no width. Joiners stay behind letters without case and behind pictures, which need
 * them, and the sign that makes a picture of a character behind one.
 */
export const UNSEEN = either(
  /(?![\u200c\u200d\ufe0e\ufe0f])[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu,
  /(?<!\p{Emoji})[\ufe0e\ufe0f]/gu,
  inOrder(
    /(?<!\p{Emoji}\ufe0f)/gu,
    /(?<!(?!\p{Default_Ignorable_Code_Point})[\p{Lo}\p{Mn}\p{Mc}\p{Extended_Pictographic}])/gu,
    /(?<!\p{Emoji_Modifier})[\u200c\u200d]/gu,
  ),
);

export const withoutUnseen = (text: string): string => text.replace(UNSEEN, "");

/** At most `max` UTF-16 units from the start; never half a surrogate pair. */
export function head(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = isHigh(text.charCodeAt(max - 1)) ? 1 : 0;
  return text.slice(0, Math.max(0, max - half));
}

/** At most `max` UTF-16 units from the end; never half a surrogate pair. */
export function tail(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = text.length - max;
  return text.slice(isHigh(text.charCodeAt(start - 1)) ? start + 1 : start);
}

/** Characters of a question: a longer one is a document, and asks where it begins or ends. */
const LONGEST_QUESTION = 8_000;

export const asQuestion = (text: string): string =>
  text.length <= LONGEST_QUESTION
    ? text
    : `${head(text, LONGEST_QUESTION / 2)}\n${tail(text, LONGEST_QUESTION / 2)}`;

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Nothing in it is to be cleaned: one look instead of five. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;

/**
 * Control characters and what is unseen out (tab and line feed stay), lone surrogates made legal:
 * safe for files, rows and JSON.
 */
export const cleaned = (text: string): string =>
  PLAIN.test(text)
    ? text
    : withoutUnseen(text)
        .replace(/\p{Cs}/gu, "\ufffd")
        .replace(/\r\n?/g, "\n")
        .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");

/**
 * The text on one line: control characters and unseen marks gone, white space single, well-formed.
 */
export const oneLine = (text: string): string =>
  withoutUnseen(text)
    .replace(/\p{Cs}/gu, "\ufffd")
    .replace(/[\p{Cc}\s]{2,}|[^\S ]|\p{Cc}/gu, " ")
    .trim();

/**
 * A given name, as part of a line of ours: it cannot end the brackets it stands in, nor pass for
 * what stands beside it.
 */
export const label = (text: string): string => clip(oneLine(text).replace(/[()[\]{},]/g, "_"), 200);

/**
 * At most `max` characters, never half of a surrogate pair, ending in "…" when something is gone.
 */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  return max < 1 ? "" : `${head(text, max - 1)}…`;
}

/**
 * Two texts that say the same in the same words have the same normal form. Remembered: a fold asks
 * it of every fact there is room for.
 */
export const normalForm = remembering((text: string): string =>
  oneLine(text)
    .normalize("NFKC")
    .toLowerCase()
    .replace(/<\s*!\s*-\s*-/g, "<!--")
    .replace(/\s{2,}|[^\S ]/g, " ")
    .replace(/(?<![\s.!。])[\s.!。]+$/u, ""),
);

/**
 * 128 bits of SHA-256 in hex: enough that no two histories meet by chance, short enough to index.
 */
export const digest = (...parts: readonly string[]): string =>
  // The length stands before each part, so that ("ab", "c") and ("a", "bc") differ. Cut as bytes: a
  // slice of the hex text would keep all of it in memory. Joined, because an object to hash with
  // takes longer, but for megabytes.
  hash("sha256", parts.map((part) => `${part.length}:${part}`).join(""), "buffer").toString(
    "hex",
    0,
    16,
  );
