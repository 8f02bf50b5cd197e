import { type Hit, type Why } from "../../model/memory.ts";
import { type Io } from "./io.ts";
import { bar } from "./chart.ts";
import { wrap } from "./text.ts";

const COLUMNS = 20;
/** Where it would not fit beside the figures. */
const SHORT = 12;
const INDENT = 7;
const PARTS: readonly (readonly [keyof Why, string])[] = [
  ["words", "words of the question it holds"],
  ["meaning", "nearness of meaning"],
  ["recency", "how lately it was said"],
  ["use", "how often it was needed"],
  ["importance", "how much it matters"],
];

/** A bar for each part of a hit's score. What does not count there is left out: files and turns neither age nor wear. */
export function explainLines(
  { from, why, score }: Hit,
  { paint, columns }: Pick<Io, "paint" | "columns">,
): string[] {
  const counted = PARTS.filter(([part]) =>
    from === "memory"
      ? part !== "meaning" || why.meaning > 0
      : part === "words" || (part === "meaning" && why.meaning > 0),
  );
  const wide = Math.max(...PARTS.map(([part]) => part.length));
  const margin = " ".repeat(INDENT);
  const says = Math.max(...PARTS.map(([, what]) => what.length));
  const beside = INDENT + wide + COLUMNS + says + 8 <= columns;
  const lines = counted.flatMap(([part, what]) => {
    const figure = `${margin}${part.padEnd(wide)} ${paint.cyan(bar(why[part], beside ? COLUMNS : SHORT))} ${why[part].toFixed(2)}`;
    return beside
      ? [`${figure}  ${paint.dim(what)}`]
      : [
          figure,
          ...wrap(what, columns - INDENT - 2).map((line) => `${margin}  ${paint.dim(line)}`),
        ];
  });
  if (from === "memory") return lines;
  // Without this a file that says it all would stand at 1.00 here and at 0.62 above.
  const note = `a ${from === "files" ? "file" : "turn"} counts as a memory nobody used yet: ${why.words.toFixed(2)} makes ${score.toFixed(2)}`;
  return [...lines, ...wrap(note, columns - INDENT).map((line) => `${margin}${paint.dim(line)}`)];
}
