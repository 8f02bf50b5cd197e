import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { ChatOpenAI } from "@langchain/openai";
import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { createTool } from "@mastra/core/tools";
import { generateText, jsonSchema, tool, type UIMessage, wrapLanguageModel } from "ai";
import { createAgent, createMiddleware, tool as langchainTool } from "langchain";
import OpenAI from "openai";
import { z } from "zod";
import { tidemarkMiddleware } from "../../src/adapters/ai-sdk.ts";
import { anthropicMiddleware } from "../../src/adapters/anthropic.ts";
import { geminiMiddleware } from "../../src/adapters/gemini.ts";
import { tidemarkMiddleware as langchainMiddleware } from "../../src/adapters/langchain.ts";
import { TidemarkProcessor } from "../../src/adapters/mastra.ts";
import { openaiMiddleware } from "../../src/adapters/openai.ts";
import type { Tidemark } from "../../src/index.ts";
import { MODEL } from "../support/anthropic.ts";
import { startCompletionsServer } from "../support/completions-server.ts";
import { startGeminiServer } from "../support/gemini-server.ts";
import { startMessagesServer } from "../support/messages-server/index.ts";
import { startProxy } from "../support/proxy.ts";
import { startResponsesServer } from "../support/responses-server.ts";
import { asMessages, contentsOf, modelMessages, type Said } from "./said.ts";

type Json = Record<string, unknown>;

/** A server that answers with what is said next, and a client that sends what a host shows. */
export interface WayIn {
  readonly refusals: () => readonly unknown[];
  readonly ask: (tidemark: Tidemark) => (shown: readonly Said[]) => Promise<unknown>;
  close(): Promise<void>;
}

const TOOLS = ["look", "count"];
const NO_INPUT = { type: "object" as const, properties: {} };

const itemsOf = ({ who, text, calls = [], id }: Said): Json[] =>
  who === "tool"
    ? [{ type: "function_call_output", call_id: id, output: text }]
    : [
        ...(text === "" ? [] : [{ role: who, content: text }]),
        ...calls.map(({ id, name, input }) => ({
          ...{ type: "function_call", call_id: id, name, arguments: JSON.stringify(input) },
        })),
      ];

const repliedItems = (said: Said): Json[] =>
  itemsOf(said).map((item) => ({
    ...(item.role === undefined
      ? item
      : {
          ...item,
          type: "message",
          content: [{ type: "output_text", text: said.text, annotations: [] }],
        }),
    status: "completed",
  }));

/** As a page keeps them that is Mastra's client: a turn in one message, step by step. */
function pageMessages(history: readonly Said[]): UIMessage[] {
  return history.reduce<UIMessage[]>((all, { who, text, calls = [] }, at) => {
    if (who === "tool") return all;
    const outputOf = (id: string) => history.slice(at).find((one) => one.id === id)?.text;
    const made = calls.map(({ id, name, input }) => ({
      ...{ type: `tool-${name}` as const, toolCallId: id, state: "output-available" as const },
      ...{ input, output: outputOf(id) },
    }));
    const words = text === "" ? [] : [{ type: "text" as const, text }];
    const last = all.at(-1);
    const parts = [{ type: "step-start" as const }, ...words, ...made];
    if (who === "assistant" && last?.role === who) last.parts.push(...parts);
    else all.push({ id: `m${at}`, role: who, parts: who === "user" ? words : parts });
    return all;
  }, []);
}

async function throughCompletions(
  next: () => Said,
  ask: (url: string) => WayIn["ask"],
): Promise<WayIn> {
  const server = await startCompletionsServer({
    lenient: true,
    reply: () => asMessages([next()], "openai-chat")[0] as Json,
  });
  return { refusals: () => server.refusals, ask: ask(server.url), close: () => server.close() };
}

async function throughResponses(
  next: () => Said,
  ask: (url: string) => WayIn["ask"],
): Promise<WayIn> {
  const server = await startResponsesServer({ reply: () => repliedItems(next()) });
  return { refusals: () => server.refusals, ask: ask(server.url), close: () => server.close() };
}

const LOOKS = TOOLS.map((name) => ({ name, input_schema: NO_INPUT }));
/** Messages, by a client that `middleware` or an address of a proxy makes. */
async function throughMessages(
  next: () => Said,
  clientOf: (url: string, tidemark: Tidemark) => Promise<Anthropic>,
): Promise<WayIn> {
  const server = await startMessagesServer({
    reply: () => (asMessages([next()], "anthropic")[0]!.content as string) ?? "",
  });
  return {
    refusals: () => server.refusals,
    ask: (tidemark) => {
      const client = clientOf(server.url, tidemark);
      return async (shown) =>
        (await client).messages.create({
          ...{ model: MODEL, max_tokens: 300, tools: LOOKS },
          messages: asMessages(shown, "anthropic") as unknown as Anthropic.MessageParam[],
        });
    },
    close: () => server.close(),
  };
}

const FUNCTIONS = TOOLS.map((name) => ({
  ...{ type: "function" as const, name, parameters: NO_INPUT, strict: false },
}));
const asksResponses = (client: Promise<OpenAI>) => async (shown: readonly Said[]) =>
  (await client).responses.create({
    ...{ model: "gpt-6.2", tools: FUNCTIONS },
    input: shown.flatMap(itemsOf) as unknown as OpenAI.Responses.ResponseInput,
  });

export const WAYS_IN: Readonly<Record<string, (next: () => Said) => Promise<WayIn>>> = {
  "Anthropic's middleware": (next) =>
    throughMessages(next, async (baseURL, tidemark) => {
      const middleware = [anthropicMiddleware(tidemark)];
      return new Anthropic({ baseURL, apiKey: "test", middleware });
    }),
  "the proxy, Messages": (next) =>
    throughMessages(next, async (url, tidemark) => {
      const { anthropic } = await startProxy(tidemark, { ANTHROPIC_BASE_URL: url });
      return new Anthropic({ baseURL: anthropic, apiKey: "test" });
    }),
  "OpenAI's chat completions": (next) =>
    throughCompletions(next, (baseURL) => (tidemark) => {
      const fetch = openaiMiddleware(tidemark);
      const client = new OpenAI({ baseURL, apiKey: "test", fetch });
      const tools = TOOLS.map((name) => ({ type: "function" as const, function: { name } }));
      return (shown) =>
        client.chat.completions.create({
          ...{ model: "gpt-6.2", tools },
          messages: asMessages(shown, "openai-chat") as never,
        });
    }),
  LangChain: (next) =>
    throughCompletions(next, (baseURL) => (tidemark) => {
      // A host of its own runs the tools: the agent ends behind the model's reply.
      const afterModel = { canJumpTo: ["end" as const], hook: () => ({ jumpTo: "end" as const }) };
      const agent = createAgent({
        model: new ChatOpenAI({
          ...{ model: "gpt-6.2", apiKey: "test", configuration: { baseURL } },
        }),
        tools: TOOLS.map((name) =>
          langchainTool(() => "", { name, description: name, schema: NO_INPUT }),
        ),
        middleware: [langchainMiddleware(tidemark), createMiddleware({ name: "once", afterModel })],
      });
      return (shown) => agent.invoke({ messages: asMessages(shown, "openai-chat") as never[] });
    }),
  "OpenAI's responses": (next) =>
    throughResponses(next, (baseURL) => (tidemark) => {
      const fetch = openaiMiddleware(tidemark);
      return asksResponses(Promise.resolve(new OpenAI({ baseURL, apiKey: "test", fetch })));
    }),
  "the proxy, responses": (next) =>
    throughResponses(next, (url) => (tidemark) => {
      const proxy = startProxy(tidemark, { OPENAI_BASE_URL: url });
      return asksResponses(
        proxy.then(({ openai: baseURL }) => new OpenAI({ baseURL, apiKey: "test" })),
      );
    }),
  async Gemini(next) {
    const server = await startGeminiServer({
      reply: () => contentsOf([next()])[0]!.parts as Json[],
    });
    const functionDeclarations = TOOLS.map((name) => ({ name, parametersJsonSchema: NO_INPUT }));
    return {
      refusals: () => server.refusals,
      ask: (tidemark) => {
        const httpOptions = { baseUrl: server.url, fetch: geminiMiddleware(tidemark) };
        const client = new GoogleGenAI({ apiKey: "test", httpOptions });
        return (shown) =>
          client.models.generateContent({
            ...{ model: "gemini-3.8-flash", contents: contentsOf(shown) },
            config: { tools: [{ functionDeclarations }] },
          });
      },
      close: () => server.close(),
    };
  },
  "the AI SDK": (next) =>
    throughResponses(next, (baseURL) => (tidemark) => {
      const model = wrapLanguageModel({
        model: createOpenAI({ baseURL, apiKey: "test" })("gpt-6.2"),
        middleware: tidemarkMiddleware(tidemark),
      });
      const tools = Object.fromEntries(
        TOOLS.map((name) => [name, tool({ inputSchema: jsonSchema<object>(NO_INPUT) })]),
      );
      const providerOptions = { openai: { store: false } };
      return (shown) =>
        generateText({ ...{ model, tools, providerOptions }, messages: modelMessages(shown) });
    }),
  Mastra: (next) =>
    throughResponses(next, (baseURL) => (tidemark) => {
      const agent = new Agent({
        ...{ id: "mate", name: "mate", instructions: "Be brief." },
        model: createOpenAI({ baseURL, apiKey: "test" })("gpt-6.2") as unknown as MastraModelConfig,
        tools: Object.fromEntries(
          TOOLS.map((id) => [
            id,
            createTool({
              id,
              description: id,
              inputSchema: z.object({}),
              execute: async () => "",
            }),
          ]),
        ),
        inputProcessors: [new TidemarkProcessor(tidemark)],
      });
      const options = { maxSteps: 1, providerOptions: { openai: { store: false } } };
      return (shown) =>
        agent.generate(pageMessages(shown) as Parameters<Agent["generate"]>[0], options);
    }),
};
