/** Longer texts are documents, or hold something pasted. */
export const DOCUMENT = 1_500;

/** From this many lines of one shape on they are a log, a table or a listing. */
const ALIKE = 4;
const OF_A_SHAPE = 24;
/** A line this short has no shape of its own. */
const SHORTEST = 20;
/** Prose has at least this share of letters, digits and spaces. */
const WORDY = 0.72;
/** A pasted document is named in a line before or behind it. */
const EDGE = 400;
const MOST_LINES = 4_000;

const FENCE = /^\s{0,20}(?:```|~~~)/;
const LOGGED =
  /^\W{0,3}(?:\d{4}[-/.]\d\d[-/.]\d\d|\d{1,2}:\d\d:\d\d|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b)/;
const TRACED =
  /^\s{1,20}at \S.{0,300}[(:]\d|^\s{1,20}File "|^(?:@@ |diff --git |index [0-9a-f]{6}|\+\+\+ |--- |[>|$] ?\S)/;
const SIGNS = /[^\p{L}\p{N}\s]/gu;

/**
 * What a speaker says himself in a message: without code, logs, tables and whatever else was pasted
 * into it. Of a long text in prose only what stands before and behind it, since the rest may come
 * from anywhere; "" where that cannot be told.
 */
export function ownWords(text: string): string {
  if (text.length <= DOCUMENT && !/\n[^\n]*\n[^\n]*\n/.test(text)) return text;
  const lines = text.split("\n", MOST_LINES);
  const shapes = Map.groupBy(lines, shapeOf);
  let fenced = false;
  const own = lines.filter((line) => {
    const isFence = FENCE.test(line);
    if (isFence) fenced = !fenced;
    const shape = shapeOf(line);
    return (
      !isFence &&
      !fenced &&
      !isPasted(line) &&
      (shape === undefined || (shapes.get(shape)?.length ?? 0) < ALIKE)
    );
  });
  if (own.length === lines.length && text.length <= DOCUMENT) return text;
  const said = own.join("\n").trim();
  if (said.length <= DOCUMENT) return said;
  const told = own.filter((line) => /\S/.test(line));
  return [told[0] ?? "", told.at(-1) ?? ""].filter((line) => line.length <= EDGE).join("\n");
}

function isPasted(line: string): boolean {
  const bare = line.trim();
  const signs = bare.slice(0, EDGE).match(SIGNS)?.length ?? 0;
  return (
    LOGGED.test(line) ||
    TRACED.test(line) ||
    (bare.length >= SHORTEST && 1 - signs / Math.min(bare.length, EDGE) < WORDY)
  );
}

/**
 * How a line begins, whatever its words and figures are; only of one with figures or signs in it.
 */
const shapeOf = (line: string): string | undefined =>
  line.length < SHORTEST || !/[\d=:{}[\]|<>;]/.test(line)
    ? undefined
    : line
        .slice(0, 120)
        .replace(/\p{L}+/gu, "a")
        .replace(/\d+/g, "0")
        .slice(0, OF_A_SHAPE);
