import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { describe, expect, it } from "vitest";
import {
  clientOf,
  freshServer,
  freshTidemark,
  MODEL,
  setUp,
  systemText,
  typesOf,
  words,
} from "../../support/anthropic.ts";

const look = betaTool({
  name: "look",
  description: "Looks.",
  inputSchema: { type: "object", properties: {} } as const,
  run: () => "a boat",
});
const hello = [
  { role: "user" as const, content: "Who is the harbour master, and what do you see?" },
];
/** Looks so many times, then says what it was told. */
const looking =
  (times: number) =>
  (_: unknown, { index }: { index: number }) =>
    index < times
      ? [{ type: "tool_use", name: "look", input: {} }]
      : [{ type: "text", text: "I see a boat." }];

describe("a thread that the server holds, as a tool runner has it by default", () => {
  it("gets memory in its system text, is kept with every reply, and is said to be unfolded once", async () => {
    const { client, server, events, tidemark } = await setUp();
    server.script({ reply: looking(4) });
    await tidemark.memory.save("The harbour master is called Zephyrine.");
    events.length = 0;
    await client.beta.messages
      .toolRunner({ model: MODEL, max_tokens: 500, tools: [look], messages: hello })
      .runUntilDone();
    expect(server.refusals).toEqual([]);
    expect(server.requests).toHaveLength(5);
    const [first, ...others] = server.requests.map(({ body }) => body);
    expect(first).toMatchObject({ thread: { type: "create" }, messages: hello });
    expect(systemText(first!)).toContain("Zephyrine");
    for (const body of others) {
      expect(body).toMatchObject({ thread: { type: "continue" } });
      expect(body).not.toHaveProperty("system");
      expect(body.messages).toHaveLength(1);
    }
    expect(events.filter(({ type }) => type === "passed")).toEqual([
      {
        type: "passed",
        reason: expect.stringContaining("toolRunner({ thread: false })") as string,
      },
    ]);
    const [session, ...more] = await tidemark.history.list();
    expect(more).toEqual([]);
    const { messages } = await tidemark.history.read({ conversation: session!.id });
    expect(messages).toHaveLength(10);
    expect(messages[1]).toEqual({ role: "assistant", content: server.requests[0]!.reply!.content });
    expect(messages.at(-1)).toMatchObject({
      role: "assistant",
      content: [{ type: "text", text: "I see a boat." }],
    });
  });

  it("is streamed, and recalls for a new message of the user's", async () => {
    const server = await freshServer();
    const { tidemark, events } = await freshTidemark({ recall: {} });
    const client = clientOf(server, tidemark);
    const thread = client.beta.messages.thread({ model: MODEL, max_tokens: 500 });
    await thread.stream({ role: "user", content: "Hello there." }).finalMessage();
    await tidemark.memory.save("The harbour master is called Zephyrine.");
    await thread
      .stream({ role: "user", content: "What is the harbour master called?" })
      .finalMessage();
    const asked = JSON.stringify(server.requests[1]!.body.messages);
    expect(asked).toContain("Zephyrine");
    expect(server.refusals).toEqual([]);
    expect(typesOf(events)).toContain("recalled");
    expect((await tidemark.history.list())[0]).toMatchObject({ messages: 4 });
  });

  it("has its window watched: one word about it before the provider refuses, and no call of ours", async () => {
    const server = await freshServer({ window: 12_000 });
    const { tidemark, events } = await freshTidemark({ window: { tokens: 12_000 } });
    const client = clientOf(server, tidemark);
    const thread = client.beta.messages.thread({ model: MODEL, max_tokens: 200 });
    for (let at = 0; at < 8; at += 1)
      await thread.send({ role: "user", content: words(280, `w${at}x`) });
    const notices = events.filter(
      (event) => event.type === "notice" && event.about === "thread-window",
    );
    expect(notices).toHaveLength(1);
    expect(events.filter(({ type }) => type === "folded" || type === "flushed")).toEqual([]);
    expect(server.requests.some(({ distil }) => distil)).toBe(false);
    expect(server.requests).toHaveLength(8);
  });

  it("passes as it came where its beginning was not seen, and says so", async () => {
    const server = await freshServer();
    const { tidemark: before } = await freshTidemark({});
    const { tidemark, events } = await freshTidemark({});
    const thread = clientOf(server, before).beta.messages.thread({ model: MODEL, max_tokens: 200 });
    await thread.send({ role: "user", content: "Hello." });
    const { id } = server.requests[0]!.reply as { id: string };
    await clientOf(server, tidemark).beta.messages.create({
      model: MODEL,
      max_tokens: 200,
      betas: ["message-threads-2026-08-12"],
      thread: { type: "continue", previous_message_id: id },
      messages: [{ role: "user", content: "And now?" }],
    });
    expect(server.requests[1]!.body).toMatchObject({
      messages: [{ role: "user", content: "And now?" }],
    });
    expect(events).toEqual([
      { type: "passed", reason: expect.stringContaining("began where Tidemark was not") as string },
    ]);
    expect(await tidemark.history.list()).toEqual([]);
  });
});
