import Anthropic from "@anthropic-ai/sdk";
import { afterEach, describe, expect, it } from "vitest";
import {
  type MessagesServer,
  type ServerOptions,
  startMessagesServer,
} from "../../support/messages-server/index.ts";

const running: MessagesServer[] = [];
async function start(options: ServerOptions = {}) {
  const server = await startMessagesServer(options);
  running.push(server);
  return { server, client: new Anthropic({ baseURL: server.url, apiKey: "test", maxRetries: 0 }) };
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

const tools = [{ name: "run", input_schema: { type: "object" as const } }];
const conversation: Anthropic.MessageParam[] = [
  {
    role: "user",
    content: "My cat is called Whiskerino and lives in Lisbon. Please deploy build 4711.",
  },
  {
    role: "assistant",
    content: [
      { type: "text", text: "I'll run it." },
      { type: "tool_use", id: "a", name: "run", input: { script: "deploy.sh" } },
    ],
  },
  {
    role: "user",
    content: [
      {
        type: "tool_result",
        tool_use_id: "a",
        content: "wrote /srv/app/releases/4711/manifest.json in 12 s",
      },
    ],
  },
  { role: "assistant", content: "We decided to keep the old release in /srv/app/releases/4710." },
];
const instruction = (range: string) =>
  `[tidemark] distil\nRead what stands above.\n\n${range}\nSummary: at most 300 tokens.\n\nReply with JSON only.`;
const request = (
  range = "Range: messages 1 to 4, counted from 1.\nFacts: from messages 1 to 4 only, at most 40.",
) => ({
  model: "claude-sonnet-5-5",
  max_tokens: 2_000,
  tools,
  messages: [...conversation, { role: "user" as const, content: instruction(range) }],
});

interface Distilled {
  facts: { content: string; category: string; importance: number; from: number[] }[];
  summary: string;
}
const read = (message: Anthropic.Message): Distilled =>
  JSON.parse((message.content[0] as Anthropic.TextBlock).text) as Distilled;

describe("a request to distil", () => {
  it("is answered with facts of the range, each with its ordinal, and a summary", async () => {
    const { server, client } = await start();
    const distilled = read(await client.messages.create(request()));
    const from = (words: string) =>
      distilled.facts.find(({ content }) => content.includes(words))?.from;
    expect(from("Whiskerino")).toEqual([1]);
    expect(from("/srv/app/releases/4711/manifest.json")).toEqual([3]);
    expect(from("/srv/app/releases/4710")).toEqual([4]);
    expect(distilled.summary).toContain("Whiskerino");
    expect(distilled.facts.every(({ importance }) => importance >= 0 && importance <= 1)).toBe(
      true,
    );
    expect(server.requests[0]!.distil).toBe(true);
  });

  it("gets the same answer each time", async () => {
    const { client } = await start();
    const [one, two] = [
      await client.messages.create(request()),
      await client.messages.create(request()),
    ];
    expect(one.content).toEqual(two.content);
  });

  it("gets facts only from the messages it asks about", async () => {
    const { client } = await start();
    const some = read(
      await client.messages.create(
        request(
          "Range: messages 1 to 4, counted from 1.\nFacts: from messages 3 to 4 only, at most 40.",
        ),
      ),
    );
    expect(new Set(some.facts.flatMap(({ from }) => from))).toEqual(new Set([3, 4]));
    const none = read(
      await client.messages.create(
        request(
          'Range: messages 1 to 4.\nFacts: none are wanted this time; reply with "facts":[].',
        ),
      ),
    );
    expect(none.facts).toEqual([]);
  });

  it("is understood with the conversation written out in it, and with the summary so far", async () => {
    const { client } = await start();
    const ask = [
      instruction(
        "Range: messages 7 to 8, each marked [#number speaker].\nFacts: from messages 7 to 8 only, at most 40.",
      ),
      "<tidemark-previous-summary>The user's dog is called Rex.</tidemark-previous-summary>",
      "<tidemark-transcript>",
      "[#7 user] My cat is called Whiskerino.",
      "[#8 assistant] I will look for Whiskerino in Lisbon, at 12 Rua Augusta.",
      "</tidemark-transcript>",
    ].join("\n");
    const distilled = read(
      await client.messages.create({
        model: "claude-sonnet-5-5",
        max_tokens: 2_000,
        messages: [{ role: "user", content: ask }],
      }),
    );
    expect(distilled.facts.map(({ from }) => from[0]).sort()).toEqual([7, 8]);
    expect(distilled.summary).toContain("Rex");
    expect(distilled.summary).not.toContain("tidemark-");
  });

  it("leaves out what stands in Tidemark's own fences", async () => {
    const { client } = await start();
    const body = request();
    body.messages[0] = {
      role: "user",
      content:
        '<tidemark-summary fold="f1">The secret word is Rumpelstiltskin.</tidemark-summary> My name is Ada Lovelace.',
    };
    const text = JSON.stringify(read(await client.messages.create(body)));
    expect(text).toContain("Ada Lovelace");
    expect(text).not.toContain("Rumpelstiltskin");
  });

  it("can be answered with junk, a cut reply, a refusal or a call", async () => {
    const { server, client } = await start({ distil: "junk" });
    const answer = () => client.messages.create(request());
    const textOf = (message: Anthropic.Message) => (message.content[0] as Anthropic.TextBlock).text;
    const unreadable = (message: Anthropic.Message) =>
      expect(() => read(message)).toThrow(SyntaxError);
    unreadable(await answer());
    server.script({ distil: "cut" });
    const cut = await answer();
    expect(cut.stop_reason).toBe("max_tokens");
    expect(textOf(cut)).toMatch(/^\{"facts":\[\{"content":"/);
    unreadable(cut);
    server.script({ distil: "refuse" });
    expect((await answer()).stop_reason).toBe("refusal");
    server.script({ distil: "tool_use" });
    expect(await answer()).toMatchObject({
      stop_reason: "tool_use",
      content: [{ type: "text" }, { type: "tool_use", name: "run" }],
    });
    server.script({ distil: (_request, { index }) => `mine ${index}` });
    expect(textOf(await answer())).toBe("mine 0");
  });

  it("can fail or hang while the conversation goes on", async () => {
    const { server, client } = await start({ distil: "fail" });
    await expect(client.messages.create(request())).rejects.toMatchObject({ status: 500 });
    server.script({ distil: "hang" });
    const controller = new AbortController();
    const hung = client.messages.create(request(), { signal: controller.signal });
    const chat = await client.messages.create({
      ...request(),
      messages: [{ role: "user", content: "hi" }],
    });
    expect(chat.stop_reason).toBe("end_turn");
    controller.abort();
    await expect(hung).rejects.toBeInstanceOf(Anthropic.APIUserAbortError);
  });

  it("is bound by a forced tool or a required form like any other", async () => {
    const { client } = await start();
    expect(
      (await client.messages.create({ ...request(), tool_choice: { type: "any" } })).stop_reason,
    ).toBe("tool_use");
  });
});
