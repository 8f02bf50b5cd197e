import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { generateText, jsonSchema, type ModelMessage, tool, wrapLanguageModel } from "ai";
import OpenAI from "openai";
import { tidemarkMiddleware } from "../../src/adapters/ai-sdk.ts";
import { anthropicMiddleware } from "../../src/adapters/anthropic.ts";
import { openaiMiddleware } from "../../src/adapters/openai.ts";
import type { Tidemark } from "../../src/index.ts";
import { MODEL } from "../support/anthropic.ts";
import { startCompletionsServer } from "../support/completions-server.ts";
import { startMessagesServer } from "../support/messages-server/index.ts";
import { startResponsesServer } from "../support/responses-server.ts";
import { asMessages, type Said } from "./said.ts";

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

/** As the AI SDK's users keep them. */
function modelMessages(history: readonly Said[]): ModelMessage[] {
  const names = new Map(
    history.flatMap(({ calls = [] }) => calls.map(({ id, name }) => [id, name])),
  );
  return history.map(({ who, text, calls = [], id = "" }): ModelMessage => {
    if (who === "user") return { role: who, content: text };
    if (who === "tool") {
      const output = { type: "text" as const, value: text };
      const toolName = names.get(id) ?? "look";
      return { role: who, content: [{ type: "tool-result", toolCallId: id, toolName, output }] };
    }
    const made = calls.map(({ id, name, input }) => ({
      ...{ type: "tool-call" as const, toolCallId: id, toolName: name, input },
    }));
    return {
      role: who,
      content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...made],
    };
  });
}

async function throughResponses(
  next: () => Said,
  ask: (url: string) => WayIn["ask"],
): Promise<WayIn> {
  const server = await startResponsesServer({ reply: () => repliedItems(next()) });
  return { refusals: () => server.refusals, ask: ask(server.url), close: () => server.close() };
}

export const WAYS_IN: Readonly<Record<string, (next: () => Said) => Promise<WayIn>>> = {
  async "Anthropic's middleware"(next) {
    const server = await startMessagesServer({
      reply: () => (asMessages([next()], "anthropic")[0]!.content as string) ?? "",
    });
    const tools = TOOLS.map((name) => ({ name, input_schema: NO_INPUT }));
    return {
      refusals: () => server.refusals,
      ask: (tidemark) => {
        const middleware = [anthropicMiddleware(tidemark)];
        const client = new Anthropic({ baseURL: server.url, apiKey: "test", middleware });
        return (shown) =>
          client.messages.create({
            ...{ model: MODEL, max_tokens: 300, tools },
            messages: asMessages(shown, "anthropic") as unknown as Anthropic.MessageParam[],
          });
      },
      close: () => server.close(),
    };
  },
  async "OpenAI's chat completions"(next) {
    const server = await startCompletionsServer({
      lenient: true,
      reply: () => asMessages([next()], "openai-chat")[0] as Json,
    });
    const tools = TOOLS.map((name) => ({ type: "function" as const, function: { name } }));
    return {
      refusals: () => server.refusals,
      ask: (tidemark) => {
        const fetch = openaiMiddleware(tidemark);
        const client = new OpenAI({ baseURL: server.url, apiKey: "test", fetch });
        return (shown) =>
          client.chat.completions.create({
            ...{ model: "gpt-6.2", tools },
            messages: asMessages(shown, "openai-chat") as never,
          });
      },
      close: () => server.close(),
    };
  },
  "OpenAI's responses": (next) =>
    throughResponses(next, (baseURL) => (tidemark) => {
      const client = new OpenAI({ baseURL, apiKey: "test", fetch: openaiMiddleware(tidemark) });
      const tools = TOOLS.map((name) => ({
        ...{ type: "function" as const, name, parameters: NO_INPUT, strict: false },
      }));
      return (shown) =>
        client.responses.create({
          ...{ model: "gpt-6.2", tools },
          input: shown.flatMap(itemsOf) as unknown as OpenAI.Responses.ResponseInput,
        });
    }),
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
};
