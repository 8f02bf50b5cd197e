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
const { figures } = JSON.parse(results("peers.json")) as {
  figures: Record<
    string,
    {
      conversations: Record<string, { turns: number; refused?: string }>;
      canaries: { refusedBefore: number };
    }
  >;
};
const withoutTags = (svg: string): string =>
  svg
    .replace(/<style>[^]*<\/style>/, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/&#39;/g, "'")
    .replace(/\s+/g, " ");

const figure = (more: Record<string, unknown> = {}, canaries: Record<string, unknown> = {}) => ({
  ...{
    cost: 0.5,
    addedWaitMs: { max: 7_100 },
    conversations: { chat: { turns: 10 }, agent: { turns: 10 } },
    ...more,
  },
  canaries: { answerable: 0.25, inRequest: 0.25, folds: [10, 10], refusedBefore: 0, ...canaries },
});
const drawn = (one: unknown): string => withoutTags(peersChart({ Other: one }));

describe("the chart of the bench of peers", () => {
  it("is drawn of the figures that are committed (npm run bench -- peers chart)", () => {
    expect(results("peers.svg")).toBe(peersChart(figures));
  });

  it("says of every way that was refused in how many conversations, and at which turns", () => {
    const text = withoutTags(results("peers.svg"));
    const refused = Object.entries(figures)
      .filter(([name]) => !/Mastra|middleware\)/.test(name))
      .map(([, { conversations }]) =>
        Object.values(conversations).flatMap(({ turns, refused: said }) =>
          said === undefined ? [] : [turns + 1],
        ),
      );
    expect(refused.filter((turns) => turns.length > 0).length).toBeGreaterThan(0);
    for (const turns of refused)
      for (const turn of turns) expect(text).toMatch(new RegExp(`refused in [^.;]*\\b${turn}\\b`));
    const chat = (turns: number, said?: string) => ({
      turns,
      ...(said === undefined ? {} : { refused: said }),
    });
    expect(
      drawn(
        figure({ conversations: { chat: chat(134, "too long"), agent: chat(50, "too long") } }),
      ),
    ).toContain("refused in all 2, at turns 51, 135");
    expect(
      drawn(figure({ conversations: { chat: chat(134, "too long"), agent: chat(1_000) } })),
    ).toContain("refused in 1 of 2, at turn 135");
    expect(
      drawn(
        figure({
          conversations: Object.fromEntries(
            [9, 8, 7, 6].map((turns) => [turns, chat(turns, "no")]),
          ),
        }),
      ),
    ).toContain("refused in all 4, first at turn 7");
    expect(drawn(figure())).toMatch(/ 50 % /);
  });

  it("says of canaries who was refused before ten folds and who makes none, and of waits only those for summaries", () => {
    expect(drawn(figure({}, { folds: [10, 3], refusedBefore: 1 }))).toContain(
      "25 %, refused in 1 of 2",
    );
    expect(drawn(figure({}, { folds: [0, 0] }))).toContain("25 %, never folds");
    expect(drawn(figure())).toMatch(/ 25 % 6 s /);
    expect(drawn(figure({}, { answerable: 0.98, inRequest: 0.4 }))).toMatch(
      / 98 %, 40 % in the request 6 s /,
    );
    expect(drawn(figure())).toContain(
      "every summary, also the last one rewritten, misses a third of the sentences it is made of.",
    );
  });
});
