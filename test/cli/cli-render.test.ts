import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chart, type Sample } from "../../src/cli/verbs/replay.ts";
import {
  ago,
  bytes,
  count,
  money,
  parseTokens,
  percent,
  tokens,
} from "../../src/cli/render/numbers.ts";
import { table, fit, plain, tame, width } from "../../src/cli/render/layout.ts";

const at = (level: number, more: Partial<Sample> = {}): Sample => ({
  ...{ level, flushed: false, folded: undefined },
  ...more,
});
const folded = { messages: 1, before: 1, after: 1 };
const shown = (samples: readonly Sample[]): string[] =>
  chart(samples).map((line) => stripVTControlCharacters(line));

describe("the water level", () => {
  it("stands as high as the request, with the events above", () => {
    const levels = [0.02, 0.3, 0.5, 0.65, 0.4, 1.3].map((level) => at(level));
    levels.splice(3, 2, at(0.65, { flushed: true }), at(0.4, { folded }));
    expect(shown(levels)).toEqual(["          F▼", "       ▁▂▄▅▃█"]);
  });

  it("shows a fold and a flush of every stretch when there are more requests than columns", () => {
    const samples = Array.from({ length: 500 }, (_, index) =>
      at(0.3, { folded: index === 250 ? folded : undefined, flushed: index === 400 }),
    );
    const [events = "", bars = ""] = shown(samples);
    expect([...events].filter((sign) => sign === "▼")).toHaveLength(1);
    expect([...events].filter((sign) => sign === "F")).toHaveLength(1);
    expect(width(bars)).toBeLessThanOrEqual(80);
  });
});

describe("numbers", () => {
  it("are short and keep what matters", () => {
    expect(
      [0, 999, 1_000, 1_234, 16_000, 99_960, 170_914, 999_600, 15_449_814].map(tokens),
    ).toEqual(["0", "999", "1k", "1.2k", "16k", "100k", "171k", "1M", "15.4M"]);
    expect([0, 0.00012, 0.0034, 0.063, 0.91, 0.999, 12.5].map(money)).toEqual([
      "$0",
      "$0.00012",
      "$0.0034",
      "$0.063",
      "$0.91",
      "$1.00",
      "$12.50",
    ]);
    expect([0, 12, 12_600, 3_400_000, 84_200_000_000].map(bytes)).toEqual([
      "0 B",
      "12 B",
      "12.6 kB",
      "3.4 MB",
      "84.2 GB",
    ]);
    expect([
      count(0, "fold"),
      count(1, "fold"),
      count(2, "memory", "memories"),
      percent(0.314),
    ]).toEqual(["no folds", "1 fold", "2 memories", "31 %"]);
  });

  it("are read with k and m, and not otherwise", () => {
    expect(["16k", "200K", "1m", "1.5m", "8000"].map(parseTokens)).toEqual([
      16_000, 200_000, 1_000_000, 1_500_000, 8_000,
    ]);
    expect(["", "k", "-5", "16kb", "1e5", "ten"].map(parseTokens)).toEqual(
      Array.from({ length: 6 }),
    );
  });

  it("tell an age as one would say it", () => {
    const ages = [
      5_000,
      60_000,
      7_200_000,
      3 * 86_400_000,
      70 * 86_400_000,
      800 * 86_400_000,
      -60_000,
    ].map((passed) => ago(Date.now() - passed));
    expect(ages).toEqual([
      "just now",
      "1 minute ago",
      "2 hours ago",
      "3 days ago",
      "2 months ago",
      "2 years ago",
      "just now",
    ]);
  });
});

describe("text in a terminal", () => {
  it("is cut to no more than its columns, wide characters counted twice", () => {
    expect(fit("one two three four five", 9)).toBe("one two…");
    expect(fit("one two-three-four", 9)).toBe("one two-…");
    expect(fit("港口的名字很长需要换行", 9)).toBe("港口的名…");
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 200 }),
        fc.integer({ min: 3, max: 60 }),
        (text, columns) => width(fit(plain(text), columns)) <= columns,
      ),
    );
  });

  it("takes commands to the terminal out of somebody else's words", () => {
    expect(plain("safe \u001b[31mred\u001b[0m \u001b]0;title\u0007\nnext")).toBe("safe red next");
    expect(tame("a\u001b[2Jb\r\n\tc\u009bd")).toBe("a[2Jb\n\tcd");
  });

  it("stands in columns, numbers to the right", () => {
    expect(
      table([
        ["", "with", "without"],
        ["tokens read", "855k", "15.4M"],
      ]),
    ).toEqual(["                with   without", "  tokens read   855k     15.4M"]);
  });
});
