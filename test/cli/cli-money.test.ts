import { describe, expect, it } from "vitest";
import { capabilitiesOf, costOf } from "../../src/providers/common/models.ts";

describe("what a request costs", () => {
  const price = { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 4 };

  it("is the input at its price, cached reads at a tenth, writes at five quarters or twice for an hour, and the reply", () => {
    expect(costOf({ input: 1_000_000, cacheWrite: 0, cacheRead: 0, output: 0 }, price)).toBe(2);
    expect(costOf({ input: 0, cacheWrite: 1_000_000, cacheRead: 0, output: 0 }, price)).toBe(2.5);
    expect(costOf({ input: 0, cacheWrite: 0, cacheRead: 1_000_000, output: 0 }, price)).toBeCloseTo(
      0.2,
      10,
    );
    expect(costOf({ input: 0, cacheWrite: 0, cacheRead: 0, output: 1_000_000 }, price)).toBe(10);
    expect(
      costOf(
        { input: 0, cacheWrite: 1_000_000, cacheRead: 0, output: 0, cacheWrite1h: 1_000_000 },
        price,
      ),
    ).toBe(4);
  });

  it("rises for the whole request where long prompts cost more", () => {
    const haiku = capabilitiesOf("claude-haiku-5-5").prices;
    const usage = { input: 100_000, cacheWrite: 0, cacheRead: 0, output: 0 };
    expect(haiku && costOf(usage, haiku)).toBeCloseTo(0.01, 10);
    expect(haiku && costOf({ ...usage, input: 100_001 }, haiku)).toBeCloseTo(0.05, 4);
  });
});
