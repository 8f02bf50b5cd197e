import { linesOf, withoutComments } from "../../text/markdown.ts";

export const HEAD = "<!-- tidemark:head -->";
export const HEAD_END = "<!-- /tidemark:head -->";

function span(lines: readonly string[]): { start: number; end: number } | undefined {
  const start = lines.findIndex((line) => line.trim() === HEAD);
  const end = lines.findIndex((line, index) => index > start && line.trim() === HEAD_END);
  return start < 0 || end < 0 ? undefined : { start, end };
}

/** What stands between the markers of MEMORY.md, as it is written. */
export function headOf(text: string): string {
  const lines = linesOf(text);
  const found = span(lines);
  return found === undefined
    ? ""
    : lines
        .slice(found.start + 1, found.end)
        .join("\n")
        .trim();
}

/** The file with another text between its markers; one that has lost them gets new ones, before all else. */
export function withHead(text: string, head: string): string {
  const lines = linesOf(text);
  const found = span(lines);
  const inside = head.trim() === "" ? [] : [head.trim()];
  if (found === undefined) return [HEAD, ...inside, HEAD_END, "", text].join("\n");
  return [...lines.slice(0, found.start + 1), ...inside, ...lines.slice(found.end)].join("\n");
}

/** A text that can open no comment, and so no marker and no mark of an entry. */
export const markless = (text: string): string =>
  text.replaceAll("<!--", "<! --").replaceAll("-->", "-- >");

/** Without what is only there for a person who edits the file. */
export const plain = (text: string): string => withoutComments(text);
