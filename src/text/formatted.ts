import { remembering } from "../base/cache.ts";
import { inOrder } from "../base/patterns.ts";
import { oneLine } from "./cut.ts";
import { codeReader, headingLevel, linesOf } from "./markdown.ts";

export const BULLET = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;
/** What of a line's words may look like another bullet, a box or a heading. */
export const LEAD = /^(?:\\?(?:[-*+>]|#{1,6}|\[[ xX]\]|\d{1,9}[.)]) )*/;
/** Formatters change all of it but the numbers. */
export const numbersOf = (lead: string): string => lead.replace(/\D+/g, " ").trimStart();
/** Formatters break these scripts between any two letters, without a space. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]/u;
const MARKED = /<!--\s+(?:[0-9a-z]{4,25}|~\S[^<>]*|\w+=[^<>]*)\s*-->\s*$/;
const BETWEEN_UNSPACED = inOrder(
  new RegExp(`(?<=${UNSPACED.source})`, "gu"),
  / /gu,
  new RegExp(`(?=${UNSPACED.source})`, "gu"),
);

/**
 * Rows in which each line of ours, which a comment ends, stands on one again, however a formatter
 * wrapped it; and each heading begins with "#". All else stays as it is.
 */
export function unwrapped(rows: readonly string[]): string[] {
  const isCode = codeReader();
  const all: string[] = [];
  /** Where the paragraph or bullet begins that goes on. */
  let start = -1;
  for (const row of rows) {
    const bare = row.trim();
    const begun = all[start];
    if (isCode(row) || bare === "" || headingLevel(row) > 0 || /^\||^<!-- \/?tidemark:/.test(bare))
      start = -1;
    else if (/^(?:=+|-{2,})$/.test(bare) && begun !== undefined && start === all.length - 1) {
      start = -1;
      if (!BULLET.test(begun) && !MARKED.test(begun)) {
        all[all.length - 1] = `## ${begun.trim()}`;
        continue;
      }
    } else if (begun === undefined || BULLET.test(row)) start = all.length;
    all.push(row);
    if (start < 0 || !bare.endsWith("-->")) continue;
    const [first = "", ...more] = all.slice(start);
    const isQuote = first.replace(BULLET, "").startsWith(">");
    const whole = more.reduce(
      (line, next) => `${line.trimEnd()} ${next.trim().replace(isQuote ? /^>\s*/ : "", "")}`,
      first,
    );
    if (!MARKED.test(whole)) continue;
    const end = row.slice(row.trimEnd().length);
    if (more.length > 0) all.splice(start, Infinity, `${whole}${end}`);
    start = -1;
  }
  return all;
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" },
  ...{ nbsp: " ", "#x20": " ", "#32": " ", "#160": " " },
};

/**
 * The words of a line, the same however a formatter or an editor spells its Markdown: bullets,
 * boxes, emphasis, escapes, addresses, quotes.
 */
export const plainWords = remembering((text: string): string =>
  oneLine(text)
    .replace(/\\(?=[!-/:-@[-`{-~])/g, "")
    .replace(LEAD, numbersOf)
    .replace(/`+/g, "`")
    .replace(/&([a-z]+|#x?\d+);/g, (all, name: string) => ENTITIES[name] ?? all)
    .replace(/<((?:https?:|mailto:)[^\s<>]+)>/g, "$1")
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’]/g, "'")
    .replaceAll("_", "*")
    .replace(/ {2,}/g, " ")
    .replace(BETWEEN_UNSPACED, "")
    .trim(),
);

/** The words of a page in their order, wherever lines are broken and however tables are drawn. */
export const flatWords = (text: string): string =>
  unwrapped(linesOf(text))
    .map((row) => plainWords(row.replace(BULLET, "")))
    .join(" ")
    .replace(/[\s|]+/g, " ")
    .replace(/:?-+:?/g, "-")
    .replace(BETWEEN_UNSPACED, "")
    .trim();
