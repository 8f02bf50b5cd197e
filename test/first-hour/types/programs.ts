/** What people write with the real packages: nothing is cast, and nothing may be an error. By the package it is written with. */
const anthropic = (sdk: string): string => `
import Anthropic from "${sdk}";
import { openTidemark, type Complete } from "tidemark";
import { anthropicMiddleware } from "tidemark/anthropic";

const bare = new Anthropic();
const distil: Complete = async ({ system, messages, tools, maxTokens, signal }) => {
  const reply = await bare.messages.create({ model: "claude-haiku-4-5", max_tokens: maxTokens, system, messages, tools }, { signal });
  return { text: reply.content.map((block) => (block.type === "text" ? block.text : "")).join(""), usage: reply.usage, stop: reply.stop_reason };
};
const tidemark = await openTidemark({ workspace: false, distil });
export const client = new Anthropic({ middleware: [anthropicMiddleware(tidemark)] });

const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Hello." }];
const turn = await tidemark.begin({ model: "claude-sonnet-5-5", max_tokens: 1000, system: "Be brief.", messages });
const reply = await bare.messages.create(turn.request);
messages.push({ role: "assistant", content: reply.content });
await turn.end(reply);

const params: Anthropic.MessageCreateParamsStreaming = { model: "claude-sonnet-5-5", max_tokens: 1000, messages, stream: true };
const streamed = await tidemark.begin(params);
for await (const event of await bare.messages.create(streamed.request)) if (event.type === "message_stop") break;
await streamed.end(await bare.messages.stream(params).finalMessage());
await tidemark.fold({ request: params });
`;

const openai = (sdk: string): string => `
import OpenAI from "${sdk}";
import { openTidemark } from "tidemark";

const client = new OpenAI();
const tidemark = await openTidemark({
  workspace: false,
  distil: async ({ messages, maxTokens, signal }) => {
    const reply = await client.chat.completions.create({ model: "gpt-5-mini", max_completion_tokens: maxTokens, messages }, { signal });
    return { text: reply.choices[0]?.message.content ?? "", usage: reply.usage };
  },
});
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "system", content: "Be brief." }, { role: "user", content: "Hello." }];
const tools: OpenAI.ChatCompletionTool[] = tidemark.tools().map(({ name, description, schema }) => ({ type: "function", function: { name, description, parameters: { ...schema } } }));
let turn = await tidemark.begin({ model: "gpt-5", messages, tools });
try {
  const reply = await client.chat.completions.create(turn.request);
  if (reply.choices[0]) messages.push(reply.choices[0].message);
  await turn.end(reply);
} catch (error) {
  const smaller = await turn.recover(error);
  if (!smaller) throw error;
  turn = smaller;
  await turn.end(await client.chat.completions.create(turn.request));
}
const streamed = await tidemark.begin({ model: "gpt-5", messages, stream: true as const });
const chunks: OpenAI.ChatCompletionChunk[] = [];
for await (const chunk of await client.chat.completions.create(streamed.request)) chunks.push(chunk);
await streamed.end(chunks);
`;

const ai = (sdk: string): string => `
import { jsonSchema, tool, type ToolSet, type wrapLanguageModel } from "${sdk}";
import { openTidemark, type ProviderRequest, type Turn } from "tidemark";
import { tidemarkMiddleware } from "tidemark/ai-sdk";

const tidemark = await openTidemark({ workspace: false });
export const tools: ToolSet = Object.fromEntries(
  tidemark.tools().map(({ name, description, schema, run }) => [name, tool({ description, inputSchema: jsonSchema<object>({ ...schema }), execute: (input: object) => run(input) })]),
);
export const middleware: Parameters<typeof wrapLanguageModel>[0]["middleware"] = tidemarkMiddleware(tidemark);
/** For createAnthropic({ fetch }) and createOpenAI({ fetch }). */
export const remembering: typeof globalThis.fetch = async (url, init) => {
  const body = JSON.parse(String(init?.body)) as ProviderRequest;
  const turn: Turn = await tidemark.begin(body);
  const response = await fetch(url, { ...init, body: JSON.stringify(turn.request) });
  await turn.end(await response.clone().json());
  return response;
};
`;

export const PROGRAMS: Readonly<Record<string, string>> = {
  "anthropic-0": anthropic("anthropic-0"),
  "anthropic-1": anthropic("anthropic-1"),
  "openai-6": openai("openai-6"),
  "openai-7": openai("openai-7"),
  "ai-6": ai("ai-6"),
  "ai-7": ai("ai-7"),
};
