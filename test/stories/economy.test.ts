import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { economyOf, paced } from "../../bench/support/economy-run.ts";
import type { shortSessions } from "../../bench/support/economy-short.ts";
import { conversationOf } from "../../bench/support/peers-play.ts";
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

/** How far the books' saving is from the one that was really made. */
const errorOf = ({
  saved,
  savedByItsOwnLedger,
}: Pick<Figures, "saved" | "savedByItsOwnLedger">): number => Math.abs(saved - savedByItsOwnLedger);

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

  it("bears out what the books say of their own error, in each row", () => {
    for (const row of rows) {
      expect(errorOf(row), JSON.stringify(row)).toBeLessThanOrEqual(row.giveOrTake + ROUNDED);
      expect(errorOf(row) - ROUNDED, JSON.stringify(row)).toBeLessThanOrEqual(
        0.008 * row.dollars.fullHistoryCached,
      );
      // No loss is called a saving, but within that error.
      if (row.savedByItsOwnLedger > row.giveOrTake + ROUNDED) expect(row.saved).toBeGreaterThan(0);
    }
  });
});

it.each(["5m", "1h"] as const)(
  "the books' saving is the real one within the error they state, folds and pauses of a conversation counted: %s",
  async (ttl) => {
    const whole = conversationOf("agent", 2, 130);
    let calls = 0;
    const exchanges = whole.exchanges.slice(
      0,
      whole.exchanges.findIndex(({ steps }) => (calls += steps.length) >= 130) + 1,
    );
    const figures = await economyOf(paced({ ...whole, exchanges }, "mixed"), {
      window: 16_000,
      ttl,
    });
    expect(figures.folds).toBeGreaterThan(2);
    expect(figures.giveOrTake).toBeLessThanOrEqual(
      0.01 * figures.dollars.fullHistoryCached + 0.001,
    );
    expect(errorOf(figures)).toBeLessThanOrEqual(figures.giveOrTake + ROUNDED);
  },
);
