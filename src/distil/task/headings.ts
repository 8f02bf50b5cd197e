/** The parts of a summary, in their order; a model is asked for the same ones. */
export const HEADINGS = {
  open: "Open requests",
  rules: "Rules and corrections",
  decisions: "Decisions",
  failed: "Failed approaches",
  names: "Identifiers",
  done: "Done",
  state: "Where it stands",
} as const;
export type Part = keyof typeof HEADINGS;
const PARTS = Object.keys(HEADINGS) as Part[];

export interface PartLine {
  readonly part: Part;
  readonly text: string;
}

const LINES = 2_000;
const HEADING = /^\s{0,3}(?:#{1,6}\s+(.{1,80}?)|\*\*(.{1,80})\*\*):?\s*$/;

/** A summary's lines with the part each stands in; under headings of others: where it stands. */
export function partLines(summary: string): PartLine[] {
  let part: Part = "state";
  return summary.split("\n", LINES).flatMap((line) => {
    const heading = HEADING.exec(line);
    if (heading !== null) {
      const title = (heading[1] ?? heading[2] ?? "").toLowerCase();
      part = PARTS.find((known) => HEADINGS[known].toLowerCase() === title) ?? "state";
      return [];
    }
    const text = line.replace(/^\s{0,20}(?:[-*+•]|\d{1,3}[.)、])\s+/, "").trim();
    return text === "" ? [] : [{ part, text }];
  });
}

export const renderParts = (lines: readonly PartLine[]): string =>
  PARTS.flatMap((part) => {
    const own = lines.filter((line) => line.part === part);
    return own.length === 0 ? [] : [`## ${HEADINGS[part]}`, ...own.map(({ text }) => `- ${text}`)];
  }).join("\n");
