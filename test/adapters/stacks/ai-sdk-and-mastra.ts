import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { noopLogger } from "@mastra/core/logger";
import type { MockMemory } from "@mastra/core/memory";
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
import { z } from "zod";
import { tidemarkMiddleware } from "../../../src/adapters/ai-sdk.ts";
import { TidemarkProcessor } from "../../../src/adapters/mastra.ts";
import type { Tidemark } from "../../../src/index.ts";
import { PARAMETERS, read, type Api, type Stack } from "./stack.ts";

export const aiSdkTalk: Stack["talk"] = ({ url }, tidemark, history = []) => {
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

export const agentOf = (api: Api, tidemark: Tidemark | undefined, memory?: MockMemory): Agent => {
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

export const mastraTalk: Stack["talk"] = (api, tidemark, history = []) => {
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
