import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Tidemark } from "../../src/index.ts";
import { ancestorRoom } from "../support/ancestors.ts";

const SOLAR = "# Solar plan\nThe zephyr array is tilted by nine degrees.";
const found = async (tidemark: Tidemark, query: string): Promise<string> =>
  (await tidemark.memory.search(query, { limit: 20 })).map(({ content }) => content).join("\n");

describe("AgentsInFlow's pipelines", () => {
  it("Extract: no raw output, debug text or secret becomes a memory", async () => {
    const { tidemark } = await ancestorRoom();
    const task = await tidemark.task({ description: "Turn the zephyr array" });
    await task.note("DEBUG crank=7 password: hunter2-Xk93!aa");
    await task.done(JSON.stringify({ log: Array.from({ length: 50 }, (_, at) => ({ at })) }));
    const kept = JSON.stringify(await tidemark.memory.list());
    expect(kept).not.toMatch(/hunter2|DEBUG|\\"at\\"/);
  });
});

describe("AgentsInFlow's records", () => {
  it("are permanent, or temporary where they say until when", async () => {
    const { tidemark, clock } = await ancestorRoom();
    const until = clock.now + 86_400_000;
    const content = "# Outage\nThe zephyr array is down.";
    const { id } = await tidemark.records.add({ category: "incident", content, until });
    expect(await found(tidemark, "zephyr array down")).toContain("is down");
    clock.now = until;
    expect(await found(tidemark, "zephyr array down")).toBe("");
    expect(await tidemark.records.get(id)).toMatchObject({ id, until });
  });

  it("add, get, update, reclassify, archive, restore, list and delete", async () => {
    const { tidemark, workspace, clock } = await ancestorRoom();
    const { records } = tidemark;
    const { id } = await records.add({ category: "decision", content: SOLAR });
    expect(await records.get(id)).toMatchObject({ content: SOLAR });
    const content = SOLAR.replace("nine", "twelve");
    expect(await records.update(id, { content })).toMatchObject({ id, content });
    const { path } = await records.reclassify(id, "principle");
    expect(path).toBe("records/principle/solar-plan.md");
    await records.archive(id);
    clock.now += 3_000;
    expect(await found(tidemark, "zephyr array")).toBe("");
    expect(existsSync(join(workspace, path))).toBe(true);
    expect(await records.list({ archived: true })).toMatchObject([{ id }]);
    await records.restore(id);
    clock.now += 3_000;
    expect(await found(tidemark, "zephyr array")).toContain("twelve degrees");
    expect(await records.list({ category: "principle" })).toMatchObject([{ id }]);
    expect(await records.delete(id)).toBe(true);
    clock.now += 3_000;
    expect(await found(tidemark, "zephyr array")).toBe("");
  });
});

describe("AgentsInFlow's formats", () => {
  it("are snippets, prompt and json", async () => {
    const { tidemark } = await ancestorRoom();
    await tidemark.memory.save("The zephyr array faces south.");
    const text = async (format: "snippets" | "prompt" | "json") =>
      (await tidemark.brief("zephyr array", { format })).text;
    expect(await text("snippets")).toMatch(/^- The zephyr array faces south\. \[.*\]$/);
    expect(await text("prompt")).toMatch(/^<tidemark-memory>[\s\S]*<\/tidemark-memory>$/);
    expect(JSON.parse(await text("json"))).toMatchObject([
      { text: "The zephyr array faces south." },
    ]);
  });
});
