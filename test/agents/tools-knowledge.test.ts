import { describe, expect, it } from "vitest";
import type { Options, Tidemark, ToolOptions } from "../../src/index.ts";
import { estimateTokens } from "../../src/core/tokens/estimate.ts";
import { freshTidemark } from "../support/anthropic.ts";

const room = async (options: Options = {}): Promise<Tidemark> =>
  (await freshTidemark({ distil: "extractive", ...options })).tidemark;
const run = (tidemark: Tidemark, name: string, input: unknown, options?: ToolOptions) =>
  tidemark
    .tools(options)
    .find((tool) => tool.name === name)!
    .run(input);
const names = (tidemark: Tidemark, options?: ToolOptions): string[] =>
  tidemark.tools(options).map(({ name }) => name);
const systemOf = async (tidemark: Tidemark, tools: readonly string[]): Promise<string> => {
  const turn = await tidemark.begin({
    model: "claude-sonnet-5-5",
    max_tokens: 100,
    messages: [{ role: "user", content: "Hello" }],
    ...(tools.length > 0
      ? { tools: tools.map((name) => ({ name, input_schema: { type: "object" } })) }
      : {}),
  });
  return JSON.stringify((turn.request as { system?: unknown }).system ?? "");
};

describe("the tools that work with memories on purpose", () => {
  it("read one whole, with its version and what it said before, and change it by that version", async () => {
    const tidemark = await room();
    const { id } = await tidemark.memory.save({
      content: "Invoices are in euro.",
      key: "currency",
    });
    expect(await run(tidemark, "memory_get", { id })).toContain("version 1");
    // The agent may not change a word of the host's.
    expect(await run(tidemark, "memory_update", { id, content: "In yen.", version: 1 })).toBe(
      "Error: this may be read here, but not changed.",
    );
    const saved = await run(tidemark, "memory_save", { content: "The desk opens at nine." });
    const own = /Saved as (\S+)\./.exec(saved)?.[1] ?? "";
    const change = { id: own, content: "The desk opens at ten.", version: 1 };
    expect(await run(tidemark, "memory_update", change)).toBe("Changed: version 2.");
    expect(await run(tidemark, "memory_update", change)).toMatch(
      /^Error: it says something else by now/,
    );
    expect(await run(tidemark, "memory_get", { id: own })).toMatch(
      /opens at ten\.\nBefore, version 1: The desk opens at nine\./,
    );
    expect((await tidemark.memory.get(own))?.uses).toBe(1);
    expect(await run(tidemark, "memory_get", { id: "none" })).toBe(
      "Error: there is no such memory.",
    );
  });

  it("keep records and notes, which a search finds", async () => {
    const tidemark = await room();
    const added = await run(tidemark, "record_add", {
      category: "procedure",
      content: "# Roll back\nTag, deploy, tell the desk.",
    });
    const id = /as (\S+)\.$/.exec(added)?.[1] ?? "";
    expect(await tidemark.records.get(id)).toMatchObject({
      source: "agent",
      category: "procedure",
    });
    expect(await run(tidemark, "record_update", { id, content: "# Roll back\nCall Ada." })).toMatch(
      /^Changed records_procedure|^Changed records\/procedure/,
    );
    expect(await run(tidemark, "record_update", { id: "none", content: "x" })).toBe(
      "Error: there is no such memory, note or record.",
    );
    expect(
      await run(tidemark, "note_write", { name: "ideas/cats.md", content: "Cats like boxes." }),
    ).toBe("Written.");
    expect(await tidemark.notes.read("ideas/cats.md")).toContain("Cats like boxes.");
    expect(await run(tidemark, "note_write", { name: "../up.md", content: "x" })).toMatch(
      /^Error: /,
    );
  });

  it("propose what a worker may not move, and tell as a lead only where one is", async () => {
    const worker = await room({ identity: { agent: "w", team: "crew" } });
    const saved = await run(worker, "memory_save", { content: "The desk opens at nine." });
    const id = /Saved as (\S+)\./.exec(saved)?.[1] ?? "";
    expect(await run(worker, "memory_promote", { id, to: "team" })).toMatch(/^Proposed/);
    expect(await run(worker, "memory_promote", { id, to: "team:other" })).toMatch(/^Error: /);
    await run(worker, "note_write", { name: "ideas/cats.md", content: "Cats like boxes." });
    const note = { id: "ideas/cats.md", to: "team:crew" };
    expect(await run(worker, "memory_promote", note)).toMatch(/^Proposed/);
    expect(await run(worker.as({ role: "human" }), "memory_promote", note)).toMatch(/^Proposed/);
    expect((await worker.proposals.list()).map(({ kind }) => kind)).toEqual(["promotion", "note"]);
    expect(await run(worker, "memory_promote", { ...note, id: "ideas/dogs.md" })).toMatch(
      /^Error: there is no such memory, note/,
    );
    expect(names(worker)).not.toContain("memory_inject");
    const lead = worker.as({ agent: "l", role: "lead" });
    const told = {
      to: "team:crew",
      content: "Tests run before every push.",
      category: "best-practice",
    };
    expect(await run(lead, "memory_inject", told)).toMatch(/^Told/);
    expect((await worker.memory.list()).map(({ content }) => content)).toContain(
      "Tests run before every push.",
    );
  });
});

describe("names of tools", () => {
  it("are a host's own, or those of the system it comes from", async () => {
    const tidemark = await room();
    expect(names(tidemark, { names: { memory_save: "keep" } })).toContain("keep");
    expect(names(tidemark, { names: "pynchy" })).toEqual(
      expect.arrayContaining(["save_memory", "recall_memories", "forget_memory", "list_memories"]),
    );
    expect(names(tidemark, { names: "agent-swarm" })).toEqual(
      expect.arrayContaining([
        "memory-search",
        "memory-get",
        "memory-store",
        "memory-edit",
        "memory-delete",
      ]),
    );
    expect(await run(tidemark, "save_memory", { content: "" }, { names: "pynchy" })).toMatch(
      /^Error: save_memory needs content/,
    );
  });

  it.each([
    [{ names: "letta" }, 'tools: "names" must be'],
    [{ names: { memory_keep: "x" } }, 'knows no "names.memory_keep"'],
    [{ names: { memory_save: "two words" } }, "must be 1 to 64 letters"],
    [{ names: { memory_save: "memory_get" } }, "must be of names that differ"],
    [{ guidance: 3 }, 'tools: "guidance" must be'],
  ])("that cannot be meant are refused: %j", async (options, sentence) => {
    const tidemark = await room();
    expect(() => tidemark.tools(options as never)).toThrow(sentence);
  });
});

describe("guidance on the tools", () => {
  it("stands in the system text where the request offers one of them, by whatever name", async () => {
    const tidemark = await room();
    expect(await systemOf(tidemark, [])).not.toContain("long-term memory");
    expect(await systemOf(await room(), ["memory_save"])).toContain("long-term memory");
    const renamed = await room();
    renamed.tools({ names: "pynchy" });
    expect(await systemOf(renamed, ["save_memory"])).toContain("why something was not done");
  });

  it("takes 120 tokens at most", async () => {
    const system = await systemOf(await room(), ["memory_save"]);
    const said = /You have a long-term memory[^"\\]*/.exec(system)?.[0] ?? "";
    expect(estimateTokens(said)).toBeLessThanOrEqual(120);
    expect(said).toMatch(/Do not save/);
  });

  it("is the host's own words, or none", async () => {
    const own = await room();
    own.tools({ guidance: "Save what the chef says." });
    expect(await systemOf(own, ["memory_save"])).toContain("Save what the chef says.");
    const none = await room();
    none.tools({ guidance: false });
    expect(await systemOf(none, ["memory_save"])).not.toContain("long-term memory");
  });
});
