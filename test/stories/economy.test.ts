import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { economyOf } from "../../bench/support/economy-run.ts";
import type { shortSessions } from "../../bench/support/economy-short.ts";
import { REPOSITORY } from "../support/packed.ts";

type Figures = Awaited<ReturnType<typeof economyOf>>;
interface Committed {
  readonly command: string;
  readonly figures: {
    readonly thousandTurns: {
      readonly lowest: number;
      readonly highest: number;
      readonly uncachedHighest: number;
    };
    readonly shortSessions: Readonly<
      Record<"half" | "chats" | "work", Awaited<ReturnType<typeof shortSessions>>>
    >;
    readonly losses: readonly Partial<Figures>[];
    readonly rows: readonly (Figures & { style: string; asked: number; cacheLifetime: string })[];
  };
}

/** Dollars are rounded, each to a thousandth. */
const ROUNDED = 0.0015;

describe("bench/results/economy.json", () => {
  const { command, figures } = JSON.parse(
    readFileSync(join(REPOSITORY, "bench/results/economy.json"), "utf8"),
  ) as Committed;
  const { rows, losses, thousandTurns } = figures;

  it("names the command that made it, which is there, and its sums are those of its rows", () => {
    expect(command).toBe("npm run bench -- economy");
    expect(readFileSync(join(REPOSITORY, "bench/economy.ts"), "utf8")).toContain(command);
    expect(rows.length).toBeGreaterThanOrEqual(14);
    const whole = rows.filter(({ asked }) => asked === 1_000);
    expect(thousandTurns.lowest).toBe(
      Math.min(...whole.map(({ ofFullHistoryCached }) => ofFullHistoryCached)),
    );
    expect(thousandTurns.highest).toBe(
      Math.max(...whole.map(({ ofFullHistoryCached }) => ofFullHistoryCached)),
    );
    expect(losses.map(({ turns, ofFullHistoryCached }) => [turns, ofFullHistoryCached])).toEqual(
      rows
        .filter(({ ofFullHistoryCached }) => ofFullHistoryCached > 1)
        .map((row) => [row.turns, row.ofFullHistoryCached]),
    );
    const { half, ...alone } = figures.shortSessions;
    expect(half.sessions).toBe(50);
    for (const { share, dollars } of [half, ...Object.values(alone)]) {
      expect(share).toBeLessThanOrEqual(0.15);
      expect(Math.abs(dollars.ours - share * dollars.host)).toBeLessThan(2 * ROUNDED);
    }
    for (const { dollars, saved } of rows)
      expect(Math.abs(dollars.fullHistoryCached - dollars.tidemark - saved)).toBeLessThan(ROUNDED);
  });
});
