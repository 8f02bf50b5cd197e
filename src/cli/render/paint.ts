import { width, wrap } from "./text.ts";

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

type Colour = keyof typeof CODES;
export type Paint = Readonly<Record<Colour, (text: string) => string>>;

/** Terminal colours, or the bare text. */
export function createPaint(on: boolean): Paint {
  const stroke =
    ([open, close]: readonly [number, number]) =>
    (text: string) =>
      on && text !== "" ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return Object.fromEntries(
    Object.entries(CODES).map(([name, code]) => [name, stroke(code)]),
  ) as Record<Colour, (text: string) => string>;
}

/** A heading with what it means behind it, or below it where there is no room. */
export function titled(
  title: string,
  note: string,
  { paint, columns }: { paint: Paint; columns: number },
): string[] {
  if (width(`${title} ${note}`) <= columns) return [`${paint.bold(title)} ${paint.dim(note)}`];
  return [paint.bold(title), ...wrap(note, columns - 2).map((line) => `  ${paint.dim(line)}`)];
}
