import Anthropic, { type Middleware } from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { anthropicMiddleware } from "../../../src/adapters/anthropic.ts";
import type { Refusal } from "../../support/messages-server/index.ts";
import {
  asked,
  freshServer,
  freshTidemark,
  loopOf,
  MODEL,
  setUp,
  spoken,
  textOf,
  typesOf,
  words,
} from "../../support/anthropic.ts";

const params = {
  model: MODEL,
  max_tokens: 500,
  messages: [{ role: "user" as const, content: "Hello, I am Ada." }],
};
const tooLong: Refusal = {
  status: 400,
  type: "invalid_request_error",
  message: "prompt is too long: 5000 tokens > 3000 maximum",
};

/** A conversation of so many turns, about 130 tokens each, as another program left it. */
const past = (turns: number): Anthropic.MessageParam[] =>
  Array.from({ length: turns }, (_, turn): Anthropic.MessageParam[] => [
    { role: "user", content: `Question ${turn}: ${words(30, `q${turn}x`)}` },
    { role: "assistant", content: `Answer ${turn}: ${words(30, `a${turn}x`)}` },
  ]).flat();

/** A provider that says nothing of its windows: the table's figure is believed until a request is refused. */
const silent: Middleware = (request, next) =>
  request.method?.toUpperCase() === "GET"
    ? Promise.resolve(
        Response.json(
          { type: "error", error: { type: "not_found_error", message: "Not found" } },
          { status: 404 },
        ),
      )
    : next(request);

async function misled(models: NonNullable<Parameters<typeof freshServer>[0]>["models"]) {
  const server = await freshServer({ models: models! });
  const { tidemark, events } = await freshTidemark({ distil: "extractive" });
  const client = new Anthropic({
    baseURL: server.url,
    apiKey: "test",
    maxRetries: 0,
    logLevel: "off",
    middleware: [anthropicMiddleware(tidemark), silent],
  });
  return { server, tidemark, events, client };
}

describe("a request that is too long for the provider", () => {
  for (const [saying, sumMustFit] of [
    ["prompt is too long", false],
    ["input length and `max_tokens` exceed context limit", true],
  ] as const) {
    it(`is folded and sent again once: ${saying}`, async () => {
      const { server, client, tidemark, events } = await misled({
        [MODEL]: { max_input_tokens: sumMustFit ? 6_500 : 4_000, sumMustFit },
      });
      const history = past(24);
      const copy = structuredClone(history);
      const loop = loopOf(client, {}, history);
      const reply = await loop.say("What was question 23 about?");
      expect(textOf(reply)).toContain("What was question 23 about?");
      expect(server.refusals.map(({ message }) => message)).toEqual([
        expect.stringContaining(saying),
      ]);
      expect(server.requests).toHaveLength(2);
      expect(typesOf(events)).toEqual(expect.arrayContaining(["folded", "overflow-recovered"]));
      expect(history.slice(0, copy.length)).toEqual(copy);

      const [session] = await tidemark.history.list();
      const { messages } = await tidemark.history.read({ conversation: session!.id });
      expect(messages).toEqual(loop.messages);

      // The window that two refusals named is known from then on: no third one comes.
      for (let turn = 0; turn < 20; turn++)
        await loop.say(`More ${turn}: ${words(60, `m${turn}x`)}`);
      expect(server.refusals).toHaveLength(2);
      expect(await tidemark.history.list()).toHaveLength(1);
    });
  }

  it("reaches the caller when the shorter one is refused as well", async () => {
    const { server, client } = await setUp({
      distil: "extractive",
      server: { fail: () => tooLong },
    });
    const call = client.messages.create({ ...params, messages: [...past(20), ...params.messages] });
    await expect(call).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    await expect(call).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("prompt is too long: 5000 tokens > 3000 maximum") as string,
    });
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(server.requests[1]!.body).length).toBeLessThan(
      JSON.stringify(server.requests[0]!.body).length,
    );
  });

  it("is folded when the answer is 413, and in a stream", async () => {
    const plan: (Refusal | undefined)[] = [
      { status: 413, type: "request_too_large", message: "Request exceeds the maximum size" },
    ];
    const { server, client, tidemark } = await setUp({
      distil: "extractive",
      server: { fail: plan },
    });
    const reply = await client.messages
      .stream({ ...params, messages: [...past(20), ...params.messages] })
      .finalMessage();
    expect(textOf(reply)).toContain("Ada");
    expect(server.requests).toHaveLength(2);
    expect(await tidemark.history.list()).toMatchObject([{ messages: 42, folds: 1 }]);
  });

  it("stays folded through the retries that follow", async () => {
    const { server, client, tidemark, events } = await setUp({
      distil: "extractive",
      server: { fail: [tooLong, "rate-limit", "overloaded"] },
    });
    await client.messages.create({ ...params, messages: [...past(20), ...params.messages] });
    const [first, ...others] = server.requests.map(({ body }) => JSON.stringify(body));
    expect(others).toHaveLength(3);
    expect(new Set(others).size).toBe(1);
    expect(others[0]).not.toBe(first);
    expect(typesOf(events).filter((type) => type === "folded")).toHaveLength(1);
    expect(await tidemark.history.list()).toMatchObject([{ messages: 42 }]);
  });

  it("is not what a rate limit is, whatever its words", async () => {
    const plan = () => ({
      status: 429,
      type: "rate_limit_error",
      message: "prompt is too long for your rate limit: 5000 tokens > 3000 maximum per minute",
    });
    const { server, client, events } = await setUp({
      distil: "extractive",
      server: { fail: plan },
      client: { maxRetries: 1 },
    });
    await expect(
      client.messages.create({ ...params, messages: [...past(20), ...params.messages] }),
    ).rejects.toBeInstanceOf(Anthropic.RateLimitError);
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(server.requests[1]!.body)).toBe(JSON.stringify(server.requests[0]!.body));
    expect(typesOf(events)).not.toContain("folded");
  });
});

describe("attempts of one call", () => {
  for (const stream of [false, true]) {
    it(`are one turn with one archive, ${stream ? "streamed" : "whole"}: cut line, rate limit, overload, error`, async () => {
      const { server, client, tidemark } = await setUp({
        server: { fail: ["disconnect", "rate-limit", "overloaded", "error"] },
        client: { maxRetries: 4 },
      });
      const reply = stream
        ? await client.messages.stream(params).finalMessage()
        : await client.messages.create(params);
      expect(textOf(reply)).toContain("Ada");
      expect(server.requests).toHaveLength(5);
      expect(new Set(server.requests.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      expect(await tidemark.history.list()).toMatchObject([{ messages: 2 }]);
      expect((await tidemark.stats()).calls.turn.calls).toBe(1);
    });
  }
});

describe("an answer that breaks off", () => {
  const long = words(300, "tide");

  it("is archived as far as it came, and the conversation goes on behind it", async () => {
    const { server, client, tidemark } = await setUp({
      server: { reply: () => long, fail: [undefined, { cutAfter: 8 }] },
      client: { maxRetries: 0 },
    });
    const loop = loopOf(client);
    await loop.say("Hello.");
    loop.messages.push({ role: "user", content: "Tell me more." });
    const stream = client.messages.stream({
      model: MODEL,
      max_tokens: 500,
      messages: loop.messages as Anthropic.MessageParam[],
    });
    let partial = "";
    stream.on("text", (_delta, soFar) => (partial = soFar));
    await expect(stream.finalMessage()).rejects.toThrow();
    expect(partial.length).toBeGreaterThan(0);
    const [session] = await tidemark.history.list();
    const cut = (await tidemark.history.read({ conversation: session!.id }))
      .messages[3] as unknown as { content: { text: string }[] };
    expect(cut.content[0]!.text).toBe(partial);

    loop.messages.push({ role: "assistant", content: `${partial} [interrupted]` });
    await loop.say("continue");
    expect(server.refusals).toEqual([]);
    expect(await tidemark.history.list()).toMatchObject([{ id: session!.id, messages: 6 }]);
    const { messages } = await tidemark.history.read({ conversation: session!.id });
    expect(messages).toEqual(loop.messages.with(3, cut as never));
  });

  it("fails for the caller as it does without Tidemark when it is no answer at all", async () => {
    const { client, tidemark, events, server } = await setUp({
      server: { fail: ["junk", "junk", { cutAfter: 1 }] },
      client: { maxRetries: 0 },
    });
    await expect(client.messages.create(params)).rejects.toThrow(SyntaxError);
    await expect(client.messages.stream(params).finalMessage()).rejects.toThrow();
    await expect(client.messages.create(params)).rejects.toThrow();
    const lengths = async () => (await tidemark.history.list()).map(({ messages }) => messages);
    expect(await lengths()).toEqual([1, 1, 1]);
    expect(typesOf(events)).not.toContain("degraded");
    await client.messages.create(params);
    expect(await lengths()).toEqual([2, 1, 1, 1]);
    expect([spoken(server).length, asked(server).length]).toEqual([4, 0]);
  });
});
