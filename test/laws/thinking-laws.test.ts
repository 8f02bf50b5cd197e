import { describe, expect, it } from "vitest";
import { realHistories } from "../support/histories.ts";
import { judgeOf, toolsOf } from "../support/replay-judge.ts";
import { casesOf, strategyRun } from "../support/replay-strategies.ts";
import { NARROW, type Wide } from "../support/replay-turns.ts";
import { runs } from "../support/runs.ts";

const CONVERSATIONS = runs(11);
const BRIM = 0.9;

describe("a conversation with bound thinking, streamed and not", () => {
  it("nothing is refused, and manual thinking is folded in a loop only at the brim", async () => {
    const whole = { folds: 0, thoughts: 0 };
    for (let at = 0; at < CONVERSATIONS; at++) {
      // Spread over all cases, not the first ones.
      const options = casesOf(7_919 * at + 13);
      const { broken, folds, inLoop, counted } = await strategyRun(options);
      expect({ options, broken }).toEqual({ options, broken: [] });
      expect(inLoop.filter((level) => level < BRIM)).toEqual([]);
      whole.folds += folds;
      whole.thoughts += counted.thoughts;
    }
    expect(whole.folds).toBeGreaterThan(CONVERSATIONS / 2);
    expect(whole.thoughts).toBeGreaterThan(3 * CONVERSATIONS);
  });

  it("holds every kind of message and turn of events in a share of the cases", () => {
    const cases = Array.from({ length: 400 }, (_, at) => casesOf(at + 1).wide ?? NARROW);
    const share = (kind: keyof Wide): number =>
      cases.filter((wide) => wide[kind]).length / cases.length;
    for (const kind of Object.keys(NARROW) as (keyof Wide)[])
      expect([kind, share(kind) > (kind === "restarts" ? 0.03 : 0.1)]).toEqual([kind, true]);
    expect(
      cases.filter((wide) => Object.values(wide).every((is) => !is)).length / cases.length,
    ).toBeGreaterThan(0.15);
  });

  const small = realHistories().filter(
    ({ format, messages }) => format === "anthropic" && JSON.stringify(messages).length < 50_000,
  );
  it.skipIf(small.length === 0)("real conversations, with thoughts put in: the same", async () => {
    let folds = 0;
    for (const [index, { name, system, messages }] of small.entries()) {
      const transcript = {
        system,
        messages: judgeOf("anthropic", { window: 8_000 }).mended(messages),
        tools: toolsOf("anthropic", messages) ?? [],
      };
      const run = await strategyRun({
        seed: 1,
        thinking: "adaptive",
        streams: index % 2 === 0,
        window: 12_000,
        transcript,
      });
      expect([name, run.broken]).toEqual([name, []]);
      folds += run.folds;
    }
    expect(folds).toBeGreaterThan(0);
  });
});
