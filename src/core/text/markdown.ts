import { inOrder, remembering } from "../base.ts";
import { clip, oneLine } from "./cut.ts";

/**
 * Reads lines in order and tells of each whether it belongs to fenced code (CommonMark §4.5), its
 * fences included.
 */
export function codeReader(): (line: string) => boolean {
  let open: string | undefined;
  return (line) => {
    const before = open;
    open = fenceAfter(open, line);
    return before !== undefined || open !== undefined;
  };
}

/** The fence that is open behind a line, where `open` was before it. */
function fenceAfter(open: string | undefined, line: string): string | undefined {
  const mark = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
  if (open === undefined) return mark;
  return mark?.startsWith(open) === true && line.trim() === mark ? undefined : open;
}

/** The fence of the code that these lines do not end. */
export const unclosedFence = (lines: readonly string[]): string | undefined =>
  lines.reduce<string | undefined>(fenceAfter, undefined);

export const linesOf = (text: string): string[] => text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);

export function withoutFrontMatter(text: string): string {
  const lines = linesOf(text);
  if (lines[0]?.trimEnd() !== "---") return lines.join("\n");
  const end = lines.findIndex((line, index) => index > 0 && /^(---|\.\.\.)\s*$/.test(line));
  return end < 0 ? lines.join("\n") : lines.slice(end + 1).join("\n");
}

/**
 * Code spans, which are shown as they stand, so that a comment inside one is text; and comments,
 * the last one open. `<!-->` and
 * `<!--->` are whole comments in HTML.
 */
const SPANS = /(`+)(?!`)[^]*?(?<!`)\1(?!`)|`+|<!--(?:-?>|[^]*?-->|([^]*))/g;

/** One line without its comments; `inside` says whether a comment is open before and after it. */
function stripLine(line: string, inside: boolean): { text: string; inside: boolean } {
  const end = inside ? line.indexOf("-->") : -"-->".length;
  if (end === -1) return { text: "", inside };
  let opens = false;
  const text = line.slice(end + "-->".length).replace(SPANS, (span, _ticks, open) => {
    opens ||= open !== undefined;
    return span.startsWith("`") ? span : "";
  });
  return { text, inside: opens };
}

/**
 * The text a preview would show: no HTML comments (an unclosed one reaches to the end, as in
 * CommonMark §4.6), code left alone, at most one blank line in a row.
 */
export function withoutComments(text: string): string {
  const isCode = codeReader();
  const kept: string[] = [];
  let inside = false;
  for (const line of linesOf(text)) {
    if (!inside && isCode(line)) {
      kept.push(line);
      continue;
    }
    const stripped = stripLine(line, inside);
    inside = stripped.inside;
    if (stripped.text.trim() !== "" || stripped.text === line) kept.push(stripped.text.trimEnd());
  }
  return kept
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

const HEADING = /^ {0,3}(#{1,6})(?:\s|$)/;
export const headingLevel = (line: string): number => HEADING.exec(line)?.[1]?.length ?? 0;
/** A heading without its signs. A run of them is looked at from its beginning alone: in time. */
export const headingText = (line: string): string =>
  line
    .replace(/^\s*#+\s*/, "")
    .trimEnd()
    .replace(/(?<!#)#+$/, "")
    .trimEnd();

/** Headings of a template: with nothing written beneath, they are guidance too. */
export const headingsOf = (text: string): ReadonlySet<string> =>
  new Set(
    linesOf(text)
      .filter((line) => headingLevel(line) > 0)
      .map((line) => line.trim()),
  );

/** The text without those of the `known` headings that have nothing beneath them. */
export function withoutEmptySections(text: string, known: ReadonlySet<string>): string {
  const isCode = codeReader();
  const lines = linesOf(text).map((line) => ({
    line,
    level: isCode(line) ? 0 : headingLevel(line),
  }));
  const kept: string[] = [];
  // Backwards: a heading is empty when what follows it is nothing, or a heading of its own level or
  // above.
  let below = 1;
  for (const { line, level } of lines.reverse()) {
    if (level > 0 && known.has(line.trim()) && below > 0 && below <= level) continue;
    if (line.trim() !== "") below = level;
    kept.push(line);
  }
  return kept
    .reverse()
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/**
 * At most `max` characters from the start, cut at a line end where one is near, with `note` as the
 * last line.
 */
export function clipLines(text: string, max: number, note: string): string {
  if (text.length <= max) return text;
  const room = max - note.length - 1;
  if (room < 1) return clip(text, max);
  const cut = clip(text, room);
  const line = cut.lastIndexOf("\n");
  return `${line > room * 0.6 ? cut.slice(0, line) : cut}\n${note}`;
}

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
    else if (/^(?:=+|-{2,})$/.test(bare)) {
      const isUnder = begun !== undefined && start === all.length - 1;
      start = -1;
      if (isUnder && !BULLET.test(begun) && !MARKED.test(begun)) {
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
