import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV3Middleware, LanguageModelV4Middleware } from "@ai-sdk/provider";
import {
  convertToModelMessages,
  createGateway,
  generateText,
  isStepCount,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  Output,
  readUIMessageStream,
  streamText,
  tool,
  ToolLoopAgent,
  type UIMessage,
  wrapLanguageModel,
  wrapProvider,
} from "ai";
import { describe, expect, it } from "vitest";
import { tidemarkMiddleware, tidemarkTools } from "../../../src/adapters/ai-sdk.ts";
import { freshServer, freshTidemark, prose } from "../../support/anthropic.ts";
import { afterwards } from "../../support/afterwards.ts";
import { lastWords, said, startResponsesServer } from "../../support/responses-server.ts";
import type { TimedOptions } from "../../support/timed.ts";

type Json = Record<string, unknown>;

const DISTILLED = JSON.stringify({
  facts: [{ content: "The user's boat is called Zephyrine.", from: [1], importance: 0.8 }],
  summary: "The user told of a boat called Zephyrine, and of the pier.",
});
const isDistilling = (body: Json): boolean => lastWords(body).includes("[tidemark] distil");
const SMALL = { window: { tokens: 8_000, reserve: 1 } };

async function openaiOf(
  options: TimedOptions = {},
  server: Parameters<typeof startResponsesServer>[0] = {},
) {
  const api = await startResponsesServer({
    reply: (body) => [said(isDistilling(body) ? DISTILLED : `Aye: ${prose(40, 3)}`)],
    ...server,
  });
  afterwards(() => api.close());
  const { tidemark, events } = await freshTidemark(options);
  const model = wrapLanguageModel({
    model: createOpenAI({ baseURL: api.url, apiKey: "test" })("gpt-6.2"),
    middleware: tidemarkMiddleware(tidemark),
  });
  return { api, tidemark, events, model };
}

async function loop(model: LanguageModel, turns: number, streams = false, after?: () => unknown) {
  const messages: ModelMessage[] = [];
  for (let turn = 0; turn < turns; turn++) {
    messages.push({
      role: "user",
      content: `Turn ${turn}: my boat is Zephyrine. ${prose(80, turn)}`,
    });
    const asked = {
      model,
      messages,
      instructions: "Be brief.",
      maxRetries: 0,
      maxOutputTokens: 500,
    };
    if (streams) {
      const { text } = streamText(asked);
      messages.push({ role: "assistant", content: await text });
    } else messages.push(...(await generateText(asked)).responseMessages);
    await after?.();
  }
  return messages;
}

describe("the AI SDK over OpenAI's default API", () => {
  it.each([false, true])("folds, distils and remembers (streamed: %s)", async (streams) => {
    const { api, tidemark, model } = await openaiOf(SMALL);
    const messages = await loop(model, 48, streams, () => tidemark.idle());
    expect(api.refusals).toEqual([]);
    const [conversation, ...others] = await tidemark.history.list();
    expect(others).toEqual([]);
    expect(conversation!.folds).toBeGreaterThan(0);
    const last = api.requests.findLast((body) => !isDistilling(body))!;
    expect((last.input as Json[]).length).toBeLessThan(messages.length);
    expect(JSON.stringify(last.input)).toContain("The user told of a boat");
    expect((await tidemark.memory.list()).map(({ content }) => content)).toContain(
      "The user's boat is called Zephyrine.",
    );
  });

  it("keeps tools and their results, and knows users by providerOptions", async () => {
    const { api, tidemark, model } = await openaiOf(SMALL, {
      reply: (body) => {
        if (isDistilling(body)) return [said(DISTILLED)];
        const last = (body.input as Json[]).at(-1)!;
        if (last.type === "function_call_output") return [said("Read.")];
        const call_id = `call_${api.requests.length}`;
        return [
          { type: "reasoning", summary: [], encrypted_content: "x".repeat(300) },
          {
            type: "function_call",
            call_id,
            name: "read",
            arguments: '{"path":"a"}',
            status: "completed",
          },
        ];
      },
    });
    const read = tool({
      inputSchema: jsonSchema<{ path: string }>({
        type: "object",
        properties: { path: { type: "string" } },
      }),
      execute: () => prose(100, 5),
    });
    const messages: ModelMessage[] = [];
    for (let turn = 0; turn < 24; turn++) {
      messages.push({ role: "user", content: `Read it, ${turn}. ${prose(60, turn)}` });
      const made = await generateText({
        ...{ model, messages, tools: { read }, stopWhen: isStepCount(4) },
        providerOptions: {
          tidemark: { user: "ada", conversation: "boats" },
          openai: { store: false },
        },
      });
      messages.push(...made.responseMessages);
      await tidemark.idle();
    }
    expect(api.refusals).toEqual([]);
    expect(JSON.stringify(api.requests)).not.toContain('tidemark":{');
    const [conversation, ...others] = await tidemark.as({ user: "ada" }).history.list();
    expect(others).toEqual([]);
    expect(conversation).toMatchObject({ label: "boats" });
    expect(conversation!.folds).toBeGreaterThan(0);
  });
});

describe("the AI SDK over Anthropic's API", () => {
  it("is folded too", async () => {
    const server = await freshServer({});
    const { tidemark } = await freshTidemark(SMALL);
    const model = wrapLanguageModel({
      model: createAnthropic({ baseURL: `${server.url}/v1`, apiKey: "test" })("claude-sonnet-5-5"),
      middleware: tidemarkMiddleware(tidemark),
    });
    await loop(model, 40, false, () => tidemark.idle());
    const [conversation, ...others] = await tidemark.history.list();
    expect(others).toEqual([]);
    expect(conversation!.folds).toBeGreaterThan(0);
  });
});

describe("the AI SDK's other ways in", () => {
  const user = (turn: number): ModelMessage => ({
    role: "user",
    content: `Turn ${turn}: my boat is Zephyrine. ${prose(80, turn)}`,
  });

  it("fit the types of versions 6 and 7", async () => {
    const { tidemark } = await freshTidemark();
    const six: LanguageModelV3Middleware = tidemarkMiddleware(tidemark);
    const seven: LanguageModelV4Middleware = tidemarkMiddleware(tidemark);
    expect([six, seven].map(Object.keys)).toHaveLength(2);
  });

  it("are a provider whose models are all wrapped, and structured output", async () => {
    const api = await startResponsesServer({
      reply: (body) => [said(isDistilling(body) ? DISTILLED : '{"pier":7}')],
    });
    afterwards(() => api.close());
    const { tidemark } = await freshTidemark(SMALL);
    const provider = wrapProvider({
      provider: createOpenAI({ baseURL: api.url, apiKey: "test" }),
      languageModelMiddleware: tidemarkMiddleware(tidemark),
    });
    const messages: ModelMessage[] = [];
    const schema = jsonSchema<{ pier: number }>({
      type: "object",
      properties: { pier: { type: "number" } },
    });
    for (let turn = 0; turn < 48; turn++) {
      messages.push(user(turn));
      const made = await generateText({
        ...{ model: provider.languageModel("gpt-6.2"), messages },
        output: Output.object({ schema }),
      });
      expect(made.output).toEqual({ pier: 7 });
      messages.push(...made.responseMessages);
      await tidemark.idle();
    }
    expect(api.refusals).toEqual([]);
    const [conversation, ...others] = await tidemark.history.list();
    expect(others).toEqual([]);
    expect(conversation!.folds).toBeGreaterThan(0);
  });

  it("are an agent that remembers by its own tools, in its user's name alone", async () => {
    const { api, tidemark, model } = await openaiOf(
      {},
      {
        reply: (body) => {
          const last = (body.input as Json[]).at(-1)!;
          if (last.type === "function_call_output") return [said(`Noted: ${String(last.output)}`)];
          const given = { content: "The user moors at pier 7." };
          return [
            {
              type: "function_call",
              ...{ call_id: "call_1", name: "memory_save", status: "completed" },
              arguments: JSON.stringify(given),
            },
          ];
        },
      },
    );
    const agent = new ToolLoopAgent({ model, tools: tidemarkTools(tidemark.as({ user: "ada" })) });
    const { text } = await agent.generate({ prompt: "I moor at pier 7." });
    expect(text).toMatch(/^Noted: (?!Error)/);
    expect(api.refusals).toEqual([]);
    const of = async (name: string) =>
      (await tidemark.as({ user: name }).memory.list()).map(({ content }) => content);
    expect([await of("ada"), await of("bob")]).toEqual([["The user moors at pier 7."], []]);
  });

  it("are UI messages, which come back from JSON", async () => {
    const { api, tidemark, model } = await openaiOf(SMALL);
    let shown: UIMessage[] = [];
    for (let turn = 0; turn < 40; turn++) {
      const text = `Turn ${turn}: my boat is Zephyrine. ${prose(80, turn)}`;
      shown.push({ id: `u${turn}`, role: "user", parts: [{ type: "text", text }] });
      const stream = streamText({ model, messages: await convertToModelMessages(shown) });
      let last: UIMessage | undefined;
      for await (const message of readUIMessageStream({ stream: stream.toUIMessageStream() }))
        last = message;
      shown = JSON.parse(JSON.stringify([...shown, last])) as UIMessage[];
      await tidemark.idle();
    }
    expect(api.refusals).toEqual([]);
    const [conversation, ...others] = await tidemark.history.list();
    expect(others).toEqual([]);
    expect(conversation!.folds).toBeGreaterThan(0);
  });

  it("send nothing of who speaks, through a gateway that sends on all it is given", async () => {
    const { tidemark } = await freshTidemark();
    const bodies: string[] = [];
    const { languageModel } = createGateway({
      apiKey: "test",
      fetch: (_url, init) => {
        bodies.push(String(init?.body));
        return Promise.resolve(Response.json({ error: { message: "no" } }, { status: 400 }));
      },
    });
    const bare = languageModel("anthropic/claude-sonnet-5-5");
    const model = wrapLanguageModel({ model: bare, middleware: tidemarkMiddleware(tidemark) });
    const others: Record<string, { order: string[] }>[] = [
      {},
      { gateway: { order: ["anthropic"] } },
    ];
    for (const more of others) {
      const providerOptions = { tidemark: { user: "ada" }, ...more };
      const asked = generateText({ model, prompt: "Hi.", providerOptions, maxRetries: 0 });
      await expect(asked).rejects.toThrow();
    }
    expect(bodies).toHaveLength(2);
    expect(bodies.join(" ")).not.toContain("ada");
    expect(bodies[1]).toContain('"order":["anthropic"]');
    expect(await tidemark.as({ user: "ada" }).history.list()).toHaveLength(2);
  });

  it.each([
    ["ada", / takes an object with agent, .+, got "ada"\.$/],
    [null, / takes an object with agent, .+, got null\.$/],
    [{ usr: "ada" }, / knows no "usr"; did you mean "user"\?$/],
    [{ user: 7 }, /: "user" must be .+, got 7\.$/],
    [{ user: "ada", conversation: 7 }, /: "conversation" must be a text .+, got 7\.$/],
  ])("refuse %j for a speaker, and say where it stands", async (who, message) => {
    const { api, model } = await openaiOf();
    const providerOptions = { tidemark: who as Json as Record<string, string> };
    const asked = generateText({ model, prompt: "Hi.", providerOptions, maxRetries: 0 });
    await expect(asked).rejects.toThrow(message);
    await expect(asked).rejects.toThrow(/^providerOptions\.tidemark/);
    expect(api.requests).toEqual([]);
  });

  it("leave pictures and files as they are", async () => {
    const { api, tidemark, model } = await openaiOf();
    const picture = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, 0, 0]);
    const messages: ModelMessage[] = [
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "file", data: picture, mediaType: "image/png" },
        ],
      },
    ];
    for (const words of ["And now?", "And then?"]) {
      messages.push(...(await generateText({ model, messages })).responseMessages);
      messages.push({ role: "user", content: words });
    }
    await generateText({ model, messages });
    expect(api.refusals).toEqual([]);
    expect(JSON.stringify(api.requests.at(-1))).toContain("data:image/png;base64,iVBORw0KGgoAAA==");
    expect(await tidemark.history.list()).toHaveLength(1);
  });
});
