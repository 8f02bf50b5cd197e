import { padEnd, padStart, width } from "./text.ts";

/** Rows in columns, the first to the left, the others to the right; `indent` spaces before each. */
export function table(rows: readonly (readonly string[])[], { indent = 2, gap = 3 } = {}): string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, width(cell))));
  return rows.map((row) => {
    const cells = row.map((cell, column) => (column === 0 ? padEnd : padStart)(cell, widths[column] ?? 0));
    return `${" ".repeat(indent)}${cells.join(" ".repeat(gap))}`.trimEnd();
  });
}
