import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { REPOSITORY } from "../support/packed.ts";

interface Committed {
  readonly command: string;
  readonly figures: {
    readonly shortSessions: Readonly<Record<"half" | "chats" | "work", { share: number }>>;
    readonly rows: readonly object[];
  };
}

it("bench/results/economy.json names the command that made it, and short sessions stay cheap", () => {
  const { command, figures } = JSON.parse(
    readFileSync(join(REPOSITORY, "bench/results/economy.json"), "utf8"),
  ) as Committed;
  expect(command).toBe("npm run bench -- economy");
  expect(figures.rows.length).toBeGreaterThanOrEqual(14);
  for (const { share } of Object.values(figures.shortSessions))
    expect(share).toBeLessThanOrEqual(0.15);
});
