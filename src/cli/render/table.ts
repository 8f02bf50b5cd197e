import { styleText } from "node:util";
import { hung, padEnd, padStart, plain, width, wrap } from "./text.ts";

/** A first column is not made narrower than this. */
const LEAST_FIRST = 8;

/**
 * Rows in columns, the first to the left, the others to the right; `indent` spaces before each. What is wider than `columns`
 * stands closer together, and what its first column then has no room for goes on below. Where that is not enough, the others
 * stand below the first.
 */
export function table(
  rows: readonly (readonly string[])[],
  { indent = 2, gap = 3, columns = Infinity } = {},
): string[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, width(cell))));
  const [widest = 0, ...others] = widths;
  const gaps = Math.max(1, others.length);
  const room = columns - indent - others.reduce((sum, one) => sum + one, 0);
  if (others.length > 1 && room - gaps < Math.min(widest, LEAST_FIRST))
    return stacked(rows, { indent, columns });
  const between = Math.min(gap, Math.max(1, Math.floor((room - widest) / gaps)));
  const first = Math.min(widest, Math.max(LEAST_FIRST, room - gaps * between));
  const margin = " ".repeat(indent);
  return rows.flatMap(([head = "", ...cells]) => {
    const [top = "", ...below] = width(head) > first ? wrap(head, first) : [head];
    const line = [padEnd(top, first), ...cells.map((cell, at) => padStart(cell, others[at] ?? 0))];
    return [
      `${margin}${line.join(" ".repeat(between))}`.trimEnd(),
      ...below.map((under) => `${margin}${under}`),
    ];
  });
}

/** Each row a line, and below it the others' cells with what stands above them in the first row. */
function stacked(
  [names = [], ...rows]: readonly (readonly string[])[],
  { indent, columns }: { indent: number; columns: number },
): string[] {
  const margin = " ".repeat(indent);
  const said = names[0] === "" ? rows : [names, ...rows];
  return said.flatMap(([head = "", ...cells]) => {
    const told = cells.flatMap((cell, at) =>
      cell.trim() === "" ? [] : [said === rows ? `${names[at + 1] ?? ""} ${cell}` : cell],
    );
    return [...hung(margin, head, columns), ...hung(`${margin}  `, told.join(", "), columns)].slice(
      0,
      told.length === 0 ? -1 : undefined,
    );
  });
}

/** Less than this is no column to read in. */
const LEAST_BESIDE = 20;

/** What is on the left, and beside it what it means; below it where that has no room. */
export function columns(rows: readonly (readonly [string, string])[], room: number): string[] {
  const wide = Math.max(...rows.map(([left]) => width(left)));
  return rows.flatMap(([left, right]) =>
    room - wide - 4 < LEAST_BESIDE
      ? [`  ${left}`, ...hung("      ", right, room)]
      : hung(`  ${padEnd(left, wide)}  `, right, room),
  );
}

const COLOURS = ["bold", "dim", "red", "green", "yellow", "magenta", "cyan"] as const;
export type Paint = Readonly<Record<(typeof COLOURS)[number], (text: string) => string>>;

/** Terminal colours, or the bare text. */
export function createPaint(on: boolean): Paint {
  const brush = (colour: (typeof COLOURS)[number]) => (text: string) =>
    on && text !== "" ? styleText(colour, text, { validateStream: false }) : text;
  return Object.fromEntries(COLOURS.map((colour) => [colour, brush(colour)])) as unknown as Paint;
}

/** Where lines are laid out. */
export interface Page {
  readonly paint: Paint;
  readonly columns: number;
}

/** Something that is kept: what it is called by, its words, and what is to be known of it. */
interface Entry {
  readonly name: string;
  readonly text: string;
  readonly about: string;
}

/** Text is not read well in longer lines. */
const WIDEST = 100;
export const readable = ({ columns }: Pick<Page, "columns">): number => Math.min(WIDEST, columns);

/** Entries one below the other: the words beside the name, three lines of them at most, and below them the rest. */
export function listed(entries: readonly Entry[], page: Page): string[] {
  const { paint } = page;
  const wide = Math.max(0, ...entries.map(({ name }) => width(name)));
  const room = Math.max(LEAST_BESIDE + wide + 3, readable(page));
  return entries.flatMap(({ name, text, about }) => [
    ...hung(`  ${paint.cyan(padEnd(name, wide))} `, plain(text), room, 3),
    ...hung(" ".repeat(wide + 3), plain(about), room).map(paint.dim),
  ]);
}

/** A heading with what it means behind it, or below it where there is no room. */
export function titled(title: string, note: string, { paint, columns }: Page): string[] {
  if (width(`${title} ${note}`) <= columns) return [`${paint.bold(title)} ${paint.dim(note)}`];
  return [paint.bold(title), ...hung("  ", note, columns).map(paint.dim)];
}
