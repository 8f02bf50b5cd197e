import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ancestorRoom, savedId } from "../support/ancestors.ts";

describe("OpenLegion's workspace", () => {
  it("keeps HEARTBEAT.md out of the prompt and gives it the last two days, within 4,000 tokens", async () => {
    const { tidemark } = await ancestorRoom();
    await tidemark.workspace.write("HEARTBEAT.md", "Water the ferns.", "agent:default");
    await tidemark.memory.save("The fern was repotted.");
    const messages = [{ role: "user", content: "Hello" }];
    const { request } = await tidemark.begin({ model: "m", max_tokens: 100, messages });
    expect(JSON.stringify(request)).not.toContain("Water the ferns");
    const { due, prompt = "" } = await tidemark.heartbeat();
    expect(due).toBe(true);
    expect(prompt).toMatch(/Water the ferns[\s\S]*The fern was repotted/);
    expect(prompt.length).toBeLessThan(16_000);
  });
});

describe("OpenLegion's tools", () => {
  it("memory_save writes the daily log and the database", async () => {
    const { tidemark, workspace, run } = await ancestorRoom();
    const id = savedId(await run("memory_save", { content: "The port is 5433.", key: "port" }));
    expect(await tidemark.memory.get(id)).toMatchObject({ content: "The port is 5433." });
    await tidemark.idle();
    expect(readFileSync(join(workspace, "memory/2026-11-02.md"), "utf8")).toContain(
      "The port is 5433.",
    );
  });

  it("memory_search looks in files and facts at once, or in facts of one category alone", async () => {
    const { tidemark, run } = await ancestorRoom();
    await tidemark.memory.save({ content: "The quay closes at nine.", category: "decision" });
    await tidemark.notes.write("quay.md", "The quay has twelve bollards.");
    const everywhere = await run("memory_search", { query: "quay", limit: 5 });
    expect(everywhere).toContain("closes at nine");
    expect(everywhere).toContain("twelve bollards");
    const decided = await run("memory_search", { query: "quay", category: "decision" });
    expect(decided).toContain("closes at nine");
    expect(decided).not.toContain("bollards");
  });
});
