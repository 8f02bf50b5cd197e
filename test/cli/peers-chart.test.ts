import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { peersChart } from "../../bench/support/peers-bars.ts";

const results = (name: string): string =>
  readFileSync(
    fileURLToPath(
      new URL(
        name.endsWith(".svg") ? `../../docs/${name}` : `../../bench/results/${name}`,
        import.meta.url,
      ),
    ),
    "utf8",
  );
const { figures } = JSON.parse(results("peers.json")) as { figures: Record<string, never> };

describe("the chart of the bench of peers", () => {
  it("is drawn of the figures that are committed (npm run bench -- peers chart)", () => {
    expect(results("peers.svg")).toBe(peersChart(figures));
  });
});
