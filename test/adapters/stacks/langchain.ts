import { ChatOpenAI } from "@langchain/openai";
import { createAgent, modelRetryMiddleware, tool } from "langchain";
import { type LangChainRun, tidemarkMiddleware } from "../../../src/adapters/langchain.ts";
import { PARAMETERS, read, type Stack, userOf } from "./stack.ts";

export const langchainTalk: Stack["talk"] = ({ url }, tidemark, history = []) => {
  const model = new ChatOpenAI({
    ...{ model: "gpt-6.2", apiKey: "test" },
    configuration: { baseURL: url, logLevel: "off" },
  });
  const identity = ({ configurable }: LangChainRun) => userOf(configurable.user_id);
  const again = modelRetryMiddleware({ initialDelayMs: 1, onFailure: "error" });
  const agent = createAgent({
    model,
    tools: [
      tool(({ path }: { path: string }) => read(path), {
        ...{ name: "read", schema: PARAMETERS },
      }),
    ],
    middleware: tidemark ? [again, tidemarkMiddleware(tidemark, { identity })] : [again],
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
