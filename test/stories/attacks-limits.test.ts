import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTidemark, type TidemarkEvent } from "../../src/index.ts";
import { anthropic } from "../../src/providers/anthropic/messages.ts";
import { located, salvage } from "../../src/memory/extracting/read-reply.ts";
import { asTags, isSentence, thrownBy } from "../support/attacks.ts";
import { freshWorkspace } from "../support/workspace.ts";

const NOW = Date.UTC(2026, 0, 2, 9);

describe("what a distiller writes", () => {
  it("may be 10 MB, 100,000 facts, 10,000 deep, a list of half a million numbers, or cite everything a thousand times", () => {
    const facts = JSON.stringify({
      facts: Array.from({ length: 100_000 }, (_, at) => ({ content: `fact ${at}`, from: [1] })),
      summary: "s",
    });
    expect(salvage(facts)?.facts).toHaveLength(200);
    expect(salvage("x".repeat(10_000_000))).toBeUndefined();
    for (const open of ["[", "{", '{"a":', '[{"facts":', '"'].map((unit) => unit.repeat(10_000)))
      expect(() => salvage(open)).not.toThrow();
    expect(salvage(`{"a":[${"1,".repeat(450_000)}1],"summary":"s"}`)).toEqual({
      facts: [],
      cut: false,
      summary: "s",
    });
    expect(salvage(`[${"[],".repeat(300_000)}{"summary":"s"}]`)?.summary).toBe("s");
    const cites = Array.from({ length: 1_100 }, () => [1, 1e9] as const);
    const messages = Array.from({ length: 5_000 }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: "x",
    }));
    const place = { dialect: anthropic, messages, first: 1, factsFrom: 0 };
    for (let fact = 0; fact < 200; fact += 1)
      expect(located({ content: "c", importance: 0.5, cites }, place)?.from).toHaveLength(5_000);
  });

  it("is not taken for news where it repeats what was recalled, also with unseen characters in it", async () => {
    const SAID = "The deploy key lies in the blue vault of the harbour office.";
    const complete = async () => ({
      text: JSON.stringify({
        facts: [
          { content: SAID, from: [] },
          { content: SAID.replace("key", `k\u200bey${asTags("x")}`), from: [] },
          { content: `The  DEPLOY key lies in the blue vault of the harbour office`, from: [2] },
        ],
        summary: "They asked.",
      }),
    });
    const tidemark = await openTidemark({
      workspace: false,
      distil: complete,
      recall: {},
      inject: false,
      window: { tokens: 1_000_000, keepLast: 2 },
      now: () => NOW,
    });
    const { id, ...saved } = await tidemark.memory.save(SAID);
    const messages = [
      { role: "user", content: "Where does the deploy key lie?" },
      { role: "assistant", content: "In the vault. ".repeat(2_000) },
      { role: "user", content: "Thanks" },
      { role: "assistant", content: "Welcome" },
    ];
    const first = await tidemark.begin({
      model: "m",
      max_tokens: 10,
      messages: messages.slice(0, 1),
    });
    expect(JSON.stringify(first.request)).toContain(SAID);
    await first.end({
      role: "assistant",
      content: messages[1]?.content,
      usage: { input_tokens: 1, output_tokens: 1 },
    });
    expect(
      await tidemark.fold({ request: { model: "m", max_tokens: 10, messages } }),
    ).toMatchObject({ facts: 0 });
    expect(await tidemark.memory.list()).toEqual([
      expect.objectContaining({ id, content: saved.content, uses: 1, version: 1 }),
    ]);
    await tidemark.close();
  });
});

describe("what a file holds", () => {
  it("is read to its cap only: a MEMORY.md of a gigabyte costs nothing, and is not changed", async () => {
    const { root, workspace, events } = freshWorkspace();
    await workspace.scaffold(["agent:default"]);
    writeFileSync(join(root, "MEMORY.md"), "- The cat is called Miso.\n".padEnd(300, "\n"));
    truncateSync(join(root, "MEMORY.md"), 1_000_000_000);
    writeFileSync(join(root, "SOUL.md"), "x");
    const before = process.memoryUsage().rss;
    expect((await workspace.prompt(["agent:default"])).memory).toContain("Miso");
    expect(
      (await workspace.search("cat called", { scopes: ["agent:default"] }))[0]?.text,
    ).toContain("Miso");
    const refused = await thrownBy(() => workspace.pages.read("agent:default"));
    expect(isSentence(refused), String(refused)).toBe(true);
    expect((refused as Error).message).toMatch(/MEMORY\.md has more than 400,000 characters/);
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
    expect(events).toEqual([]);
  });
});

describe("what a program hands over", () => {
  it("is refused in one sentence where it is too many, too long or no text", async () => {
    const { memory, close } = await openTidemark({ workspace: false, now: () => NOW });
    const circle: Record<string, unknown> = {};
    circle.circle = circle;
    for (const bad of [
      { content: "x", tags: Array.from({ length: 100_000 }, (_, at) => `t${at}`) },
      { content: "x".repeat(100_001) },
      { content: 10n },
      { content: circle },
      { content: "x", key: circle },
      { content: "x", importance: 1n },
      { content: "x", tags: [circle] },
      { content: "x", scope: "user:eve" },
      { content: "x", scope: circle },
      circle,
      null,
      7,
      Symbol("x"),
    ]) {
      const thrown = await thrownBy(() => memory.save(bad as never));
      expect(isSentence(thrown), String(thrown)).toBe(true);
    }
    await memory.save({
      content: "said often",
      tags: Array.from({ length: 100 }, (_, at) => `a${at}`),
    });
    expect(
      (
        await memory.save({
          content: "said often",
          tags: Array.from({ length: 100 }, (_, at) => `b${at}`),
        })
      ).tags,
    ).toHaveLength(100);
    await close();
  });
});

describe("what is ten thousand deep", () => {
  const nest = (depth: number): unknown => {
    let made: unknown = "x";
    for (let at = 0; at < depth; at += 1) made = { a: made };
    return made;
  };

  it("stops no turn: the request goes out as it came, and an event says so; tools answer, the rest refuses", async () => {
    const events: TidemarkEvent[] = [];
    const tidemark = await openTidemark({
      workspace: false,
      distil: "extractive",
      cache: false,
      now: () => NOW,
      listen: (event) => events.push(event),
    });
    for (const depth of [10_000, 100_000]) {
      const messages = [
        { role: "user", content: "Hi there" },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "a", name: "x", input: nest(depth) }],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "y" }] },
      ];
      const turn = await tidemark.begin({ model: "m", max_tokens: 100, messages });
      expect(turn.request.messages).toBe(messages);
      await turn.end({
        role: "assistant",
        content: [{ type: "tool_use", id: "b", name: "x", input: nest(depth) }],
        usage: { input_tokens: 1, output_tokens: 1 },
      });
      for (const work of [
        () => tidemark.memory.save({ content: "x", tags: [nest(depth)] } as never),
        () => tidemark.memory.recall("x", { limit: nest(depth) } as never),
        () => tidemark.history.import({ id: "x", messages: [nest(depth)] } as never),
      ])
        expect(isSentence(await thrownBy(work))).toBe(true);
      for (const tool of tidemark.tools())
        for (const input of [nest(depth), "[".repeat(depth)])
          expect(await tool.run(input)).toMatch(/^Error: /);
    }
    expect(events.filter(({ type }) => type === "degraded").length).toBeGreaterThan(0);
    await tidemark.close();
  });
});
