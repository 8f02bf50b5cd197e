import { expect, it } from "vitest";
import { asked, loopOf, MODEL, prose, setUp, UNBOUND } from "../support/anthropic.ts";
import type { Json } from "../support/messages-server/index.ts";

const look = { name: "look", description: "Looks.", input_schema: { type: "object" as const } };

/** A talk with tools, below every mark. */
async function talked(model: string) {
  const set = await setUp({
    server: {
      reply: ({ messages }: Json) =>
        JSON.stringify((messages as Json[]).at(-1)).includes("tool_result")
          ? "So it is."
          : [{ type: "tool_use", name: "look", input: {} }],
    },
  });
  const loop = loopOf(set.client, {
    model,
    tools: [look],
    system: prose(80, 2),
    thinking: { type: "adaptive" } as never,
  });
  for (let at = 0; at < 6; at += 1) {
    const { content } = await loop.say(`Turn ${at}: ${prose(200, at)}`);
    loop.messages.push({
      role: "user",
      content: content.flatMap((block) =>
        block.type === "tool_use"
          ? [{ type: "tool_result" as const, tool_use_id: block.id, content: prose(100, at) }]
          : [],
      ),
    });
    loop.messages.push({
      role: "assistant",
      content: (
        await set.client.messages.create({
          model,
          max_tokens: 500,
          tools: [look],
          system: prose(80, 2),
          thinking: { type: "adaptive" } as never,
          messages: loop.messages as never,
        })
      ).content,
    });
  }
  return { ...set, loop };
}

it.each([
  ["unnamed", MODEL],
  ["named", MODEL],
  ["named", UNBOUND],
] as const)(
  "a fold of a conversation (%s, %s) whose tools are not at hand asks with it written out, and no provider refuses it",
  async (which, model) => {
    const { tidemark, server, events, loop } = await talked(model);
    const id = (await tidemark.history.list())[0]!.id;
    expect(await tidemark.fold(which === "named" ? { conversation: id } : undefined)).toMatchObject(
      { messages: expect.any(Number), facts: expect.any(Number) },
    );
    expect(asked(server).length).toBeGreaterThan(0);
    for (const { body } of asked(server)) {
      expect(body).not.toHaveProperty("tools");
      expect(body).not.toHaveProperty("thinking");
      expect((body.messages as Json[])[0]).toMatchObject({ role: "user" });
    }
    await loop.say("And now?");
    expect(server.refusals).toEqual([]);
    expect(events.filter(({ type }) => type === "distil-failed")).toEqual([]);
  },
);
