import { diceOf, TOKENS } from "./fuzz-dice.ts";
import type { Target } from "./fuzz.ts";

export interface Crash {
  readonly target: string;
  readonly seed: number;
  readonly error: string;
}

const BY_FIVE = 5;

/** Cases of all targets by their weight; a case is known by its target and seed. Stops early at `until`, by performance.now(). */
export async function fuzz(
  targets: readonly Target[],
  { cases, from = 1, until = Infinity }: { cases: number; from?: number; until?: number },
): Promise<{ ran: Record<string, number>; crashes: Crash[] }> {
  const total = targets.reduce((sum, { weight }) => sum + weight, 0);
  const ran: Record<string, number> = {};
  const crashes: Crash[] = [];
  for (const { name, weight, run } of targets) {
    const share = Math.round((cases * weight) / total);
    let done = 0;
    for (; done < share; done += 1) {
      if (done % 100 === 0 && performance.now() > until) break;
      try {
        await run(diceOf(from + done));
      } catch (thrown) {
        crashes.push({
          target: name,
          seed: from + done,
          error: String(thrown instanceof Error ? thrown.message : thrown).slice(0, 600),
        });
        if (crashes.filter(({ target }) => target === name).length >= BY_FIVE) break;
      }
    }
    ran[name] = done;
  }
  return { ran, crashes };
}

/** A megabyte of each token, through every target that takes a text: what is slower than linear shows. */
export function megabytes(
  targets: readonly Target[],
  length = 1_000_000,
  tokens: readonly string[] = TOKENS,
): { ran: number; slowest: { target: string; token: string; ms: number }; crashes: Crash[] } {
  const crashes: Crash[] = [];
  let [ran, slowest] = [0, { target: "", token: "", ms: 0 }];
  for (const { name, text } of targets)
    if (text !== undefined)
      for (const [at, token] of tokens.entries()) {
        const before = performance.now();
        try {
          text(token.repeat(Math.ceil(length / token.length)));
        } catch (thrown) {
          crashes.push({
            target: `${name}, a megabyte`,
            seed: at,
            error: `${JSON.stringify(token)}: ${String(thrown).slice(0, 300)}`,
          });
        }
        const ms = Math.round(performance.now() - before);
        ran += 1;
        if (ms > slowest.ms) slowest = { target: name, token, ms };
      }
  return { ran, slowest, crashes };
}
