import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionState } from "../../src/core/history.ts";
import { doubtOf, judge, learn, tokensOf } from "../../src/session/options/save-and-fold-marks.ts";

const model = "some-model";

interface Called {
  readonly truth: number;
  readonly before: number;
  readonly at: number;
}
/** What is reported of a call, and how much of it as cached. */
type Reports = (called: Called) => { reported: number; cached?: number };

/** Plays a session that grows; answers how far off the size was believed to be, at worst and last. */
function play(sizes: readonly number[], reports: Reports, tokenizer = 1) {
  let state: SessionState = {};
  const off: number[] = [];
  const said: string[] = [];
  sizes.forEach((estimated, at) => {
    const [truth, before] = [estimated, sizes[at - 1] ?? 0].map((size) => size * tokenizer);
    off.push(tokensOf(state, model, estimated) / truth!);
    const { reported, cached = 0 } = reports({ truth: truth!, before: before!, at });
    const seen = { model, reported, estimated, messages: 2 * at + 1 };
    const judged = judge(state, { ...seen, cached, added: true });
    said.push(judged);
    if (judged === "believed") state = { ...state, ...learn(state, seen), doubt: undefined };
    else if (judged === "agreed")
      state = { calibration: {}, ...learn({ anchor: state.doubt }, seen) };
    else state = { ...state, doubt: doubtOf(state, seen) };
  });
  return { off, said };
}
const sizesFrom = (least: number) =>
  fc
    .tuple(
      fc.integer({ min: least, max: 8_000 }),
      fc.array(fc.integer({ min: 30, max: 900 }), { minLength: 30, maxLength: 60 }),
    )
    .map(([first, steps]) =>
      steps.reduce((all, step) => [...all, (all.at(-1) ?? 0) + step], [first]),
    );
const sizes = sizesFrom(300);
const last = <T>(all: readonly T[]): T => all.at(-1)!;

describe("a usage that cannot be true is not believed", () => {
  it("a gateway's factor of three", () => {
    fc.assert(
      fc.property(sizes, (all) => {
        const { off, said } = play(all, ({ truth }) => ({ reported: 3 * truth }));
        expect(last(off)).toBeLessThan(1.25 + 1_200 / last(all));
        expect(last(said)).toBe("doubted");
      }),
    );
  });

  it("the cached tokens counted twice", () => {
    fc.assert(
      fc.property(sizes, (all) => {
        const { off } = play(all, ({ truth, before }) => ({
          reported: truth + before,
          cached: before,
        }));
        expect(last(off)).toBeLessThan(1.4);
      }),
    );
  });

  it("the sum of a run's calls, now and then", () => {
    fc.assert(
      fc.property(
        sizesFrom(2_000),
        fc.infiniteStream(fc.constantFrom(1, 1, 2, 3, 6)),
        (all, calls) => {
          const { off, said } = play(all, ({ truth, at }) => ({
            reported: truth * (at === 0 ? 1 : (calls.next().value as number)),
          }));
          expect(Math.max(...off.slice(off.length >> 1))).toBeLessThan(1.6);
          expect(said).not.toContain("cut");
        },
      ),
    );
  });

  it("a report of some other, smaller call", () => {
    fc.assert(
      fc.property(sizes, fc.infiniteStream(fc.integer({ min: 1, max: 100 })), (all, other) => {
        const { off, said } = play(all, ({ truth, at }) => ({
          reported: at % 3 === 2 ? (other.next().value as number) : truth,
        }));
        expect(Math.min(...off)).toBeGreaterThan(0.7);
        expect(said).not.toContain("cut");
      }),
    );
  });
});

describe("a usage that can be true is believed", () => {
  it.each([0.75, 1, 1.3, 1.8])("of a tokenizer of %d to one of ours", (tokenizer) => {
    fc.assert(
      fc.property(sizes, fc.boolean(), (all, caches) => {
        const { off, said } = play(
          all,
          ({ truth, before }) => ({
            reported: Math.round(truth),
            cached: caches ? Math.floor(before) : 0,
          }),
          tokenizer,
        );
        expect(Math.abs(last(off) - 1)).toBeLessThan(0.1);
        expect(said).not.toContain("cut");
      }),
    );
  });

  it("of a provider that adds much of its own, from the second or third report on", () => {
    fc.assert(
      fc.property(sizes, (all) => {
        const { said } = play(all, ({ truth }) => ({ reported: truth + 3_000 }));
        expect(last(said)).toBe("believed");
      }),
    );
  });
});

describe("a server that cuts", () => {
  it("is seen by what it reads, however short the messages are", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10, max: 60 }),
        fc.integer({ min: 1_500, max: 4_000 }),
        (step, window) => {
          const all = Array.from({ length: 400 }, (_, at) => 500 + at * step);
          const { said } = play(all, ({ truth }) => ({ reported: Math.min(truth, window) }));
          const full = all.findIndex((size) => size > window);
          if (full < 0 || full > 380) return;
          expect(said.indexOf("cut")).toBeGreaterThanOrEqual(full);
          expect(said.indexOf("cut") - full).toBeLessThanOrEqual(Math.ceil(200 / step) + 2);
        },
      ),
    );
  });
});
