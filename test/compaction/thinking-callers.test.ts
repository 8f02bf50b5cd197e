import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { MODEL, setUp, spoken, typesOf, UNBOUND } from "../support/anthropic.ts";
import type { Json } from "../support/messages-server/index.ts";

const look: Anthropic.Tool = {
  name: "look",
  description: "Looks.",
  input_schema: { type: "object" },
};
const thoughtsIn = ({ messages }: Json): number =>
  JSON.stringify(messages).split('"signature"').length - 1;

describe("another model in the middle of a conversation", () => {
  const MODELS = [UNBOUND, UNBOUND, MODEL, MODEL, UNBOUND, MODEL, "claude-opus-5-5"];

  it("that binds thinking where the one before did not, and back: nothing is refused", async () => {
    const { server, client, events } = await setUp({});
    const messages: Anthropic.MessageParam[] = [];
    for (const model of MODELS) {
      messages.push({ role: "user", content: `Go on, ${model}.` });
      const reply = await client.messages.create({
        model,
        max_tokens: 500,
        thinking: { type: "adaptive" },
        messages,
      });
      messages.push({ role: "assistant", content: reply.content });
    }
    expect(server.refusals).toEqual([]);
    expect(typesOf(events)).not.toContain("thinking-refused");
    // All to a model that takes all; to one that binds, what such models have thought.
    expect(spoken(server).map(({ body }) => thoughtsIn(body))).toEqual([0, 1, 0, 1, 4, 2, 3]);
  });
});

describe("a reply in other pieces than it came in", () => {
  it.each([
    ["with", "first apart"],
    ["without", "each apart"],
  ])(
    "%s sections, sent back with %s: one conversation, every thought sent on",
    async (sections, how) => {
      const { server, client, tidemark, events } = await setUp({
        server: {
          reply: (_request, { index }) => [
            { type: "thinking", thinking: "Let me see." },
            { type: "text", text: "Looking." },
            { type: "tool_use", name: "look", input: { at: index } },
          ],
        },
      });
      if (sections === "with") await tidemark.memory.save("The boat is called Zephyr and is blue.");
      const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Look around." }];
      for (let call = 0; call < 5; call++) {
        const { content } = await client.messages.create({
          model: MODEL,
          max_tokens: 1_500,
          thinking: { type: "adaptive" },
          tools: [look],
          messages,
        });
        const apart =
          how === "each apart"
            ? content.map((one) => [one])
            : [content.slice(0, 1), content.slice(1)];
        messages.push(...apart.map((blocks) => ({ role: "assistant" as const, content: blocks })));
        messages.push({
          role: "user",
          content: content.flatMap((one) =>
            one.type === "tool_use"
              ? [{ type: "tool_result" as const, tool_use_id: one.id, content: "a boat" }]
              : [],
          ),
        });
      }
      expect(server.refusals).toEqual([]);
      expect(await tidemark.history.list()).toHaveLength(1);
      expect(typesOf(events).filter((type) => type.startsWith("thinking"))).toEqual([]);
      const signed = ({ messages: sent }: Json) =>
        (JSON.stringify(sent).match(/"(?:thinking|redacted_thinking)","/g) ?? []).length;
      expect(spoken(server).map(({ body }) => signed(body))).toEqual([0, 1, 2, 3, 4]);
    },
  );

  it("two replies sent back as one, the first of them paused: nothing is refused", async () => {
    const paused = [
      { type: "thinking", thinking: "I search." },
      {
        type: "server_tool_use",
        id: "srvtoolu_1",
        name: "web_search",
        input: { query: "boats" },
      },
    ];
    const found = [
      { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
      { type: "thinking", thinking: "Found." },
      { type: "text", text: "Here." },
    ];
    const { server, client, tidemark } = await setUp({
      server: {
        reply: (_request, { index }) =>
          index === 0
            ? { content: paused, stop_reason: "pause_turn" }
            : index === 1
              ? found
              : [
                  { type: "thinking", thinking: "And?" },
                  { type: "text", text: "Well." },
                ],
      },
    });
    await tidemark.memory.save("The boat is called Zephyr and is blue.");
    const ask = (messages: Anthropic.MessageParam[]) =>
      client.messages.create({
        model: MODEL,
        max_tokens: 1_500,
        thinking: { type: "adaptive" },
        tools: [{ type: "web_search_20250305", name: "web_search" }],
        messages,
      });
    const asked: Anthropic.MessageParam = { role: "user", content: "Which boats?" };
    const one = await ask([asked]);
    const two = await ask([asked, { role: "assistant", content: one.content }]);
    const messages: Anthropic.MessageParam[] = [
      asked,
      { role: "assistant", content: [...one.content, ...two.content] },
    ];
    for (const say of ["More.", "Still more."]) {
      messages.push({ role: "user", content: say });
      messages.push({ role: "assistant", content: (await ask(messages)).content });
    }
    expect(server.refusals).toEqual([]);
  });
});
