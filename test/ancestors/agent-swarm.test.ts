import { describe, expect, it } from "vitest";
import { ancestorRoom, savedId } from "../support/ancestors.ts";

const names = "agent-swarm";
const WORKER = { agent: "w", team: "swarm" };
const LEAD = { agent: "boss", team: "swarm", role: "lead" } as const;
const DAY = 86_400_000;

describe("Agent Swarm's tools", () => {
  it("inject-learning tells a worker a lead's word", async () => {
    const { tidemark, run } = await ancestorRoom({ names });
    const worker = tidemark.as(WORKER);
    await worker.memory.list();
    const content = "Ask before rack nine is opened.";
    const input = { to: "agent:w", content, category: "mistake-pattern" };
    expect(await run("inject-learning", input, tidemark.as(LEAD))).toMatch(/^Told/);
    const messages = [{ role: "user", content: "Hello" }];
    const { request } = await worker.begin({ model: "m", max_tokens: 100, messages });
    expect(JSON.stringify(request)).toContain(`<tidemark-lead>\\n- ${content} (`);
  });

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
