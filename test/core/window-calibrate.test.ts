import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionState } from "../../src/core/history.ts";
import { learn, ratioOf, tokensOf } from "../../src/session/options/save-and-fold-marks.ts";

const model = "claude-sonnet-5-5";
/** A provider that counts `ratio` tokens to each estimated one, and `own` of its own. */
function play(
  sizes: readonly number[],
  provider: { ratio: number; own: number },
): { state: SessionState; misses: number[] } {
  let state: SessionState = {};
  const misses: number[] = [];
  for (const estimated of sizes) {
    const reported = Math.round(estimated * provider.ratio + provider.own);
    misses.push(Math.abs(tokensOf(state, model, estimated) - reported) / reported);
    state = { ...state, ...learn(state, { model, reported, estimated }) };
  }
  return { state, misses };
}
const growing = Array.from({ length: 12 }, (_, index) => 600 + index * 900);

describe("calibration by what the provider reports", () => {
  it("does not take the provider's own tokens for the tokenizer's", () => {
    expect(ratioOf(play(growing, { ratio: 1.1, own: 500 }).state, model)).toBeCloseTo(1.1, 1);
  });

  it("keeps what it learnt of one model from another", () => {
    const { state } = play(growing, { ratio: 2, own: 0 });
    expect(ratioOf(state, "gpt-4.1")).toBe(1);
    expect(tokensOf(state, "gpt-4.1", 1_000)).toBe(1_000);
  });

  it("learns nothing from a report of nothing", () => {
    expect(learn({}, { model, reported: 0, estimated: 100 })).toEqual({});
  });

  it("stays within bounds whatever is reported", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ reported: fc.nat(3_000_000), estimated: fc.nat(300_000) }), {
          maxLength: 20,
        }),
        (reports) => {
          let state: SessionState = {};
          for (const report of reports) state = { ...state, ...learn(state, { model, ...report }) };
          expect(ratioOf(state, model)).toBeGreaterThanOrEqual(0.5);
          expect(ratioOf(state, model)).toBeLessThanOrEqual(4);
          expect(Number.isFinite(tokensOf(state, model, 1_000))).toBe(true);
        },
      ),
    );
  });
});
