import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { peersChart } from "../../bench/support/peers-bars.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

it("the chart of peers is of the figures committed (npm run bench -- peers chart)", () => {
  const { figures } = JSON.parse(read("bench/results/peers.json")) as {
    figures: Parameters<typeof peersChart>[0];
  };
  expect(read("docs/peers.svg")).toBe(peersChart(figures));
});
