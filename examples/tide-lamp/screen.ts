import type { WindowLevel } from "./loop.ts";

const colourful = process.stdout.isTTY === true && process.env["NO_COLOR"] === undefined;
const painted =
  (code: number) =>
  (text: string): string =>
    colourful ? `\u001b[${code}m${text}\u001b[0m` : text;
export const bold = painted(1);
export const faint = painted(2);
export const green = painted(32);
export const red = painted(31);
export const blue = painted(36);

export const say = (text = ""): void => void process.stdout.write(`${text}\n`);
export const heading = (text: string): void =>
  say(`\n${bold(text)}\n${faint("─".repeat(text.length))}`);

const WIDTH = 24;

/** The water in a gauge; the two strokes are the marks at 60 and 70 %. */
export function gauge({ level, used, limit }: WindowLevel): string {
  const full = Math.round(Math.min(1, level) * WIDTH);
  const marks = [0.6, 0.7].map((mark) => Math.round(mark * WIDTH));
  const cells = Array.from({ length: WIDTH }, (_, cell) =>
    cell < full ? "█" : marks.includes(cell) ? "╎" : "·",
  ).join("");
  return `${blue(cells)} ${String(Math.round(level * 100)).padStart(3)} %  ${used.toLocaleString("en").padStart(6)} of ${limit.toLocaleString("en")}`;
}

export const clip = (text: string, length: number): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
};

export function table(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  for (const row of rows)
    say(
      `  ${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()}`,
    );
}
