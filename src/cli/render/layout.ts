import { readFileSync } from "node:fs";
import { stripVTControlCharacters, styleText } from "node:util";
import { packageFile } from "../../core/installed.ts";
import { oneLine } from "../../core/text/cut.ts";

/** Takes two columns of a terminal: Han, kana, Hangul, their punctuation, emoji. */
const WIDE = new RegExp(
  "[\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff" +
    "\\ufe30-\\ufe4f\\uff00-\\uff60\\uffe0-\\uffe6\\u{20000}-\\u{3fffd}]" +
    "|\\p{Emoji_Presentation}",
  "u",
);
const NONE = /\p{Mn}|\u200d|[\ufe00-\ufe0f]/u;

const widthOf = (char: string): number => {
  if (NONE.test(char)) return 0;
  return WIDE.test(char) ? 2 : 1;
};

/** Columns a text takes, colours aside. */
export function width(text: string): number {
  let columns = 0;
  for (const char of stripVTControlCharacters(text)) columns += widthOf(char);
  return columns;
}

/** The first of a list in a row. */
export const some = (list: readonly string[], most: number): string =>
  `${list.slice(0, most).join(", ")}${list.length > most ? ", …" : ""}`;

/** Foreign text on one line that cannot command the terminal. */
export const plain = (text: string): string => oneLine(stripVTControlCharacters(text));

/**
 * As `plain`, line ends and tabs kept: for text that arrives in parts, where a command may be cut
 * in two.
 */
export const tame = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");

/** As many of a text's characters as so many columns hold. */
function heldBy(columns: number, text: string): string {
  const isPainted = text.includes("\u001b");
  let kept = "";
  let used = 0;
  for (const char of text) {
    used = isPainted ? width(kept + char) : used + widthOf(char);
    if (used > columns) break;
    kept += char;
  }
  return kept;
}

/** At most so many columns, ending in "…" when something is gone. */
export const fit = (text: string, columns: number): string =>
  width(text) <= columns ? text : `${heldBy(columns - 1, text).trimEnd()}…`;

/**
 * Characters that a column may hold, with marks and colours: of a text beyond that the rest is not
 * read.
 */
const readOf = (columns: number): number => 8 * columns + 200;
const fits = (text: string, columns: number): boolean =>
  text.length <= readOf(columns) && width(text) <= columns;

/**
 * In lines of at most so many columns, cut between words where it can be; at most `most` lines, the
 * last of them ending in "…".
 */
export function wrap(text: string, room: number, most = Infinity): string[] {
  const columns = Math.max(1, room);
  const lines: string[] = [];
  let line = "";
  for (let word of text.split(" ")) {
    for (;;) {
      const longer = line === "" ? word : `${line} ${word}`;
      if (fits(longer, columns)) {
        line = longer;
        break;
      }
      if (line === "") {
        line = heldBy(columns, word.slice(0, readOf(columns))) || [...word].slice(0, 1).join("");
        word = word.slice(line.length);
      }
      lines.push(line);
      line = "";
    }
  }
  if (line !== "" || lines.length === 0) lines.push(line);
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), fit(lines.slice(most - 1).join(" "), columns)];
}

const DEEPEST = 40;
/**
 * A text behind what stands first in its line; what has no room goes on below, as far in (a long
 * way in at most).
 */
export function hung(first: string, text: string, room: number, most?: number): string[] {
  const beside = width(first);
  const indent = " ".repeat(Math.min(beside, DEEPEST));
  return wrap(text, Math.max(room - beside, 8), most).map((line, at) =>
    (at === 0 ? first + line : indent + line).trimEnd(),
  );
}

export const padEnd = (text: string, columns: number): string =>
  text + " ".repeat(Math.max(0, columns - width(text)));
export const padStart = (text: string, columns: number): string =>
  " ".repeat(Math.max(0, columns - width(text))) + text;

/**
 * What a terminal obeys, hides or turns round: controls, marks of direction, joiners, tags, and
 * what is no character yet.
 */
const RAW = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const escaped = (char: string): string =>
  char
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

/**
 * A value as JSON that reads the same to a program and cannot command the terminal it is shown in.
 */
export const json = (value: unknown, indent?: number): string =>
  JSON.stringify(value, undefined, indent).replace(RAW, escaped);

/** Rows in columns, the first to the left, the others to the right. */
export function table(rows: readonly (readonly string[])[], gap = 3): string[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, width(cell))));
  return rows.map((cells) => {
    const padded = cells.map((cell, column) =>
      (column === 0 ? padEnd : padStart)(cell, widths[column] ?? 0),
    );
    return `  ${padded.join(" ".repeat(gap))}`.trimEnd();
  });
}

/** Less than this is no column to read in. */
const LEAST_BESIDE = 20;

/** The meaning stands beside its term. */
export function columns(rows: readonly (readonly [string, string])[], room: number): string[] {
  const wide = Math.max(...rows.map(([left]) => width(left)));
  return rows.flatMap(([left, right]) => hung(`  ${padEnd(left, wide)}  `, right, room));
}

const COLOURS = ["bold", "dim", "red", "green", "yellow", "magenta", "cyan"] as const;
type Paint = Readonly<Record<(typeof COLOURS)[number], (text: string) => string>>;

/** Terminal colours, or the bare text. */
export function createPaint(on: boolean): Paint {
  const brush = (colour: (typeof COLOURS)[number]) => (text: string) =>
    on && text !== "" ? styleText(colour, text, { validateStream: false }) : text;
  return Object.fromEntries(COLOURS.map((colour) => [colour, brush(colour)])) as unknown as Paint;
}

export interface TextPage {
  readonly paint: Paint;
  readonly columns: number;
}

/** Something that is kept: what it is called by, its words, and what is to be known of it. */
interface LaidEntry {
  readonly name: string;
  readonly text: string;
  readonly about: string;
}

/** Text is not read well in longer lines. */
const WIDEST = 100;
export const readable = ({ columns }: Pick<TextPage, "columns">): number =>
  Math.min(WIDEST, columns);

/**
 * Entries one below the other: the words beside the name, three lines of them at most, and below
 * them the rest.
 */
export function listed(entries: readonly LaidEntry[], page: TextPage): string[] {
  const { paint } = page;
  const wide = Math.max(0, ...entries.map(({ name }) => width(name)));
  const room = Math.max(LEAST_BESIDE + wide + 3, readable(page));
  return entries.flatMap(({ name, text, about }) => [
    ...hung(`  ${paint.cyan(padEnd(name, wide))} `, plain(text), room, 3),
    ...hung(" ".repeat(wide + 3), plain(about), room).map(paint.dim),
  ]);
}

/** A heading with what it means behind it. */
export const titled = (title: string, note: string, { paint }: TextPage): string =>
  `${paint.bold(title)} ${paint.dim(note)}`;

export interface Io {
  /** A line, or several, on standard output. */
  readonly say: (line?: string) => void;
  /** Part of a line on standard output. */
  readonly write: (text: string) => void;
  /** A line on standard error. */
  readonly warn: (line: string) => void;
  readonly paint: Paint;
  /** Characters of a line: the terminal's, 80 where there is none. */
  readonly columns: number;
  /** A person looks at standard output. */
  readonly seen: boolean;
  readonly env: NodeJS.ProcessEnv;
  /** ms since epoch; the machine's where it is left out. */
  readonly now?: () => number;
}

/** No line is made for a narrower terminal. */
const NARROWEST = 80;

/**
 * Columns a line may take where a person looks; to a program each thing is one line, however long.
 */
export const roomOf = ({ seen, columns }: Pick<Io, "seen" | "columns">): number =>
  seen ? columns : Infinity;

export function terminal({
  stdout,
  stderr,
  env,
}: Pick<NodeJS.Process, "stdout" | "stderr" | "env">): Io {
  for (const stream of [stdout, stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      // The reader has seen enough: `tidemark replay … | head`.
      if (error.code === "EPIPE") process.exit(0);
      process.stderr.write(`tidemark: the output cannot be written (${error.message}).\n`);
      process.exit(1);
    });
  return {
    write: (text) => void stdout.write(text),
    say: (line = "") => void stdout.write(`${line}\n`),
    warn: (line) => void stderr.write(`${line}\n`),
    paint: createPaint(!env.NO_COLOR && stdout.isTTY && stdout.hasColors()),
    columns: stdout.isTTY ? Math.max(NARROWEST, stdout.columns) : 80,
    seen: stdout.isTTY,
    env,
  };
}

export const packageVersion = (): string =>
  (JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string }).version;
