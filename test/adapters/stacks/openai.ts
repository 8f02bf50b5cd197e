import OpenAI from "openai";
import { openaiMiddleware, wrapOpenAI } from "../../../src/adapters/openai.ts";
import type { Tidemark } from "../../../src/index.ts";
import { PARAMETERS, read, type Api, type Stack, userOf } from "./stack.ts";

type Identified = { safety_identifier?: unknown };
const identity = (body: Identified) => userOf(body.safety_identifier);
const clientOf = ({ url }: Api, tidemark: Tidemark | undefined, wraps = false): OpenAI => {
  const options = { baseURL: url, apiKey: "test", logLevel: "off" } as const;
  if (!tidemark) return new OpenAI(options);
  if (wraps) return wrapOpenAI(new OpenAI(options), tidemark, { identity });
  return new OpenAI({ ...options, fetch: openaiMiddleware(tidemark, { identity }) });
};

export const responsesTalk =
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

export const completionsTalk: Stack["talk"] = (api, tidemark, history = []) => {
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
