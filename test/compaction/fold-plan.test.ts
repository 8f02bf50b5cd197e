import { describe, expect, it } from "vitest";
import type { Bounds } from "../../src/core/history.ts";
import { type FoldQuestion, planFold } from "../../src/compaction/plan-at-brim.ts";
import { whyUnworthy } from "../../src/session/options/save-and-fold-marks.ts";

/** Twenty messages of 40 tokens and a head of 60: 860 of 1,000 tokens. All may begin a tail, unless said otherwise. */
const question = (change: Partial<FoldQuestion> = {}): FoldQuestion => {
  const sizes = change.sizes ?? Array.from({ length: 20 }, () => 40);
  const fixed = change.fixed ?? 60;
  return {
    sizes,
    fixed,
    opens: () => true,
    keepLast: 4,
    least: () => sizes.length - 1,
    summary: () => 50,
    limit: 1_000,
    used: fixed + sizes.reduce((sum, size) => sum + size, 0),
    folded: -1,
    brim: 0.9,
    shortened: (index) => sizes[index] ?? 0,
    ...change,
  };
};

/** Messages of four characters a token that can be cut to any length. */
const cuttable =
  (parts: readonly (keyof Bounds)[]) =>
  (sizes: readonly number[]) =>
  (index: number, bound: Bounds): number => {
    const bounds = parts.flatMap((part) => (bound[part] === undefined ? [] : [bound[part] / 4]));
    return Math.min(sizes[index] ?? 0, ...bounds.map((most) => most + 10));
  };

describe("a fold below the brim", () => {
  const why = (change: { landing: number; used?: number; landed?: number }, asked = false) =>
    whyUnworthy({ used: 860, limit: 1_000, landed: undefined, ...change }, asked);

  it("lands at half of the limit, or anywhere under 0.65 if it frees a tenth", () => {
    expect(why({ landing: 270 })).toBeUndefined();
    expect(why({ used: 780, landing: 630 })).toBeUndefined();
  });

  it("is refused, with its figures, when it would land too high or free too little", () => {
    expect(why({ used: 820, landing: 670 })).toBe(
      "a fold would land at 67 % and free 15 % of the limit",
    );
    expect(why({ used: 700, landing: 630 })).toBe(
      "a fold would land at 63 % and free 7 % of the limit",
    );
  });

  it("does not follow another before the request has grown by a twentieth of the limit", () => {
    expect(why({ landing: 270, landed: 820 })).toBe(
      "the last fold landed at 82 % and the request has hardly grown since",
    );
    expect(why({ landing: 270, landed: 800 })).toBeUndefined();
  });

  it("is made for a person who asks wherever it frees a tenth of the request", () => {
    expect(why({ landing: 770, landed: 850 }, true)).toBeUndefined();
    expect(why({ landing: 800 }, true)).toBe("a fold would land at 80 % and free 6 % of the limit");
  });
});

describe("at the brim", () => {
  const sizes = [100, 100, 100, 300, 40, 300, 40];
  const brim = (change: Partial<FoldQuestion> = {}): FoldQuestion =>
    question({
      sizes,
      fixed: 20,
      limit: 1_000,
      shortened: cuttable(["results"])(sizes),
      ...change,
    });

  it("follows another without growth only when the request does not fit at all", () => {
    expect(planFold(brim({ used: 990, landed: 960 }))).toMatchObject({ kind: "refuse" });
    expect(planFold(brim({ landed: 980, limit: 800 }))).toMatchObject({ kind: "fold" });
  });

  it("keeps fewer than asked for when nothing can be shortened", () => {
    expect(planFold(brim({ shortened: (index) => sizes[index] ?? 0 }))).toEqual({
      kind: "fold",
      cut: 4,
      landing: 20 + 50 + 380,
      shorten: new Map(),
    });
  });

  it("leaves out pictures last of all", () => {
    const withPicture = [100, 10, 10, 900];
    const plan = planFold(
      brim({
        sizes: withPicture,
        keepLast: 1,
        least: () => 3,
        shortened: (index, { media }) => (media === 0 ? 30 : (withPicture[index] ?? 0)),
      }),
    );
    expect(plan.kind === "fold" && [...plan.shorten]).toEqual([[3, { media: 0 }]]);
  });

  it("is refused when nothing would make the request smaller", () => {
    expect(
      planFold(brim({ sizes: [950], keepLast: 1, least: () => 0, shortened: () => 950 })),
    ).toEqual({
      kind: "refuse",
      reason: "nothing that may be folded or shortened would bring the request under 97 %",
    });
  });
});
