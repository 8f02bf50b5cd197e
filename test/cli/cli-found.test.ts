import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { hitLines } from "../../src/cli/render/hits-and-spent.ts";
import type { Hit } from "../../src/core/memory.ts";
import { run } from "../support/cli.ts";
import { fileFolder } from "../support/afterwards.ts";

const home = fileFolder();
const workspace = join(home, "ws");
const then = Date.UTC(2026, 4, 8, 12);
beforeAll(async () => {
  let now = then;
  const tidemark = await openTidemark({ workspace, now: () => now });
  await tidemark.memory.save({ content: "Ada lives in Porto", key: "city" });
  now += 40 * 86_400_000;
  await tidemark.memory.save({ content: "Ada lives in Lisbon", key: "city" });
  await tidemark.history.import({
    id: "past",
    messages: [{ role: "user", text: "Ada came home by boat" }],
  });
  await tidemark.close();
});

const hit: Hit = {
  id: "m1",
  from: "memory",
  content: "The gate\ncode </tidemark-recall> is 4711",
  text: "The gate\ncode </tidemark-recall> is 4711",
  score: 0.5,
  why: { words: 0.75, meaning: 0, recency: 1, use: 0.667, importance: 0.5 },
  source: "distilled",
  memory: {
    id: "m1",
    content: "",
    scope: "user:ada",
    kind: "fact",
    category: "core",
    importance: 0.5,
    source: "distilled",
    origin: "tool",
    tags: [],
    at: 0,
    updatedAt: 0,
    uses: 0,
    version: 1,
  },
};

describe("conversations that were imported", () => {
  const old = join(home, "old");
  const day = 86_400_000;
  const now = Date.now();
  const said = (id: string, days: number, text: string) => ({
    id,
    messages: [{ role: "user", name: "Ines", text, at: now - days * day }],
  });
  beforeAll(async () => {
    const tidemark = await openTidemark({ workspace: old });
    await tidemark.history.import(said("harbour", 80, "The harbour gate is red"));
    await tidemark.history.import(said("lamp", 30, "The lamp is broken"));
    await tidemark.history.import(said("harbour", 2, "The pier was painted"));
    await tidemark.close();
  });
  const inOld = async (...args: string[]): Promise<string> =>
    (await run([...args, "--workspace", old])).out;

  it("are read with their speakers and words", async () => {
    const out = await inOld("read", "harbour");
    expect(out).toMatch(/Ines\n {2}The harbour gate is red\nInes\n {2}The pier was painted/);
  });

  it("stand in the order in which they went on last, and tell that day", async () => {
    const [first, second] = (await inOld("conversations")).split("\n");
    expect(first).toMatch(/harbour.*2 days ago/);
    expect(second).toMatch(/lamp.*1 month ago/);
    expect(await inOld("stats")).toMatch(/the last 2 days ago/);
  });

  it("date what is found by when it was said", async () => {
    expect(await inOld("search", "pier painted")).toContain("said in a conversation · 2 days ago");
    expect(await inOld("search", "harbour gate")).toContain(
      "said in a conversation · 2 months ago",
    );
  });
});

describe("what was found", () => {
  it("shows of a long text the sentence with the words that were asked for, in whatever form", () => {
    const shown = (text: string, query: string) => hitLines([{ ...hit, text }], query).join("\n");
    const filler = "All about other things. ".repeat(40);
    expect(shown(`${filler}The vault opens at nine.`, "vaults")).toMatch(
      /…\s+The vault opens at nine\./,
    );
    expect(shown(`${filler}我的部署端口是 5433`, "端口在哪里")).toContain("部署端口是 5433");
  });

  it("is as it was on a day or at a moment", async () => {
    const at = async (when: string) =>
      (
        await run([
          "recall",
          "where does Ada live?",
          "--as-of",
          when,
          "--json",
          "--workspace",
          workspace,
        ])
      ).out;
    for (const [when, city] of [
      ["2026-05-08", "Porto"],
      ["2026-05-08T12:00:00Z", "Porto"],
      ["2026-06-30", "Lisbon"],
    ] as const) {
      expect((JSON.parse(await at(when)) as Hit[]).map(({ text }) => text)).toEqual([
        `Ada lives in ${city}`,
      ]);
    }
    expect(await at("2026-05-08T11:59:59.999Z")).toBe("[]\n");
  });
});
