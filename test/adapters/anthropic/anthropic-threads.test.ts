import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { expect, it } from "vitest";
import { MODEL, setUp, systemText } from "../../support/anthropic.ts";

const look = betaTool({
  name: "look",
  description: "Looks.",
  inputSchema: { type: "object", properties: {} } as const,
  run: () => "a boat",
});

it("a thread that the server holds passes untouched, and an event says what to do", async () => {
  const { client, server, events, tidemark } = await setUp();
  server.script({
    reply: (_: unknown, { index }: { index: number }) =>
      index < 1
        ? [{ type: "tool_use", name: "look", input: {} }]
        : [{ type: "text", text: "I see a boat." }],
  });
  await tidemark.memory.save("The harbour master is called Zephyrine.");
  events.length = 0;
  const hello = [{ role: "user" as const, content: "Who is the harbour master?" }];
  await client.beta.messages
    .toolRunner({ model: MODEL, max_tokens: 500, tools: [look], messages: hello })
    .runUntilDone();
  expect(server.refusals).toEqual([]);
  expect(server.requests).toHaveLength(2);
  expect(server.requests[0]!.body).toMatchObject({ thread: { type: "create" }, messages: hello });
  expect(systemText(server.requests[0]!.body)).toBe("");
  expect(events).toContainEqual({
    type: "passed",
    reason: expect.stringContaining("toolRunner({ thread: false })") as string,
  });
  expect(await tidemark.history.list()).toEqual([]);
});
