import { type Paint } from "./paint.ts";
import { width, wrap } from "./text.ts";

/** A heading with what it means behind it, or below it where there is no room. */
export function titled(
  title: string,
  note: string,
  { paint, columns }: { paint: Paint; columns: number },
): string[] {
  if (width(`${title} ${note}`) <= columns) return [`${paint.bold(title)} ${paint.dim(note)}`];
  return [paint.bold(title), ...wrap(note, columns - 2).map((line) => `  ${paint.dim(line)}`)];
}
