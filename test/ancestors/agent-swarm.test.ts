import { describe, expect, it } from "vitest";
import { byWords, rank, RANKING, rankingRule } from "../../src/memory/recalling/rank.ts";
import { SOURCES } from "../../src/memory/saving/lifetimes.ts";
import { openRoom, START } from "../support/memory-room.ts";
import { ancestorRoom, savedId } from "../support/ancestors.ts";

const names = "agent-swarm";
const WORKER = { agent: "w", team: "swarm" };
const LEAD = { agent: "boss", team: "swarm", role: "lead" } as const;
const DAY = 86_400_000;

describe("Agent Swarm's figures", () => {
  it("are the lives of its four sources: 7, 3 and 30 days, and never", () => {
    expect(SOURCES).toMatchObject({
      task_completion: 7,
      session_summary: 3,
      file_index: 30,
      manual: Infinity,
    });
  });

  it("are 14 days, 1.5, 48 hours and 3 candidates a hit", () => {
    expect(rankingRule(names)).toMatchObject({
      halfLife: 14 * DAY,
      mostUse: 1.5,
      recentUse: 2 * DAY,
      multiplier: 3,
    });
  });

  it("rank by similarity × 2^(−age/14) × access, a share of the most", async () => {
    const { memories, store } = openRoom();
    await memories.save("tea");
    const [stored] = await store.find({ scopes: ["agent:probe"], source: "manual" });
    if (stored === undefined) throw new Error("nothing was saved");
    const candidate = { ...stored, same: "tea", terms: ["tea"] };
    const rule = { ...RANKING, ...rankingRule(names) };
    const [hit] = rank([candidate], () => byWords(0.8), START + 28 * DAY, rule);
    expect(hit?.score).toBeCloseTo((0.8 * 0.25 * 1) / 1.5, 10);
  });
});

describe("Agent Swarm's tools", () => {
  it("memory-store, memory-search, memory-get, memory-edit and memory-delete work end to end", async () => {
    const { tidemark, run } = await ancestorRoom({ names });
    const id = savedId(await run("memory-store", { content: "The relay sits in rack nine." }));
    expect(await run("memory-search", { query: "relay rack" })).toContain(id);
    expect((await tidemark.memory.get(id))?.uses).toBe(1);
    const got = await run("memory-get", { id });
    expect(got).toContain("version 1");
    const edit = { id, content: "The relay sits in rack ten.", version: 1 };
    expect(await run("memory-edit", edit)).toBe("Changed: version 2.");
    expect(await run("memory-edit", edit)).toMatch(/^Error: it says something else by now/);
    expect(await run("memory-delete", { id })).toBe("Forgotten: 1.");
    expect(await run("memory-search", { query: "relay rack" })).toBe("Nothing was found.");
    expect(await run("memory-get", { id })).toBe("Error: there is no such memory.");
  });

  it.each(["mistake-pattern", "best-practice", "codebase-knowledge", "preference"])(
    "inject-learning tells a worker a %s as the lead's word",
    async (category) => {
      const { tidemark, run } = await ancestorRoom({ names });
      const worker = tidemark.as(WORKER);
      await worker.memory.list();
      const content = "Ask before rack nine is opened.";
      const input = { to: "agent:w", content, category };
      expect(await run("inject-learning", input, tidemark.as(LEAD))).toMatch(/^Told/);
      const messages = [{ role: "user", content: "Hello" }];
      const { request } = await worker.begin({ model: "m", max_tokens: 100, messages });
      expect(JSON.stringify(request)).toContain(`${content} (${category}, from lead)`);
    },
  );

  it("inject-learning is a lead's alone, and of the four categories", async () => {
    const { tidemark, run } = await ancestorRoom({ names });
    const input = { to: "team:swarm", content: "x", category: "gossip" };
    expect(await run("inject-learning", input, tidemark.as(WORKER))).toMatch(/^There is no tool/);
    expect(await run("inject-learning", input, tidemark.as(LEAD))).toMatch(/^Error: .*category/);
  });
});

describe("Agent Swarm's rights", () => {
  it("let a worker read its own and the swarm's, and no other worker's by search or by id", async () => {
    const { tidemark, run } = await ancestorRoom({ names });
    const [one, other] = [tidemark.as(WORKER), tidemark.as({ agent: "o", team: "swarm" })];
    const own = savedId(await run("memory-store", { content: "Rack nine is mine." }, one));
    await one.memory.save({ content: "Rack ten is ours.", scope: "team:swarm" });
    const found = await run("memory-search", { query: "rack" }, other);
    expect(found).toContain("Rack ten is ours.");
    expect(found).not.toContain("Rack nine");
    expect(await run("memory-get", { id: own }, other)).toBe("Error: there is no such memory.");
    expect(await run("memory-delete", { id: own }, other)).toMatch(/^Nothing was forgotten/);
  });
});

describe("Agent Swarm's work around a task", () => {
  it("begins with what is known, under its heading", async () => {
    const { tidemark } = await ancestorRoom();
    await tidemark.memory.save("Rack nine is opened with the brass key.");
    const { brief } = await tidemark.task({ description: "Open rack nine" });
    expect(brief.text.toLowerCase()).toContain("relevant past knowledge");
    expect(brief.text).toContain("brass key");
  });

  it("ends with a task_completion that lives seven days and is read by id afterwards", async () => {
    const { tidemark, clock } = await ancestorRoom();
    const task = await tidemark.task({ description: "Open rack nine" });
    await task.done("Opened with the brass key.");
    const [made] = await tidemark.memory.list();
    expect(made).toMatchObject({ source: "task_completion", expiresAt: clock.now + 7 * DAY });
    clock.now += 7 * DAY;
    expect(await tidemark.memory.recall("rack nine brass key")).toEqual([]);
    expect(await tidemark.memory.get(made?.id ?? "")).toMatchObject({ id: made?.id });
  });

  it("indexes what is written under memory and shared: the agent's notes and its team's", async () => {
    const { tidemark } = await ancestorRoom();
    const worker = tidemark.as(WORKER);
    await worker.notes.write("own.md", "The zephyr valve is green.");
    await worker.notes.write("ours.md", "The zephyr pump is red.", { scope: "team:swarm" });
    const other = tidemark.as({ agent: "o", team: "swarm" });
    const texts = async (view: typeof worker) =>
      (await view.memory.search("zephyr", { in: ["files"] })).map(({ content }) => content).join();
    expect(await texts(worker)).toMatch(/green[\s\S]*red|red[\s\S]*green/);
    expect(await texts(other)).not.toContain("green");
    expect(await texts(other)).toContain("red");
  });
});
