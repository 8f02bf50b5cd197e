import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { describe, expect, it } from "vitest";
import { anthropicMiddleware } from "../../../src/adapters/anthropic.ts";
import {
  freshServer,
  freshTidemark,
  MODEL,
  setUp,
  systemText,
  textOf,
  typesOf,
  words,
} from "../../support/anthropic.ts";

const hello: Anthropic.MessageParam[] = [{ role: "user", content: "Hello, I am Ada." }];
const params = { model: MODEL, max_tokens: 500, messages: hello };

describe("a call through the SDK", () => {
  it("keeps request id, raw response and headers for those who ask for them", async () => {
    const { client } = await setUp();
    const { data, response, request_id: id } = await client.messages.create(params).withResponse();
    expect(id).toMatch(/^req_/);
    expect(response.headers.get("request-id")).toBe(id);
    expect(textOf(data)).toContain("Ada");
    const raw = await client.messages.create(params).asResponse();
    expect(((await raw.json()) as Anthropic.Message).type).toBe("message");
  });

  it("hands on every event of a stream that is iterated, and has the reply on file when the last one is read", async () => {
    const { client, tidemark } = await setUp();
    const events: string[] = [];
    let onFile = 0;
    for await (const event of await client.messages.create({ ...params, stream: true })) {
      events.push(event.type);
      if (event.type === "message_stop") onFile = (await tidemark.history.list())[0]!.messages;
    }
    expect(events[0]).toBe("message_start");
    expect(events.at(-1)).toBe("message_stop");
    expect(onFile).toBe(2);
  });

  it("goes through the beta client in the same way", async () => {
    const { client, tidemark, server } = await setUp();
    const messages: Anthropic.Beta.BetaMessageParam[] = [...hello];
    const first = await client.beta.messages.create({
      ...params,
      messages,
      betas: ["context-management-2025-06-27"],
    });
    messages.push(
      { role: "assistant", content: first.content },
      { role: "user", content: "And again." },
    );
    const second = await client.beta.messages.stream({ ...params, messages }).finalMessage();
    messages.push({ role: "assistant", content: second.content });
    expect(await tidemark.history.list()).toMatchObject([{ messages: 4 }]);
    expect(server.requests.map(({ headers }) => headers["anthropic-beta"])).toEqual([
      "context-management-2025-06-27",
      undefined,
    ]);
  });
});

describe("a stream that is not read to its end", () => {
  const long = words(400, "tide");
  const server = { reply: () => long };

  it("is archived as far as it came when the reader breaks off, and the next call goes on with the session", async () => {
    const { client, tidemark } = await setUp({ server });
    const messages = [...hello];
    let text = "";
    for await (const event of await client.messages.create({ ...params, messages, stream: true })) {
      if (event.type === "content_block_delta" && event.delta.type === "text_delta")
        text += event.delta.text;
      if (text.length > 200) break;
    }
    const [session] = await tidemark.history.list();
    expect(session).toMatchObject({ messages: 2 });
    const kept = (await tidemark.history.read({ conversation: session!.id }))
      .messages[1] as unknown as { content: { text: string }[] };
    expect(kept.content[0]!.text.startsWith(text)).toBe(true);
    expect(long.startsWith(kept.content[0]!.text)).toBe(true);

    messages.push({ role: "assistant", content: text }, { role: "user", content: "Go on." });
    await client.messages.create({ ...params, messages });
    expect(await tidemark.history.list()).toMatchObject([{ id: session!.id, messages: 4 }]);
    // All that came is kept, also what its reader did not wait for.
    const { messages: now } = await tidemark.history.read({ conversation: session!.id });
    expect(JSON.stringify(now[1])).toContain(text);
  });

  it("leaves no reply behind when the call is aborted before an answer, and the caller may ask again", async () => {
    const { client, tidemark, server: provider } = await setUp({ server: { fail: ["hang"] } });
    const abort = new AbortController();
    const call = client.messages.create(params, { signal: abort.signal });
    while (provider.requests.length === 0) await new Promise(setImmediate);
    abort.abort();
    await expect(call).rejects.toBeInstanceOf(Anthropic.APIUserAbortError);
    expect(await tidemark.history.list()).toMatchObject([{ messages: 1 }]);
    await client.messages.create(params);
    expect((await tidemark.history.list())[0]).toMatchObject({ messages: 2 });
  });
});

describe("a call that waits for a summary", () => {
  it("ends when its caller hangs up", async () => {
    let asked = false;
    const { client } = await setUp({
      window: { tokens: 8_000, patience: 600_000 },
      distil: () => ((asked = true), new Promise(() => undefined)),
    });
    const abort = new AbortController();
    const messages = Array.from({ length: 31 }, (_, at) => ({
      role: at % 2 === 0 ? ("user" as const) : ("assistant" as const),
      content: words(80, `m${at}x`),
    }));
    const call = client.messages.create({ ...params, messages }, { signal: abort.signal });
    const ended = expect(call).rejects.toBeInstanceOf(Anthropic.APIUserAbortError);
    await expect.poll(() => asked).toBe(true);
    abort.abort();
    await ended;
  });
});

describe("toolRunner({ thread: false })", () => {
  const weather = betaTool({
    name: "weather",
    description: "The weather of a place.",
    inputSchema: {
      type: "object",
      properties: { place: { type: "string" } },
      required: ["place"],
    } as const,
    run: ({ place }) => `It is sunny in ${place}, with ${words(60, "breeze")}.`,
  });
  const script = (request: Record<string, unknown>) => {
    const messages = request.messages as { role: string; content: unknown }[];
    const rounds = messages.filter(({ role }) => role === "assistant").length;
    return rounds < 3
      ? [{ type: "tool_use", name: "weather", input: { place: `town ${rounds}` } }]
      : "Sunny everywhere.";
  };

  for (const stream of [false, true]) {
    it(`runs its tools and is one session of all its rounds, ${stream ? "streamed" : "whole"}`, async () => {
      const { client, tidemark, server } = await setUp({ server: { reply: script } });
      const runner = client.beta.messages.toolRunner({
        model: MODEL,
        max_tokens: 500,
        thread: false,
        stream,
        tools: [weather],
        messages: [{ role: "user", content: "How is the weather?" }],
      });
      const last = await runner.runUntilDone();
      expect(textOf(last as Anthropic.Beta.BetaMessage)).toBe("Sunny everywhere.");
      expect(server.refusals).toEqual([]);
      expect(server.requests).toHaveLength(4);
      expect(await tidemark.history.list()).toMatchObject([{ messages: 8 }]);
    });
  }

  it("is folded in the middle of its rounds without an orphaned result", async () => {
    const { client, server, events } = await setUp({
      server: {
        reply: (request) => {
          const calls = JSON.stringify(request).split("tool_use_id").length - 1;
          const done = server.requests.length > 30;
          return done
            ? "Done."
            : [{ type: "tool_use", name: "weather", input: { place: `town ${calls}` } }];
        },
      },
      window: { tokens: 4_000 },
    });
    const runner = client.beta.messages.toolRunner({
      model: MODEL,
      max_tokens: 300,
      thread: false,
      max_iterations: 40,
      tools: [weather],
      messages: [{ role: "user", content: "Look at all the towns." }],
    });
    expect(textOf(await runner.runUntilDone())).toBe("Done.");
    expect(typesOf(events)).toContain("folded");
    expect(server.refusals).toEqual([]);
  });
});

describe("what is not a conversation of the caller's own", () => {
  it("passes byte for byte: counting, models, batches", async () => {
    const server = await freshServer();
    const { tidemark, events } = await freshTidemark();
    const sent: { url: string; body: unknown }[] = [];
    const seen: typeof sent = [];
    const client = new Anthropic({
      baseURL: server.url,
      apiKey: "test",
      maxRetries: 0,
      middleware: [
        (request, next) => (seen.push({ url: request.url, body: request.body }), next(request)),
        anthropicMiddleware(tidemark),
      ],
      fetch: (url, init) => (sent.push({ url: String(url), body: init?.body }), fetch(url, init)),
    });
    expect(
      (await client.messages.countTokens({ model: MODEL, messages: hello })).input_tokens,
    ).toBeGreaterThan(0);
    expect((await client.models.retrieve(MODEL)).max_input_tokens).toBe(200_000);
    await expect(
      client.messages.batches.create({ requests: [{ custom_id: "a", params }] }),
    ).rejects.toBeInstanceOf(Anthropic.NotFoundError);
    expect(sent).toEqual(seen);
    expect(sent).toHaveLength(3);
    expect(await tidemark.history.list()).toEqual([]);
    expect(events).toEqual([]);
  });

  it("passes when the request asks the server for a compaction", async () => {
    const { client, server, events } = await setUp();
    await client.beta.messages.create({
      ...params,
      compaction: { type: "summarize" },
      betas: ["compact-2026-09-04"],
    });
    expect(server.requests[0]!.body).toEqual({ ...params, compaction: { type: "summarize" } });
    expect(events).toEqual([
      { type: "passed", reason: expect.stringContaining("compaction") as string },
    ]);
  });
});

describe("the request on the wire", () => {
  it("has the length of its changed body, and the caller's headers", async () => {
    const { client, server, tidemark } = await setUp({
      client: { defaultHeaders: { "x-team": "harbour" } },
    });
    await tidemark.memory.save("The harbour master is called Zephyrine.");
    const body = JSON.stringify(params);
    // The SDK leaves the length to fetch; a proxy's own middleware may have set one.
    await client.messages.create(params, {
      headers: {
        "content-length": String(body.length),
        "x-request": "one",
        "anthropic-beta": "some-beta-2026-01-01",
      },
    });
    const { headers, body: sent } = server.requests[0]!;
    expect(Number(headers["content-length"])).toBe(Buffer.byteLength(JSON.stringify(sent)));
    expect(headers).toMatchObject({
      "x-team": "harbour",
      "x-request": "one",
      "anthropic-beta": "some-beta-2026-01-01",
      authorization: "Bearer test",
    });
    expect(systemText(sent)).toContain("Zephyrine");
  });
});

describe("identity, modes and lifetime", () => {
  it("goes on without Tidemark after its close, and says so once", async () => {
    const { client, tidemark, server, events } = await setUp();
    await client.messages.create(params);
    await tidemark.close();
    events.length = 0;
    for (let at = 0; at < 2; at += 1)
      expect(textOf(await client.messages.create(params))).toBe("You said: Hello, I am Ada.");
    expect(server.requests.slice(1).map(({ body }) => body)).toEqual([params, params]);
    expect(events).toEqual([
      { type: "passed", reason: "this Tidemark was closed, so its client goes on without it" },
    ]);
  });
});
