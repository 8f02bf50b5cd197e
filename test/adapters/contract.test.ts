// What every way in promises, with the real package against a strict server.
import Anthropic from "@anthropic-ai/sdk";
import { createOpenAI } from "@ai-sdk/openai";
import { type Content, type GenerateContentConfig, GoogleGenAI } from "@google/genai";
import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { noopLogger } from "@mastra/core/logger";
import { MockMemory } from "@mastra/core/memory";
import { createTool } from "@mastra/core/tools";
import {
  generateText,
  isStepCount,
  jsonSchema,
  type ModelMessage,
  streamText,
  tool,
  wrapLanguageModel,
} from "ai";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, modelRetryMiddleware, tool as langchainTool } from "langchain";
import OpenAI from "openai";
import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { tidemarkMiddleware } from "../../src/adapters/ai-sdk.ts";
import { TidemarkProcessor } from "../../src/adapters/mastra.ts";
import {
  type LangChainRun,
  tidemarkMiddleware as langchainMiddleware,
} from "../../src/adapters/langchain.ts";
import { geminiMiddleware } from "../../src/adapters/gemini.ts";
import { openaiMiddleware, wrapOpenAI } from "../../src/adapters/openai.ts";
import type { Tidemark } from "../../src/index.ts";
import { freshFolder, freshTidemark, prose, typesOf } from "../support/anthropic.ts";
import { afterwards } from "../support/afterwards.ts";
import { startMessagesServer } from "../support/messages-server/index.ts";
import { lastText } from "../support/messages-server/replies.ts";
import { startProxy, type TestProxy } from "../support/proxy.ts";
import { startCompletionsServer } from "../support/completions-server.ts";
import { asContents, lastSaid, startGeminiServer } from "../support/gemini-server.ts";
import { lastWords, said, startResponsesServer } from "../support/responses-server.ts";

type Json = Record<string, unknown>;
interface Api {
  readonly url: string;
  readonly requests: readonly Json[];
  readonly refusals: readonly string[];
}
interface ServerOptions {
  readonly window?: number;
  readonly fails?: (count: number) => number | "cut" | undefined;
}
interface Way {
  readonly stream?: boolean;
  readonly signal?: AbortSignal;
  readonly user?: string;
}
/** A conversation as a program of that stack keeps it. */
interface Talk {
  readonly history: unknown[];
  say(words: string, way?: Way): Promise<unknown>;
}
interface Stack {
  readonly name: string;
  readonly serve: (options?: ServerOptions) => Promise<Api & { close(): Promise<void> }>;
  readonly talk: (api: Api, tidemark: Tidemark | undefined, history?: unknown[]) => Talk;
}

const DISTILLED = JSON.stringify({
  facts: [{ content: "The user's boat is called Zephyrine.", from: [1], importance: 0.8 }],
  summary: "The user told of a boat called Zephyrine, and of the pier.",
});
const asksToDistil = (words: string): boolean => words.includes("[tidemark] distil");
const PARAMETERS = {
  type: "object" as const,
  properties: { path: { type: "string" as const } },
  required: ["path"],
  additionalProperties: false,
};
const read = (path: string): string => `Of ${path}: ${prose(40, path.length)}`;
let calls = 0;

const serveResponses: Stack["serve"] = (options) =>
  startResponsesServer({
    ...options,
    reply: (body) => {
      const words = lastWords(body);
      if (asksToDistil(words)) return [said(DISTILLED)];
      if (!words.startsWith("Read")) return [said(`Aye. ${prose(40, words.length)}`)];
      return [
        { type: "reasoning", summary: [], encrypted_content: "x".repeat(200) },
        ...["a", "b"].map((path) => ({
          ...{ type: "function_call", name: "read", status: "completed" },
          ...{ call_id: `call_${calls++}`, arguments: JSON.stringify({ path }) },
        })),
      ];
    },
  });

const serveCompletions: Stack["serve"] = (options) =>
  startCompletionsServer({
    ...options,
    reply: ({ messages }) => {
      const { content } = (messages as Json[]).at(-1)!;
      const parts = Array.isArray(content) ? (content as Json[]) : [{ text: content }];
      const words = parts.map(({ text }) => text).join("\n");
      if (asksToDistil(words)) return { content: DISTILLED };
      if (!words.startsWith("Read")) return { content: `Aye. ${prose(40, words.length)}` };
      return {
        tool_calls: ["a", "b"].map((path) => ({
          ...{ id: `call_${calls++}`, type: "function" },
          function: { name: "read", arguments: JSON.stringify({ path }) },
        })),
      };
    },
  });

/** The same as the others, of Anthropic's. */
const serveMessages: Stack["serve"] = async ({ window, fails } = {}) => {
  const server = await startMessagesServer({
    ...(window && { window }),
    distil: () => DISTILLED,
    fail: (_, { index }) => {
      const failure = fails?.(index);
      return failure === "cut" ? { cutAfter: 4 } : failure ? "rate-limit" : undefined;
    },
    reply: (body) => {
      const words = lastText(body);
      if (!words.startsWith("Read")) return `Aye. ${prose(40, words.length)}`;
      return ["a", "b"].map((path) => ({
        ...{ type: "tool_use", id: `toolu_${calls++}`, name: "read" },
        input: { path },
      }));
    },
  });
  return {
    url: server.url,
    get requests() {
      return server.requests.map(({ body }) => body);
    },
    get refusals() {
      return server.refusals.map(({ message }) => message);
    },
    close: () => server.close(),
  };
};

type Identified = { safety_identifier?: unknown };
const identity = (body: Identified) => ({ user: String(body.safety_identifier ?? "nobody") });
const clientOf = ({ url }: Api, tidemark: Tidemark | undefined, wraps = false): OpenAI => {
  const options = { baseURL: url, apiKey: "test", logLevel: "off" } as const;
  if (!tidemark) return new OpenAI(options);
  if (wraps) return wrapOpenAI(new OpenAI(options), tidemark, { identity });
  return new OpenAI({ ...options, fetch: openaiMiddleware(tidemark, { identity }) });
};

const responsesTalk =
  (wraps: boolean): Stack["talk"] =>
  (api, tidemark, history = []) => {
    const client = clientOf(api, tidemark, wraps);
    const input = history as OpenAI.Responses.ResponseInput;
    const tools = [
      { type: "function" as const, name: "read", parameters: PARAMETERS, strict: true },
    ];
    return {
      history,
      async say(words, { stream = false, signal, user } = {}) {
        input.push({ role: "user", content: words });
        for (;;) {
          const asked = {
            model: "gpt-6.2",
            input,
            tools,
            ...(user && { safety_identifier: user }),
          };
          const reply = stream
            ? await client.responses.stream(asked, { signal }).finalResponse()
            : await client.responses.create(asked, { signal });
          input.push(...(reply.output as OpenAI.Responses.ResponseInput));
          const made = reply.output.filter((item) => item.type === "function_call");
          for (const {
            call_id,
            arguments: given,
          } of made as OpenAI.Responses.ResponseFunctionToolCall[])
            input.push({ type: "function_call_output", call_id, output: read(given) });
          if (made.length === 0) return;
        }
      },
    };
  };

const completionsTalk: Stack["talk"] = (api, tidemark, history = []) => {
  const client = clientOf(api, tidemark);
  const messages = history as OpenAI.ChatCompletionMessageParam[];
  const tools = [{ type: "function" as const, function: { name: "read", parameters: PARAMETERS } }];
  return {
    history,
    async say(words, { stream = false, signal, user } = {}) {
      messages.push({ role: "user", content: words });
      for (;;) {
        const model = user ? `gpt-6.2/${user}` : "gpt-6.2";
        const asked = { model, messages, tools };
        const reply = stream
          ? await client.chat.completions.stream(asked, { signal }).finalChatCompletion()
          : await client.chat.completions.create(asked, { signal });
        const { content, tool_calls = [] } = reply.choices[0]!.message;
        messages.push({
          ...{ role: "assistant", content },
          ...(tool_calls.length > 0 && { tool_calls }),
        } as OpenAI.ChatCompletionMessageParam);
        for (const call of tool_calls)
          if (call.type === "function")
            messages.push({
              ...{ role: "tool", tool_call_id: call.id },
              content: read(call.function.arguments),
            });
        if (tool_calls.length === 0) return;
      }
    },
  };
};

const aiSdkTalk: Stack["talk"] = ({ url }, tidemark, history = []) => {
  const bare = createOpenAI({ baseURL: url, apiKey: "test" })("gpt-6.2");
  const model = tidemark
    ? wrapLanguageModel({ model: bare, middleware: tidemarkMiddleware(tidemark) })
    : bare;
  const messages = history as ModelMessage[];
  const tools = {
    read: tool({
      inputSchema: jsonSchema<{ path: string }>(PARAMETERS),
      execute: ({ path }) => read(path),
    }),
  };
  return {
    history,
    async say(words, { stream = false, signal, user } = {}) {
      messages.push({ role: "user", content: words });
      const asked = {
        ...{ model, messages, tools, stopWhen: isStepCount(4) },
        ...(signal && { abortSignal: signal }),
        providerOptions: { openai: { store: false }, ...(user && { tidemark: { user } }) },
      };
      if (!stream) return messages.push(...(await generateText(asked)).responseMessages);
      let thrown: unknown;
      const made = streamText({ ...asked, onError: ({ error }) => (thrown = error) });
      await made.consumeStream();
      if (thrown) throw thrown;
      return messages.push(...(await made.responseMessages));
    },
  };
};

const agentOf = (api: Api, tidemark: Tidemark | undefined, memory?: MockMemory): Agent => {
  const agent = new Agent({
    ...{ id: "mate", name: "mate", instructions: "Be brief." },
    model: createOpenAI({ baseURL: api.url, apiKey: "test" })(
      "gpt-6.2",
    ) as unknown as MastraModelConfig,
    tools: {
      read: createTool({
        ...{
          id: "read",
          description: "Reads a file.",
          inputSchema: z.object({ path: z.string() }),
        },
        execute: async ({ path }) => read(path),
      }),
    },
    ...(tidemark && { inputProcessors: [new TidemarkProcessor(tidemark)] }),
    ...(memory && { memory }),
  });
  agent.__setLogger(noopLogger);
  return agent;
};

const mastraTalk: Stack["talk"] = (api, tidemark, history = []) => {
  const agent = agentOf(api, tidemark);
  const messages = history as ModelMessage[];
  return {
    history,
    async say(words, { stream = false, signal, user } = {}) {
      messages.push({ role: "user", content: words });
      const options = {
        ...{ maxSteps: 4, modelSettings: { maxRetries: 2 } },
        ...(signal && { abortSignal: signal }),
        providerOptions: { openai: { store: false }, ...(user && { tidemark: { user } }) },
      };
      const asked = messages as Parameters<Agent["generate"]>[0];
      const made = stream
        ? await (await agent.stream(asked, options)).getFullOutput()
        : await agent.generate(asked, options);
      if (made.error) throw made.error;
      if (signal?.aborted) throw new Error("hung up");
      messages.push(...(made.response.messages as ModelMessage[]));
    },
  };
};

const langchainTalk: Stack["talk"] = ({ url }, tidemark, history = []) => {
  const model = new ChatOpenAI({
    ...{ model: "gpt-6.2", apiKey: "test" },
    configuration: { baseURL: url, logLevel: "off" },
  });
  const identity = ({ configurable }: LangChainRun) => ({
    user: String(configurable.user_id ?? "nobody"),
  });
  const again = modelRetryMiddleware({ initialDelayMs: 1, onFailure: "error" });
  const agent = createAgent({
    model,
    tools: [
      langchainTool(({ path }: { path: string }) => read(path), {
        ...{ name: "read", schema: PARAMETERS },
      }),
    ],
    middleware: tidemark ? [again, langchainMiddleware(tidemark, { identity })] : [again],
  });
  return {
    history,
    async say(words, { stream = false, signal, user } = {}) {
      const asked = { messages: [...history, { role: "user", content: words }] as never[] };
      const config = { ...(signal && { signal }), configurable: { user_id: user } };
      let { messages }: { messages: unknown[] } = { messages: [] };
      if (!stream) ({ messages } = await agent.invoke(asked, config));
      else
        for await (const [kind, state] of await agent.stream(asked, {
          ...config,
          streamMode: ["messages", "values"],
        }))
          if (kind === "values") ({ messages } = state as { messages: unknown[] });
      history.splice(0, history.length, ...messages);
    },
  };
};

/** What a proxy of each Tidemark tells programs. */
const proxies = new WeakMap<Tidemark, Promise<TestProxy>>();

/** The bare SDK, whose calls go by way of a proxy. */
async function throughProxy({ url }: Api, tidemark: Tidemark): Promise<TestProxy> {
  const env = { ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: url };
  const proxy = proxies.get(tidemark) ?? startProxy(tidemark, env);
  proxies.set(tidemark, proxy);
  return proxy;
}

const proxiedTalk: Stack["talk"] = (api, tidemark, history = []) => ({
  history,
  async say(words, way) {
    const url = tidemark ? (await throughProxy(api, tidemark)).openai : api.url;
    return responsesTalk(false)({ ...api, url }, undefined, history).say(words, way);
  },
});

const messagesTalk: Stack["talk"] = (api, tidemark, history = []) => {
  const messages = history as Anthropic.MessageParam[];
  const input_schema = PARAMETERS;
  return {
    history,
    async say(words, { stream = false, signal } = {}) {
      const baseURL = tidemark ? (await throughProxy(api, tidemark)).anthropic : api.url;
      const client = new Anthropic({ baseURL, apiKey: "test", logLevel: "off" });
      messages.push({ role: "user", content: words });
      for (;;) {
        const asked = {
          ...{ model: "claude-sonnet-4-6", max_tokens: 500, messages },
          tools: [{ name: "read", input_schema }],
        };
        const { content } = stream
          ? await client.messages.stream(asked, { signal }).finalMessage()
          : await client.messages.create(asked, { signal });
        messages.push({ role: "assistant", content });
        const made = content.filter((block) => block.type === "tool_use");
        if (made.length === 0) return;
        messages.push({
          role: "user",
          content: made.map(({ id, input }) => ({
            ...{ type: "tool_result", tool_use_id: id },
            content: read((input as { path: string }).path),
          })),
        } as Anthropic.MessageParam);
      }
    },
  };
};

const serveGemini: Stack["serve"] = (options) =>
  startGeminiServer({
    ...options,
    reply: (body) => {
      const words = lastSaid(body);
      if (asksToDistil(words)) return [{ text: DISTILLED }];
      if (!words.startsWith("Read")) return [{ text: `Aye. ${prose(40, words.length)}` }];
      return ["a", "b"].map((path) => ({
        functionCall: { id: `call_${calls++}`, name: "read", args: { path } },
      }));
    },
  });

const googleOf = ({ url }: Api, tidemark: Tidemark | undefined): GoogleGenAI => {
  const who = ({ labels }: { labels?: { user?: string } }) => ({ user: labels?.user ?? "nobody" });
  const fetch = tidemark && geminiMiddleware(tidemark, { identity: who });
  return new GoogleGenAI({
    apiKey: "test",
    httpOptions: { baseUrl: url, fetch, retryOptions: { attempts: 2, initialDelay: 0.01 } },
  });
};
const CALLABLE = {
  tool: async () => ({
    functionDeclarations: [{ name: "read", parametersJsonSchema: PARAMETERS }],
  }),
  callTool: async (made: { id?: string; name?: string; args?: Record<string, unknown> }[]) =>
    made.map(({ args, ...call }) => ({
      functionResponse: { ...call, response: { output: read(String(args?.path)) } },
    })),
};

/** A chat of the client's own calls the tools by itself; its stream leaves them to the caller. */
const chatTalk: Stack["talk"] = (api, tidemark, history = []) => {
  const client = googleOf(api, tidemark);
  return {
    history,
    async say(words, { stream = false, signal, user } = {}) {
      const own = { tools: [await CALLABLE.tool()] };
      const config: GenerateContentConfig = {
        ...(stream ? own : { tools: [CALLABLE] }),
        ...(signal && { abortSignal: signal }),
        ...(user && { labels: { user } }),
      };
      const chat = client.chats.create({
        ...{ model: "gemini-3.8-flash", config },
        history: asContents(history),
      });
      if (!stream) await chat.sendMessage({ message: words });
      else
        for (let message: unknown = words; message !== undefined;) {
          const made = [];
          for await (const chunk of await chat.sendMessageStream({ message: message as string }))
            made.push(...(chunk.functionCalls ?? []));
          message = made.length > 0 ? await CALLABLE.callTool(made) : undefined;
        }
      history.splice(0, history.length, ...chat.getHistory());
    },
  };
};

const geminiTalk: Stack["talk"] = (api, tidemark, history = []) => {
  const client = googleOf(api, tidemark);
  history.splice(0, history.length, ...asContents(history));
  const contents = history as Content[];
  return {
    history,
    async say(words, { stream = false, signal, user } = {}) {
      contents.push({ role: "user", parts: [{ text: words }] });
      for (;;) {
        const asked = {
          ...{ model: "gemini-3.8-flash", contents },
          config: {
            ...{ tools: [await CALLABLE.tool()], systemInstruction: "Be brief." },
            ...(signal && { abortSignal: signal }),
            ...(user && { labels: { user } }),
          },
        };
        const parts = [];
        if (stream)
          for await (const { candidates } of await client.models.generateContentStream(asked))
            parts.push(...(candidates?.[0]?.content?.parts ?? []));
        else
          parts.push(
            ...((await client.models.generateContent(asked)).candidates?.[0]?.content?.parts ?? []),
          );
        contents.push({ role: "model", parts });
        const made = parts.flatMap(({ functionCall }) => functionCall ?? []);
        if (made.length === 0) return;
        contents.push({ role: "user", parts: await CALLABLE.callTool(made) });
      }
    },
  };
};

const STACKS: readonly Stack[] = [
  { name: "OpenAI's responses", serve: serveResponses, talk: responsesTalk(false) },
  { name: "OpenAI's responses, wrapped", serve: serveResponses, talk: responsesTalk(true) },
  { name: "OpenAI's chat completions", serve: serveCompletions, talk: completionsTalk },
  { name: "the AI SDK", serve: serveResponses, talk: aiSdkTalk },
  { name: "Mastra", serve: serveResponses, talk: mastraTalk },
  { name: "LangChain", serve: serveCompletions, talk: langchainTalk },
  { name: "Gemini", serve: serveGemini, talk: geminiTalk },
  { name: "Gemini's chats", serve: serveGemini, talk: chatTalk },
  { name: "the proxy, Messages", serve: serveMessages, talk: messagesTalk },
  { name: "the proxy, responses", serve: serveResponses, talk: proxiedTalk },
];

const SMALL = { window: { tokens: 8_000, reserve: 1 } };
const line = (turn: number): string =>
  `${turn % 3 === 1 ? "Read both" : "Turn"} ${turn}: my boat is Zephyrine. ${prose(50, turn)}`;
const isDistilling = (body: Json): boolean => JSON.stringify(body).includes("[tidemark] distil");

describe.each(STACKS)("$name", ({ serve, talk }) => {
  async function served(options?: ServerOptions): Promise<Api> {
    const api = await serve(options);
    afterwards(() => api.close());
    return api;
  }
  const conversations = (tidemark: Tidemark, user = "nobody") =>
    Promise.all([tidemark.history.list(), tidemark.as({ user }).history.list()]).then((lists) =>
      lists.flat(),
    );

  it.each([false, true])("folds a long conversation with calls (streamed: %s)", async (stream) => {
    const api = await served();
    const { tidemark } = await freshTidemark(SMALL);
    const one = talk(api, tidemark);
    for (let turn = 0; turn < 36; turn++) {
      const before = JSON.stringify(one.history);
      await one.say(line(turn), { stream });
      expect(JSON.stringify(one.history).startsWith(before.slice(0, -1))).toBe(true);
      await tidemark.idle();
    }
    expect(api.refusals).toEqual([]);
    const [conversation, ...others] = await conversations(tidemark);
    expect(others).toEqual([]);
    expect(conversation!.folds).toBeGreaterThan(0);
    const last = JSON.stringify(api.requests.findLast((body) => !isDistilling(body)));
    expect(last).toContain("The user told of a boat");
    expect(last.length).toBeLessThan(JSON.stringify(one.history).length);
  });

  it.each([false, true])("sends once more what was too long (streamed: %s)", async (stream) => {
    const api = await served({ window: 3_000 });
    const { tidemark, events } = await freshTidemark({ window: { tokens: 6_000, reserve: 1 } });
    const one = talk(api, tidemark);
    for (let turn = 0; turn < 24; turn++) {
      await one.say(`Turn ${turn}. ${prose(90, turn)}`, { stream });
      await tidemark.idle();
    }
    expect(
      api.refusals.filter(
        (refusal) => !/too long|context (?:length|limit)|token count/.test(refusal),
      ),
    ).toEqual([]);
    expect(typesOf(events)).toContain("overflow-recovered");
    expect(await conversations(tidemark)).toHaveLength(1);
  });

  it("goes on after a stream that broke off, a 429, and a caller who hung up", async () => {
    const fails = (count: number) => (count === 1 ? 429 : count === 3 ? "cut" : undefined);
    const api = await served({ fails });
    const { tidemark } = await freshTidemark();
    const one = talk(api, tidemark);
    await one.say("Hello, I moor at pier 7.");
    await one.say("And the gull?");
    const whole = [...one.history];
    await one.say("And the tide?", { stream: true }).catch(() => undefined);
    one.history.splice(0, one.history.length, ...whole);
    await one.say("And the tide?", { stream: true });
    const kept = [...one.history];
    const gone = AbortSignal.abort(new Error("hung up"));
    await expect(one.say("And the moon?", { signal: gone })).rejects.toThrow();
    one.history.splice(0, one.history.length, ...kept);
    await one.say("And the sun?");
    expect(api.refusals).toEqual([]);
    expect(await conversations(tidemark)).toHaveLength(1);
  });

  it("knows a conversation again after a restart, from JSON", async () => {
    const [api, workspace] = [await served(), freshFolder()];
    let history: unknown[] = [];
    for (const words of ["Hello, I moor at pier 7.", "And the gull?", "Read both of them."]) {
      const { tidemark } = await freshTidemark({ workspace });
      const one = talk(api, tidemark, history);
      await one.say(words);
      history = JSON.parse(JSON.stringify(one.history)) as unknown[];
      await tidemark.close();
    }
    const { tidemark } = await freshTidemark({ workspace });
    const [conversation, ...others] = await conversations(tidemark);
    expect(others).toEqual([]);
    expect(conversation!.messages).toBeGreaterThanOrEqual(8);
  });

  it("takes an edit for a branch, and two talks at once for two", async () => {
    const api = await served();
    const { tidemark } = await freshTidemark();
    const [one, two] = [talk(api, tidemark), talk(api, tidemark)];
    await Promise.all([one.say("My boat is Zephyrine."), two.say("My boat is Marigold.")]);
    await Promise.all([one.say("What is it called?"), two.say("What is it called?")]);
    const edited = talk(api, tidemark, [
      { role: "user", content: "My boat is Nautilus." },
      ...one.history.slice(1),
    ]);
    await edited.say("Where does it lie?");
    expect(api.refusals).toEqual([]);
    expect(await conversations(tidemark)).toHaveLength(3);
  });

  it("sends the bytes it would send without, where it is off or observes", async () => {
    const bodies: Json[][] = [];
    for (const way of ["off", "observe", "bare"]) {
      calls = 0;
      const api = await served();
      if (way === "off") vi.stubEnv("TIDEMARK", "off");
      const observes = way === "observe" && ({ mode: "observe" } as const);
      const { tidemark } = await freshTidemark({ ...SMALL, ...observes, distil: "extractive" });
      vi.unstubAllEnvs();
      const one = talk(api, way === "bare" ? undefined : tidemark);
      for (let turn = 0; turn < 18; turn++) {
        await one.say(line(turn), { stream: turn % 2 === 0 });
        await tidemark.idle();
      }
      bodies.push(api.requests.filter((body) => !isDistilling(body)));
    }
    expect(bodies[0]).toEqual(bodies[2]);
    expect(bodies[1]).toEqual(bodies[2]);
  });
});

it.each(STACKS.filter(({ name }) => !/chat|proxy/.test(name)))(
  "$name keeps two users apart",
  async ({ serve, talk }) => {
    const api = await serve();
    afterwards(() => api.close());
    const { tidemark } = await freshTidemark();
    for (const user of ["ada", "bob"])
      await talk(api, tidemark).say(`My boat is ${user}'s.`, { user });
    for (const user of ["ada", "bob"])
      expect(await tidemark.as({ user }).history.list()).toHaveLength(1);
  },
);

it("Mastra's thread is the conversation, and its resource the user", async () => {
  const api = await serveResponses();
  afterwards(() => api.close());
  const { tidemark } = await freshTidemark();
  const agent = agentOf(api, tidemark, new MockMemory());
  for (const words of ["My boat is Zephyrine.", "What is it called?"])
    for (const [thread, resource] of [
      ["spring", "ada"],
      ["autumn", "ada"],
      ["spring of bob", "bob"],
    ] as const)
      await agent.generate(words, { memory: { thread, resource } });
  const labels = async (user: string) =>
    (await tidemark.as({ user }).history.list()).map(({ label }) => label).sort();
  expect(await labels("ada")).toEqual(["autumn", "spring"]);
  expect(await labels("bob")).toEqual(["spring of bob"]);
  expect(await tidemark.history.list()).toEqual([]);
  expect(api.refusals).toEqual([]);
});
