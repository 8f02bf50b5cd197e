import { expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";

const START = Date.parse("2026-03-01T09:00:00Z");
const DAY = 86_400_000;

async function remembered() {
  let now = START;
  const { memory } = await openTidemark({ workspace: false, now: () => now });
  await memory.save({ content: "The deploy is under way on server nine.", type: "working" });
  now += 1_000;
  await memory.save({ content: "The deploy went wrong on Monday.", type: "episodic" });
  now += 1_000;
  await memory.save({
    content: "The deploy runs on server nine.",
    type: "semantic",
    tags: ["ops"],
  });
  now += 1_000;
  await memory.save({ content: "Tag, then deploy to server nine.", type: "procedural" });
  now += 1_000;
  await memory.save({ content: "Ada likes to deploy herself.", type: "social", about: "Ada" });
  return { memory, later: (ms: number) => void (now += ms) };
}

it("a type narrows what is recalled and listed, and working memory is over in a day", async () => {
  const { memory, later } = await remembered();
  for (const [type, words] of [
    ["working", "under way"],
    ["episodic", "went wrong"],
    ["semantic", "runs on"],
    ["procedural", "Tag, then"],
    ["social", "Ada likes"],
  ] as const) {
    const hits = await memory.recall("deploy", { type });
    expect(hits.map(({ text }) => text)).toEqual([expect.stringContaining(words)]);
    const listed = await memory.list({ type, limit: 1 });
    expect(listed.map(({ content }) => content)).toEqual([expect.stringContaining(words)]);
  }
  expect(await memory.recall("deploy", { tags: ["about:Ada"] })).toHaveLength(1);
  later(DAY);
  expect(await memory.list({ type: "working" })).toEqual([]);
  expect(await memory.list()).toHaveLength(4);
});

it("tags, since and until narrow, and pages go on behind what is not meant", async () => {
  const { memory } = await remembered();
  expect(await memory.recall("deploy", { tags: ["ops"] })).toHaveLength(1);
  expect(await memory.recall("deploy", { tags: ["ops", "web"] })).toEqual([]);
  const middle = { since: START + 1_000, until: START + 3_000 };
  expect((await memory.list(middle)).map(({ kind }) => kind)).toEqual(["fact", "episode"]);
  expect(await memory.recall("deploy", middle)).toHaveLength(2);
  const first = await memory.page({ ...middle, limit: 1 });
  const second = await memory.page({ ...middle, limit: 1, after: first.after ?? "" });
  expect([...first.memories, ...second.memories]).toHaveLength(2);
  expect(second.after).toBeUndefined();
});

it("a social memory says whom it is about", async () => {
  const { memory } = await remembered();
  await expect(memory.save({ content: "Likes tea.", type: "social" })).rejects.toThrow(
    /says whom it is about/,
  );
});
