import { type Secret } from "./span.ts";

/** Has a bit of what rules look for, and is no secret. */
const SAMPLE =
  "Her first words at https://user:none@example.org/path?a=b were key=abcdefghijklmnopqrstuvwx, token: 0123456789 and -----BEGIN";

/** Others have their turn. */
export const breath = (): Promise<void> => new Promise((go) => setImmediate(go));

/**
 * Lets each rule read a text, with a breath after it. An expression is compiled when it first reads, and again when it reads on: all of
 * them at once, with the first text, would hold up everything else for tens of ms.
 */
export async function readOnce(
  rules: readonly ((text: string) => readonly Secret[])[],
): Promise<void> {
  for (const rule of rules) {
    for (let time = 0; time < 2; time += 1) {
      await breath();
      rule(SAMPLE);
    }
  }
}
