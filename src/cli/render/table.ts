import { padEnd, padStart, width, wrap } from "./text.ts";

/** A first column is not made narrower than this. */
const LEAST_FIRST = 8;

/**
 * Rows in columns, the first to the left, the others to the right; `indent` spaces before each. What is wider than `columns`
 * stands closer together, and what its first column then has no room for goes on below.
 */
export function table(rows: readonly (readonly string[])[], { indent = 2, gap = 3, columns = Infinity } = {}): string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, width(cell))));
  const gaps = Math.max(1, widths.length - 1);
  const room = columns - indent - widths.reduce((sum, one) => sum + one, 0);
  const between = Math.min(gap, Math.max(1, Math.floor(room / gaps)));
  const first = Math.min(widths[0] ?? 0, Math.max(LEAST_FIRST, (widths[0] ?? 0) + room - gaps * between));
  const margin = " ".repeat(indent);
  return rows.flatMap(([head = "", ...others]) => {
    const [top = "", ...below] = width(head) > first ? wrap(head, first) : [head];
    const cells = [padEnd(top, first), ...others.map((cell, at) => padStart(cell, widths[at + 1] ?? 0))];
    return [`${margin}${cells.join(" ".repeat(between))}`.trimEnd(), ...below.map((line) => `${margin}${line}`)];
  });
}
