import { stripVTControlCharacters } from "node:util";
import { oneLine } from "../../text/cut.ts";

/** Takes two columns of a terminal: Han, kana, Hangul, their punctuation, emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;
const NONE = /\p{Mn}|\u200d|[\ufe00-\ufe0f]/u;

const widthOf = (char: string): number => {
  if (NONE.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
};

/** Columns a text takes, colours aside. */
export function width(text: string): number {
  let columns = 0;
  for (const char of stripVTControlCharacters(text)) columns += widthOf(char);
  return columns;
}

/** Foreign text on one line that cannot command the terminal. */
export const plain = (text: string): string => oneLine(stripVTControlCharacters(text));

/** As `plain`, line ends and tabs kept: for text that arrives in parts, where a command may be cut in two. */
export const tame = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");

/** As many of a text's characters as so many columns hold. */
function heldBy(columns: number, text: string): string {
  const isPainted = text.includes("\u001b");
  let kept = "";
  let used = 0;
  for (const char of text) {
    used = isPainted ? width(kept + char) : used + widthOf(char);
    if (used > columns) break;
    kept += char;
  }
  return kept;
}

/** At most so many columns, ending in "…" when something is gone. */
export const fit = (text: string, columns: number): string =>
  width(text) <= columns ? text : `${heldBy(columns - 1, text).trimEnd()}…`;

/** Characters that a column may hold, with marks and colours: of a text beyond that the rest is not read. */
const readOf = (columns: number): number => 8 * columns + 200;
const fits = (text: string, columns: number): boolean =>
  text.length <= readOf(columns) && width(text) <= columns;

/** A longer word than this may be cut, after a slash or a comma where it has one. */
const LONG = 30;

/** In lines of at most so many columns, cut between words; at most `most` lines, the last of them ending in "…". */
export function wrap(text: string, room: number, most = Infinity): string[] {
  const columns = Math.max(1, room);
  const lines: string[] = [];
  let line = "";
  for (let word of text.split(" ")) {
    for (;;) {
      const gap = line === "" ? "" : " ";
      if (fits(line + gap + word, columns)) break;
      const part =
        line === "" || !fits(word, LONG)
          ? beginning(word, columns - width(line + gap), line === "")
          : "";
      if (part !== "") lines.push(line + gap + part);
      else if (line !== "") lines.push(line);
      line = "";
      word = word.slice(part.length);
    }
    line += (line === "" ? "" : " ") + word;
  }
  if (line !== "" || lines.length === 0) lines.push(line);
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), fit(lines.slice(most - 1).join(" "), columns)];
}

/** As much of a word as fits, up to a place where it may be cut; "" when there is none and it need not be. */
function beginning(word: string, columns: number, must: boolean): string {
  const kept = heldBy(columns, word.slice(0, readOf(columns)));
  const at = Math.max(kept.lastIndexOf("/"), kept.lastIndexOf(",")) + 1;
  if (at > 1) return kept.slice(0, at);
  return must ? kept || [...word].slice(0, 1).join("") : "";
}

/** A text behind what stands first in its line; what has no room goes on below, as far in. */
export function hung(first: string, text: string, room: number, most?: number): string[] {
  const indent = width(first);
  return wrap(text, room - indent, most).map((line, at) =>
    (at === 0 ? first + line : " ".repeat(indent) + line).trimEnd(),
  );
}

export const padEnd = (text: string, columns: number): string =>
  text + " ".repeat(Math.max(0, columns - width(text)));
export const padStart = (text: string, columns: number): string =>
  " ".repeat(Math.max(0, columns - width(text))) + text;

/** What a terminal obeys, hides or turns round: controls, marks of direction, joiners, tags, and what is no character yet. */
const RAW = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const escaped = (char: string): string =>
  Array.from(
    { length: char.length },
    (_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");

/** A value as JSON that reads the same to a program and cannot command the terminal it is shown in. */
export const json = (value: unknown, indent?: number): string =>
  JSON.stringify(value, undefined, indent).replace(RAW, escaped);
