import { stripVTControlCharacters, styleText } from "node:util";
import { oneLine } from "../../core/text/cut.ts";

/** Takes two columns of a terminal: Han, kana, Hangul, their punctuation, emoji. */
const WIDE = new RegExp(
  "[\\u1100-\\u115f\\u2e80-\\u303e\\u3041-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff" +
    "\\ufe30-\\ufe4f\\uff00-\\uff60\\uffe0-\\uffe6\\u{20000}-\\u{3fffd}]" +
    "|\\p{Emoji_Presentation}",
  "u",
);
const NONE = /\p{Mn}|[\u001b\u200d\ufe00-\ufe0f]/u;
/** A character, or a colour's beginning or end. */
const SIGNS = /\u001b\[\d+m|./gsu;

const widthOf = (sign: string): number => {
  if (NONE.test(sign)) return 0;
  return WIDE.test(sign) ? 2 : 1;
};

/** Columns a text takes, colours aside. */
export const width = (text: string): number =>
  (text.match(SIGNS) ?? []).reduce((columns, sign) => columns + widthOf(sign), 0);

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

/** At most so many columns, ending in "…" when something is gone. */
export function fit(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  let [kept, used] = ["", 0];
  for (const sign of text.match(SIGNS) ?? []) {
    used += widthOf(sign);
    if (used >= columns) break;
    kept += sign;
  }
  return `${kept.trimEnd()}…`;
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
  char.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/**
 * A value as JSON that reads the same to a program and cannot command the terminal it is shown in.
 */
export const json = (value: unknown, indent?: number): string =>
  JSON.stringify(value, undefined, indent).replace(RAW, escaped);

const widest = (cells: readonly (string | undefined)[]): number =>
  Math.max(0, ...cells.map((cell) => width(cell ?? "")));

/** Rows in columns, the first to the left, the others to the right. */
export function table(rows: readonly (readonly string[])[], gap = 3): string[] {
  const most = Math.max(0, ...rows.map(({ length }) => length));
  const widths = Array.from({ length: most }, (_, at) => widest(rows.map((row) => row[at])));
  return rows.map((cells) => {
    const padded = cells.map((cell, at) => (at === 0 ? padEnd : padStart)(cell, widths[at] ?? 0));
    return `  ${padded.join(" ".repeat(gap))}`.trimEnd();
  });
}

/** The meaning stands beside its term. */
export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const wide = widest(rows.map(([left]) => left));
  return rows.map(([left, right]) => `  ${padEnd(left, wide)}  ${right}`);
}

const brush = (colour: Parameters<typeof styleText>[0]) => (text: string) =>
  text && styleText(colour, text, { validateStream: false });

/** Colours, which `say` leaves out where they cannot be seen. */
export const paint = {
  bold: brush("bold"),
  dim: brush("dim"),
  red: brush("red"),
  green: brush("green"),
  yellow: brush("yellow"),
  magenta: brush("magenta"),
  cyan: brush("cyan"),
};

/** Something that is kept: what it is called by, its words, and what is to be known of it. */
interface LaidEntry {
  readonly name: string;
  readonly text: string;
  readonly about: string;
}

/** Columns of a text in a list: some three lines. */
const LISTED = 220;

/** Entries one below the other: the words beside the name, and below them the rest. */
export function listed(entries: readonly LaidEntry[]): string[] {
  const wide = widest(entries.map(({ name }) => name));
  return entries.flatMap(({ name, text, about }) => [
    `  ${paint.cyan(padEnd(name, wide))} ${fit(plain(text), LISTED)}`,
    `${" ".repeat(wide + 3)}${paint.dim(plain(about))}`,
  ]);
}

/** A heading with what it means behind it. */
export const titled = (title: string, note = ""): string =>
  `${paint.bold(title)} ${paint.dim(note)}`.trimEnd();

export interface Io {
  /** A line, or several, on standard output, as a person reads it. */
  readonly say: (line?: string) => void;
  /** Text on standard output as it is. */
  readonly write: (text: string) => void;
  /** A line on standard error. */
  readonly warn: (line: string) => void;
  readonly env: NodeJS.ProcessEnv;
  /** ms since epoch; the machine's where it is left out. */
  readonly now?: () => number;
}

export const sayer =
  (write: Io["write"], coloured = false): Io["say"] =>
  (line = "") =>
    write(`${coloured ? line : stripVTControlCharacters(line)}\n`);

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
  const write = (text: string): void => void stdout.write(text);
  return {
    write,
    say: sayer(write, stdout.isTTY && stdout.hasColors() && !env.NO_COLOR),
    warn: sayer((text) => void stderr.write(text)),
    env,
  };
}
