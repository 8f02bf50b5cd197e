import { describe, expect, it } from "vitest";
import { ancestorRoom, savedId } from "../support/ancestors.ts";

const names = "agent-swarm";
const WORKER = { agent: "w", team: "swarm" };
const LEAD = { agent: "boss", team: "swarm", role: "lead" } as const;

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
