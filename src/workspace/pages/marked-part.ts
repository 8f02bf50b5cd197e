import { unwrapped } from "../../text/formatted.ts";
import { codeReader } from "../../text/markdown.ts";
import { troubled } from "../disk/paths.ts";

/** A part of a person's page that is written here, between two comments. */
interface PartName {
  readonly page: string;
  readonly name: string;
}

/** The lines between the markers, from the first to behind the last. */
interface Span {
  readonly start: number;
  readonly end: number;
}

const opening = (name: string): string => `<!-- tidemark:${name} -->`;
const closing = (name: string): string => `<!-- /tidemark:${name} -->`;

/** Lines as they stand, with what ends them: all but what is changed stays byte for byte. */
export const rowsOf = (text: string): string[] => text.split(/(?<=\n)/);

/**
 * "broken": one of the markers is gone or stands twice, so that nothing can be told from a person's
 * own words.
 */
function spanOf(rows: readonly string[], name: string): Span | "broken" | undefined {
  const isCode = codeReader();
  const bare = rows.map((row) => (isCode(row.trimEnd()) ? "" : row.replace(/^\ufeff/, "").trim()));
  const [start, end] = [bare.indexOf(opening(name)), bare.indexOf(closing(name))];
  if (start < 0 && end < 0) return undefined;
  const isWhole =
    start >= 0 &&
    start < end &&
    start === bare.lastIndexOf(opening(name)) &&
    end === bare.lastIndexOf(closing(name));
  return isWhole ? { start: start + 1, end } : "broken";
}

/** The page's lines, each with what ends it, and where the part stands among them. */
export function partLines(text: string, name: string): { rows: string[]; span?: Span } {
  const rows = unwrapped(rowsOf(text));
  const span = spanOf(rows, name);
  return { rows, span: span === "broken" ? undefined : span };
}

/**
 * The lines of the part, without what ends them; [] where there is none, or its markers are not
 * whole.
 */
export function partOf(text: string, name: string): string[] {
  const { rows, span } = partLines(text, name);
  return rows.slice(span?.start ?? 0, span?.end ?? 0).map((row) => row.trimEnd());
}

/**
 * The page with a line of the part in place of the one at `at`, or behind its last line where none
 * is named; a page without such a part gets one at its end, below `heading`. Nothing else changes.
 * Throws "workspace" where the markers are not whole.
 */
export function withPartLine(
  text: string,
  { page, name }: PartName,
  { line, at = -1, heading }: { line: string; at?: number; heading: string },
): string {
  const rows = rowsOf(text);
  const span = spanOf(rows, name);
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  if (span === "broken")
    throw troubled(
      `${page} does not hold both "${opening(name)}" and "${closing(name)}" once, each ` +
        "on a line of its own: put back the one that is missing, or take out both.",
    );
  if (span === undefined) {
    const before = text.trim() === "" ? "" : text + (text.endsWith("\n") ? end : end + end);
    const made = `${before}${[heading, "", opening(name), line, closing(name), ""].join(end)}`;
    if (typeof spanOf(rowsOf(made), name) === "object") return made;
    throw troubled(
      `${page} ends within a block of code that is not closed, so nothing was added to ` +
        "it. Close the block.",
    );
  }
  const [place, gone] = at < 0 ? [span.end, 0] : [span.start + at, 1];
  return rows.toSpliced(place, gone, `${line}${end}`).join("");
}
