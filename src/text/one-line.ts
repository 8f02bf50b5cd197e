/** Marks that turn the reading direction or show nothing at all: they can hide an instruction or dress one up. */
const UNSEEN = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** The text on one line: control characters and unseen marks gone, white space single, well-formed. */
export const oneLine = (text: string): string =>
  text.replace(UNSEEN, "").replace(/\p{Cs}/gu, "\ufffd").replace(/[\p{Cc}\s]+/gu, " ").trim();

/** At most `max` characters, never half of a surrogate pair, ending in "…" when something is gone. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max < 1) return "";
  return `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Two texts that say the same in the same words have the same normal form. */
export const normalForm = (text: string): string =>
  oneLine(text).normalize("NFKC").toLowerCase().replace(/<\s*!\s*-\s*-/g, "<!--").replace(/\s+/g, " ").replace(/[\s.!。]+$/u, "");
