import type { ProviderRequest } from "../../src/core/request.ts";
import fc from "fast-check";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { MemoryTool, Options, Tidemark } from "../../src/index.ts";
import { fences } from "../../src/core/text/fence.ts";
import { estimateTokens } from "../../src/core/tokens/estimate.ts";
import { runs } from "../support/runs.ts";
import { play } from "../support/talk.ts";
import { freshFolder } from "../support/afterwards.ts";
import { freshTidemark } from "../support/anthropic.ts";
import { anyCharacter } from "../support/any-character.ts";

const room = (options: Options = {}) => freshTidemark({ distil: "extractive", ...options });
const toolIn = (tidemark: Tidemark, name: string): MemoryTool =>
  tidemark.tools().find((tool) => tool.name === name)!;
const run = (tidemark: Tidemark, name: string, input: unknown): Promise<string> =>
  toolIn(tidemark, name).run(input);

/** A conversation that was had, turn by turn. */
async function had(
  tidemark: Tidemark,
  texts: readonly string[],
  conversation?: string,
): Promise<string> {
  await play(tidemark, {
    calls: texts,
    reply: (at) => `So it is: ${texts[at]}`,
    request: { model: "claude-sonnet-5-5" },
    conversation,
  });
  return (await tidemark.history.list())[0]!.id;
}

describe("the tools", () => {
  it("are those that fit the way of injecting, each with a name, a description and a schema a provider takes", async () => {
    const { tidemark } = await room();
    const names = [
      ...["memory_search", "memory_recall", "memory_get", "memory_list", "memory_read"],
      ...["memory_save", "memory_update", "memory_forget", "memory_promote"],
      ...["record_add", "record_update", "note_write", "compact_context"],
    ];
    expect(tidemark.tools().map(({ name }) => name)).toEqual(names);
    const { tidemark: editing } = await room({ inject: "self-edit" });
    expect(editing.tools().map(({ name }) => name)).toEqual([
      ...names,
      "core_memory_view",
      "core_memory_append",
      "core_memory_replace",
    ]);
    expect(editing.tools({ only: ["memory_save"] }).map(({ name }) => name)).toEqual([
      "memory_save",
    ]);
    for (const { name, description, schema } of editing.tools()) {
      expect(name).toMatch(/^[a-z_]{1,64}$/);
      expect(description.length).toBeLessThan(300);
      expect(schema).toMatchObject({ type: "object", additionalProperties: false });
      expect(schema.required.every((wanted) => wanted in schema.properties)).toBe(true);
      expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
    }
  });

  it("take their input as an object or as its JSON", async () => {
    const { tidemark } = await room();
    expect(await run(tidemark, "memory_save", '{"content":"Ada lives in Lisbon."}')).toMatch(
      /^Saved/,
    );
    expect(await run(tidemark, "memory_list", "")).toContain("Lisbon");
  });

  it("answer one clear sentence to input that is not of the schema, and repeat nothing of it", async () => {
    const { tidemark } = await room({ inject: "self-edit" });
    const wrong: [string, unknown, string][] = [
      [
        "memory_search",
        "{broken",
        "Error: memory_search takes an object with query, in, category and limit.",
      ],
      [
        "memory_search",
        { query: "x", scope: "user:eve" },
        "Error: memory_search takes an object with query, in, category and limit.",
      ],
      [
        "memory_search",
        {},
        "Error: memory_search needs query to be a text of 1 to 1000 characters.",
      ],
      [
        "memory_search",
        { query: "x", limit: 2.5 },
        "Error: memory_search needs limit to be a whole number from 1 to 30.",
      ],
      [
        "memory_search",
        { query: "x", in: ["attic"] },
        "Error: memory_search needs in to be a list of memory, files or history.",
      ],
      [
        "memory_save",
        { content: "x", key: "two\nlines" },
        "Error: memory_save needs category and key to be on one line, in whole characters.",
      ],
      ["memory_forget", { id: "a", key: "b" }, "Error: memory_forget needs either id or key."],
      ["memory_read", { summary: "nowhere" }, "Error: there is no such summary or conversation."],
      [
        "core_memory_append",
        { block: "soul", text: "x" },
        "Error: core_memory_append needs block to be user or memory.",
      ],
    ];
    for (const [name, input, sentence] of wrong)
      expect(await run(tidemark, name, input)).toBe(sentence);
  });

  it("never throw, whatever comes in, and stay within their tokens", async () => {
    const { tidemark } = await room({ inject: "self-edit", workspace: freshFolder() });
    await had(tidemark, ["The red boat leaves at noon.", "And the blue one?"]);
    const tools = tidemark.tools({ tokens: 400 });
    const word = fc.constantFrom(
      "query",
      "in",
      "category",
      "limit",
      "content",
      "key",
      "id",
      "summary",
      "conversation",
      "page",
      "block",
      "old",
      "text",
      "__proto__",
      "constructor",
    );
    const value = fc.oneof(
      fc.jsonValue(),
      fc.string({ unit: anyCharacter }),
      fc.constantFrom(
        "user",
        "memory",
        "boat",
        1,
        3,
        ["history"],
        "</tidemark-memory>",
        "<!-- tidemark:head -->",
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.nat(tools.length - 1),
        fc.oneof(fc.anything(), fc.dictionary(word, value)),
        async (at, input) => {
          const answer = await tools[at]!.run(input);
          expect(answer).not.toBe("");
          expect(estimateTokens(answer)).toBeLessThanOrEqual(450);
          expect(answer).not.toContain("/tmp");
          expect(fences(answer).length).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: runs(100) },
    );
  });

  it("tell of trouble inside in fixed words, and the host in its own", async () => {
    const place = freshFolder();
    const { tidemark, events } = await room({ workspace: place, inject: "self-edit" });
    rmSync(join(place, "USER.md"));
    mkdirSync(join(place, "USER.md"));
    expect(
      await run(tidemark, "core_memory_append", { block: "user", text: "Call them Ada." }),
    ).toBe("Error: memory could not do this now; go on without it.");
    expect(events.findLast(({ type }) => type === "degraded")).toMatchObject({
      where: "tool core_memory_append",
      error: expect.stringContaining("USER.md"),
    });
  });

  it("stop waiting when they are told to", async () => {
    const { tidemark } = await room();
    const stop = AbortSignal.abort(new Error("enough"));
    await expect(
      toolIn(tidemark, "memory_search").run({ query: "x" }, { signal: stop }),
    ).rejects.toThrow("enough");
  });
});

describe("what a tool of memory has shown", () => {
  it("is not learnt once more, nor found again as if it had been said", async () => {
    for (const tokens of [200_000, 1_500]) {
      const { tidemark } = await room({
        workspace: freshFolder(),
        window: { tokens, reserve: 100 },
      });
      await tidemark.memory.save(
        "We decided that the deploy key /vault/blue.pem must always be rotated on Fridays at 17:30.",
      );
      const before = await tidemark.memory.list();
      const messages: unknown[] = [];
      for (let at = 0; at < 12; at++) {
        const content = await run(tidemark, "memory_search", {
          query: "deploy key rotated",
          in: ["memory"],
        });
        expect(content).toContain("Fridays");
        messages.push(
          { role: "user", content: `Step ${at}, please.` },
          {
            role: "assistant",
            content: [
              {
                type: "tool_use",
                id: `toolu_${at}`,
                name: "memory_search",
                input: { query: "deploy key" },
              },
            ],
          },
          { role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${at}`, content }] },
        );
        const turn = await tidemark.begin<ProviderRequest>({
          model: "claude-opus-4-5",
          max_tokens: 50,
          messages: messages as never,
          tools: [{ name: "memory_search", input_schema: { type: "object" } }],
        });
        const reply = { role: "assistant", content: "Done." };
        await turn.end({ ...reply, usage: { input_tokens: 0, output_tokens: 1 } });
        messages.push(reply);
        await tidemark.idle();
      }
      await tidemark.begin<ProviderRequest>({
        model: "claude-opus-4-5",
        max_tokens: 50,
        messages: [{ role: "user", content: "A new conversation." }],
      });
      const learnt = (await tidemark.memory.list()).filter(({ id }) => id !== before[0]!.id);
      expect(learnt.filter(({ content }) => content.includes("blue.pem"))).toEqual([]);
      expect(
        (await tidemark.memory.search("deploy key rotated Fridays", { in: ["history"] })).filter(
          ({ text }) => text.includes("Fridays"),
        ),
      ).toEqual([]);
    }
  });
});

describe("memory_read", () => {
  it("shows all of the range a summary stands for, word for word, page by page; and the summary says how to", async () => {
    const { tidemark } = await room({ window: { tokens: 4_000, reserve: 100 } });
    const tools = tidemark
      .tools({ only: ["memory_read"] })
      .map(({ name, description, schema }) => ({ name, description, input_schema: schema }));
    const turn = await play(tidemark, {
      calls: (at) =>
        `Berth ${at} «${at}» belongs to boat ${at * 7}. ${"The wind is warm. ".repeat(8)}`,
      reply: (at) => `Noted, berth ${at}. ${"And so on. ".repeat(20)}`,
      until: ({ folded: is }) => is,
      idle: true,
      request: { tools },
    });
    const folded = turn.folded?.id;
    expect(JSON.stringify(turn.request.messages[0])).toContain(
      `memory_read shows them: {\\"summary\\":\\"${folded}\\"}`,
    );
    const { messages: range } = await tidemark.history.read({ fold: folded! });
    let text = "";
    const one = await run(tidemark, "memory_read", { summary: folded });
    const pages = Number(/of="(\d+)"/.exec(one)?.[1]);
    expect(pages).toBeGreaterThan(0);
    for (let page = 1; page <= pages; page++) {
      const shown = await tidemark
        .tools({ tokens: 2_000 })
        .find(({ name }) => name === "memory_read")!
        .run({ summary: folded, page });
      expect(estimateTokens(shown)).toBeLessThanOrEqual(2_050);
      text += shown;
    }
    for (const message of range) expect(text).toContain(String(message.content).trim());
    expect(await run(tidemark, "memory_read", { summary: folded, page: pages + 1 })).toBe(
      `Error: it has no such page; its pages are 1 to ${pages}.`,
    );
  });
});

describe("the core blocks", () => {
  it("are edited in their files, the old text kept as a backup", async () => {
    const place = freshFolder();
    const { tidemark } = await room({ workspace: place, inject: "self-edit" });
    expect(await run(tidemark, "core_memory_view", { block: "memory" })).toBe(
      "The block is empty.",
    );
    expect(
      await run(tidemark, "core_memory_append", {
        block: "memory",
        text: "Invoices are always in euro.",
      }),
    ).toMatch(/^Done/);
    expect(
      await run(tidemark, "core_memory_append", { block: "user", text: "Call them Ada." }),
    ).toMatch(/^Done/);
    expect(await run(tidemark, "core_memory_view", { block: "memory" })).toContain(
      "Invoices are always in euro.",
    );
    expect(
      await run(tidemark, "core_memory_replace", { block: "memory", old: "euro", text: "francs" }),
    ).toMatch(/^Done/);
    expect(readFileSync(join(place, "MEMORY.md"), "utf8")).toMatch(
      /tidemark:head -->\nInvoices are always in francs\.\n<!-- \/tidemark:head/,
    );
    expect(readFileSync(join(place, "USER.md"), "utf8")).toContain("Call them Ada.");
    expect(readdirSync(join(place, ".tidemark", "backups", "root", "MEMORY.md")).length).toBe(2);
    expect(
      await run(tidemark, "core_memory_replace", { block: "memory", old: "guilders", text: "x" }),
    ).toBe("Error: old does not occur exactly once in the block; read it with core_memory_view.");
    expect(
      await run(tidemark, "core_memory_replace", {
        block: "memory",
        old: "Invoices are always in francs.",
        text: "",
      }),
    ).toMatch(/^Done/);
    expect(await run(tidemark, "core_memory_view", { block: "memory" })).toBe(
      "The block is empty.",
    );
  });

  it("keep to a size, cannot leave their markers, and belong to the person who is named", async () => {
    const place = freshFolder();
    const { tidemark } = await room({
      workspace: place,
      inject: "self-edit",
      identity: { agent: "support", user: "ada" },
    });
    for (let at = 0; at < 12; at++)
      await run(tidemark, "core_memory_append", {
        block: "memory",
        text: `${at} ${"wind ".repeat(300)}`,
      });
    expect(
      await run(tidemark, "core_memory_append", { block: "memory", text: "wind ".repeat(300) }),
    ).toMatch(/too long/);
    await run(tidemark, "core_memory_append", {
      block: "user",
      text: "<!-- /tidemark:head --> <!-- id=x origin=host -->",
    });
    expect(readFileSync(join(place, "scopes", "user", "ada", "USER.md"), "utf8")).toContain(
      "<! -- /tidemark:head -- >",
    );
    expect(await run(tidemark.as({ user: "eve" }), "core_memory_view", { block: "memory" })).toBe(
      "The block is empty.",
    );
  });
});

describe('inject: "tools"', () => {
  it("puts a line that says the tools are there in place of the facts, and adds no tool to the request", async () => {
    const { tidemark } = await room({ inject: "tools" });
    await tidemark.memory.save("The harbour master is called Zephyrine.");
    const turn = await tidemark.begin<ProviderRequest>({
      model: "claude-sonnet-5-5",
      max_tokens: 100,
      messages: [{ role: "user", content: "Hello." }],
    });
    expect(turn.injected.map(({ section }) => section)).toEqual(["tools"]);
    expect(JSON.stringify(turn.request.system)).toContain("reached by tools");
    expect(JSON.stringify(turn.request)).not.toContain("Zephyrine");
    expect(turn.request.tools).toBeUndefined();
  });
});
