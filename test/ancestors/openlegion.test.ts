import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LEARNINGS_BOUND } from "../../src/workspace/pages/learnings.ts";
import { PROMPT_CAPS } from "../../src/workspace/pages/prompt-pages.ts";
import { ancestorRoom, savedId } from "../support/ancestors.ts";

describe("OpenLegion's workspace", () => {
  it("gives SOUL and USER 4,000 characters of the prompt and AGENTS 12,000", () => {
    expect(PROMPT_CAPS).toMatchObject({ soul: 4_000, user: 4_000, agents: 12_000 });
  });

  it("writes SOUL, USER, AGENTS and HEARTBEAT up to 32,000 characters (update_workspace)", async () => {
    const { tidemark, workspace } = await ancestorRoom();
    for (const name of ["SOUL.md", "USER.md", "AGENTS.md", "HEARTBEAT.md"] as const) {
      await tidemark.workspace.write(name, `${name} is here.`, "agent:default");
      expect(await tidemark.workspace.read(name, "agent:default")).toBe(`${name} is here.`);
      await expect(
        tidemark.workspace.write(name, "x".repeat(32_001), "agent:default"),
      ).rejects.toMatchObject({ code: "workspace" });
    }
    await tidemark.workspace.write("SOUL.md", "Another one.", "agent:default");
    expect(existsSync(join(workspace, ".tidemark/backups/root/SOUL.md"))).toBe(true);
  });

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

  it("notes errors and corrections in files of their own, bounded at 50,000", async () => {
    const { tidemark, workspace, clock } = await ancestorRoom();
    const at = clock.now;
    await tidemark.workspace.learn(
      { kind: "error", tool: "deploy", text: "no such host: staging", at },
      "agent:default",
    );
    await tidemark.workspace.learn(
      { kind: "correction", text: "No, the port is 5433.", at },
      "agent:default",
    );
    const page = (name: string) => readFileSync(join(workspace, "learnings", name), "utf8");
    expect(page("errors.md")).toContain("no such host");
    expect(page("corrections.md")).toContain("the port is 5433");
    expect(LEARNINGS_BOUND).toBe(50_000);
  });
});

describe("OpenLegion's facts", () => {
  it.each(["preference", "decision", "fact", "context"])(
    "have the category %s",
    async (category) => {
      const { tidemark } = await ancestorRoom();
      await tidemark.memory.save({ content: "The port of staging is 5433.", category });
      expect(await tidemark.memory.recall("port of staging", { category })).toHaveLength(1);
      // A category without an answer gives way to all facts, and says so.
      const other = await tidemark.memory.recall("port of staging", { category: "other" });
      expect(other.map(({ why }) => why.category)).toEqual([0]);
    },
  );
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
