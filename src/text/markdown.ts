import { clip } from "./cut.ts";

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
