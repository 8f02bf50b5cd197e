import { AsyncLocalStorage } from "node:async_hooks";
import OpenAI, { AzureOpenAI } from "openai";
import { describe, expect, it } from "vitest";
import { openaiMiddleware, type OpenAIOptions, wrapOpenAI } from "../../../src/adapters/openai.ts";
import { afterwards, freshTidemark, prose, typesOf } from "../../support/anthropic.ts";
import { startCompletionsServer } from "../../support/completions-server.ts";
import { said, startResponsesServer } from "../../support/responses-server.ts";
import type { TimedOptions } from "../../support/timed.ts";
import { DISTILLED } from "../stacks/stack.ts";

type Json = Record<string, unknown>;

const SMALL = { window: { tokens: 8_000, reserve: 1 } };

/** Clients of a server of either API, and what the server heard. */
async function opened(
  api: { url: string; close(): Promise<void> },
  {
    adapter,
    retries = 2,
    ...options
  }: TimedOptions & { adapter?: OpenAIOptions; retries?: number } = {},
) {
  afterwards(() => api.close());
  const { tidemark, events } = await freshTidemark(options);
  const bare = { baseURL: api.url, apiKey: "test", logLevel: "off", maxRetries: retries } as const;
  const client = new OpenAI({ ...bare, fetch: openaiMiddleware(tidemark, adapter) });
  return { tidemark, events, client, bare: new OpenAI(bare) };
}

async function responses() {
  const api = await startResponsesServer({ reply: () => [said("Aye.")] });
  return { api, ...(await opened(api)) };
}

async function completions(
  server: Parameters<typeof startCompletionsServer>[0] = {},
  how: Parameters<typeof opened>[1] = {},
) {
  const api = await startCompletionsServer(server);
  return { api, ...(await opened(api, how)) };
}

describe("Responses", () => {
  it.each([
    { conversation: "conv_1" },
    { background: true },
    { prompt: { id: "pmpt_1", variables: { boat: "Zephyrine" } } },
  ])("are watched and not folded where %j says so", async (given) => {
    const { api, client, events } = await responses();
    const body = { model: "gpt-6.2", input: "Hello.", ...given };
    await client.responses.create(body).catch(() => undefined);
    expect(api.requests.concat(api.requests.length === 0 ? [body] : [])).toEqual([body]);
    expect(typesOf(events).filter((type) => type === "history-held")).toHaveLength(1);
  });

  it("pass where the server holds the history, and are told of once", async () => {
    const { api, client, events } = await responses();
    const first = await client.responses.create({ model: "gpt-6.2", input: "Hello." });
    const body = { model: "gpt-6.2", input: "And now?", previous_response_id: first.id };
    await client.responses.create(body);
    await client.responses.create({ ...body, input: "And then?" });
    expect(api.requests[1]).toEqual(body);
    expect(typesOf(events).filter((type) => type === "history-held")).toHaveLength(1);
  });

  it("leave all that is no chat untouched", async () => {
    const { api, client } = await responses();
    await client.models.list();
    await client.embeddings.create({ model: "e", input: "x" }).catch(() => undefined);
    expect(api.paths).toEqual(["/v1/models", "/v1/embeddings"]);
  });
});

describe("chat completions", () => {
  it("are streamed with their usage, which the caller does not see unless it asked", async () => {
    const { api, tidemark, client } = await completions();
    const messages: OpenAI.ChatCompletionMessageParam[] = [];
    for (const asks of [false, true]) {
      messages.push({ role: "user", content: "Hello." });
      const stream = await client.chat.completions.create({
        ...{ model: "gpt-6.2", messages, stream: true },
        ...(asks && { stream_options: { include_usage: true } }),
      });
      let [text, usages] = ["", 0];
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? "";
        usages += chunk.choices.length === 0 ? 1 : 0;
      }
      expect(usages).toBe(asks ? 1 : 0);
      messages.push({ role: "assistant", content: text });
    }
    expect(api.refusals).toEqual([]);
    const { turn } = (await tidemark.stats()).calls;
    expect([turn.calls, turn.output]).toEqual([2, 40]);
  });
});

describe("two users who say the same at once", () => {
  it("are two, though their bytes are one, and a retry is its user's", async () => {
    const speaking = new AsyncLocalStorage<string>();
    const { api, tidemark, client } = await completions(
      { fails: (count) => (count < 2 ? 500 : undefined) },
      { adapter: { identity: () => ({ user: speaking.getStore()! }) }, retries: 3 },
    );
    for (const user of ["ada", "bob"])
      await tidemark.as({ user }).memory.save({ content: `The user is ${user}.`, importance: 1 });
    const messages = [{ role: "user" as const, content: "Who am I?" }];
    await Promise.all(
      ["ada", "bob"].map((user) =>
        speaking.run(user, () => client.chat.completions.create({ model: "gpt-6.2", messages })),
      ),
    );
    const told = api.requests.map((body) => /The user is (\w+)/.exec(JSON.stringify(body))?.[1]);
    expect(told.sort()).toEqual(["ada", "bob"]);
    for (const user of ["ada", "bob"])
      expect(await tidemark.as({ user }).history.list()).toHaveLength(1);
  });
});

describe("a client that is there already", () => {
  async function wrapped(server: Parameters<typeof startCompletionsServer>[0]) {
    const set = await completions(server, SMALL);
    return { ...set, client: wrapOpenAI(set.bare, set.tidemark) };
  }

  it("is wrapped beside the bare one, runs tools, and leaves the caller's objects alone", async () => {
    let count = 0;
    const { api, tidemark, client, bare } = await wrapped({
      reply: ({ messages }) => {
        const last = (messages as Json[]).at(-1)!;
        if (String(last.content).includes("[tidemark] distil")) return { content: DISTILLED };
        if (last.role === "tool") return { content: `Read. ${prose(30, count)}` };
        const call = { name: "read", arguments: '{"path":"a"}' };
        return { tool_calls: [{ id: `call_${count++}`, type: "function", function: call }] };
      },
    });
    const messages: OpenAI.ChatCompletionMessageParam[] = [];
    for (let turn = 0; turn < 12; turn++) {
      messages.push({ role: "user", content: `Read it, ${turn}. ${prose(200, turn)}` });
      const before = JSON.stringify(messages);
      const runner = client.chat.completions.runTools({
        ...{ model: "gpt-6.2", messages },
        tools: [
          {
            type: "function",
            function: {
              ...{ name: "read", description: "Reads.", parse: JSON.parse },
              parameters: { type: "object", properties: { path: { type: "string" } } },
              function: () => prose(200, turn),
            },
          },
        ],
      });
      await runner.done();
      expect(JSON.stringify(messages)).toBe(before);
      messages.splice(0, messages.length, ...runner.messages);
      await tidemark.idle();
    }
    expect(api.refusals).toEqual([]);
    const [conversation, ...others] = await tidemark.history.list();
    expect(others).toEqual([]);
    expect(conversation!.folds).toBeGreaterThan(0);
    const seen = (await tidemark.stats()).calls.turn.calls;
    await bare.chat.completions.create({
      model: "gpt-6.2",
      messages: [{ role: "user", content: "Hello." }],
    });
    expect((await tidemark.stats()).calls.turn.calls).toBe(seen);
  });

  it("parses structured output", async () => {
    const { api, client } = await wrapped({ reply: () => ({ content: '{"pier":7}' }) });
    const parsed = await client.chat.completions.parse({
      model: "gpt-6.2",
      messages: [{ role: "user", content: "Which pier?" }],
      response_format: {
        type: "json_schema",
        json_schema: { name: "pier", strict: true, schema: { type: "object" } },
      },
    });
    expect([parsed.choices[0]?.message.parsed, api.refusals]).toEqual([{ pier: 7 }, []]);
  });

  it("must be one", async () => {
    const { tidemark } = await freshTidemark();
    expect(() => wrapOpenAI({} as OpenAI, tidemark)).toThrow(
      "wrapOpenAI: the first argument must be a client of the openai package",
    );
  });
});

describe("other servers", () => {
  it("are not asked for the usage of a stream where they refuse that", async () => {
    const { api, client } = await completions({
      refuses: (body) =>
        "stream_options" in body ? "Unknown parameter: 'stream_options'." : undefined,
    });
    for (const content of ["Hello.", "Hello again."]) {
      const messages = [{ role: "user" as const, content }];
      const stream = client.chat.completions.stream({ model: "gpt-6.2", messages });
      expect(await stream.finalContent()).toContain(content);
    }
    expect(api.refusals).toHaveLength(1);
  });

  it.each([
    [{ id: "qwen", max_model_len: 6_000 }],
    [{ id: "qwen", context_length: 6_000 }],
    [{ id: "qwen", context_window: 6_000 }],
    [{ id: "qwen", meta: { n_ctx: 6_000, n_ctx_train: 40_000 } }],
  ])("say in %j what their model can read", async (model) => {
    const { api, client, events } = await completions(
      { models: [model] },
      { distil: "extractive" },
    );
    const ask = (content: string) =>
      client.chat.completions.create({ model: "qwen", messages: [{ role: "user", content }] });
    await ask("Hello.");
    await expect.poll(() => api.paths).toContain("/v1/models");
    await ask("Hello again.");
    await ask(prose(6_000, 1));
    expect(typesOf(events)).toContain("shortened");
    expect(typesOf(events)).not.toContain("window-guessed");
    expect(api.paths.filter((path) => path === "/v1/models")).toHaveLength(1);
  });

  it("are Azure's too", async () => {
    const api = await startCompletionsServer();
    afterwards(() => api.close());
    const { tidemark } = await freshTidemark();
    const client = new AzureOpenAI({
      ...{ endpoint: api.url.slice(0, -3), apiKey: "test", apiVersion: "2026-10-01" },
      fetch: openaiMiddleware(tidemark),
    });
    await client.chat.completions.create({
      model: "gpt-6.2",
      messages: [{ role: "user", content: "Hello." }],
    });
    expect(api.paths[0]).toMatch(/^\/openai\/deployments\/gpt-6\.2\/chat\/completions/);
    expect(await tidemark.history.list()).toHaveLength(1);
  });
});
