import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

interface Figures {
  readonly kinds: number;
  readonly places?: number;
  readonly tried: number;
  readonly recall: number;
  readonly lookAlikes: number;
  readonly falseAlarmShare: number;
}
const RESULTS = join(import.meta.dirname, "../../bench/results/secrets.json");

it("the committed figures are of 300 secrets of 25 kinds and more, half of them in a scanner's own fixtures, and of 2,000 look-alikes", () => {
  const { figures } = JSON.parse(readFileSync(RESULTS, "utf8")) as {
    figures: { fixtures: Figures; madeUp: Figures };
  };
  const { fixtures, madeUp } = figures;
  expect(fixtures.places).toBeGreaterThanOrEqual(150);
  expect(fixtures.tried).toBe(2 * (fixtures.places ?? 0));
  expect(madeUp.tried).toBeGreaterThanOrEqual(150);
  for (const { kinds, recall, falseAlarmShare } of [fixtures, madeUp]) {
    expect(kinds).toBeGreaterThanOrEqual(25);
    expect(recall).toBeGreaterThanOrEqual(0.98);
    expect(falseAlarmShare).toBeLessThanOrEqual(0.01);
  }
  expect(madeUp.lookAlikes).toBeGreaterThanOrEqual(2_000);
});
