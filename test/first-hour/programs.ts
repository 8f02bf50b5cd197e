/** What a reader makes of README's sections: a loop that talks long enough to fold, and another run that asks. */

/** What is said, and what a later run asks. Each program gets "talk" or "ask" as its argument. */
const TALK = `
const prose = (seed: number): string => Array.from({ length: 40 }, (_, at) => \`On day \${seed * 40 + at} the crew of pier \${(seed * 7 + at) % 23} checked \${(at * 13 + seed) % 97} ropes.\`).join(" ");
const said = ["Please remember: my cat is called Whiskerino; she was born on 2019-04-03 and her chip is 985-112-77.", ...Array.from({ length: 16 }, (_, at) => \`Here is report \${at}. \${prose(at)}\`)];
const asking = process.argv[2] === "ask";
`;

const ANTHROPIC = `
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { openTidemark } from "tidemark";
import { anthropicMiddleware } from "tidemark/anthropic";
${TALK}
const tidemark = await openTidemark({ window: { tokens: 8192 } });
const client = new Anthropic({ middleware: [anthropicMiddleware(tidemark)] });
const weather = betaTool({ name: "weather", description: "The weather now.", inputSchema: { type: "object", properties: {} } as const, run: () => "Sun." });
const model = "claude-sonnet-5-5";
const messages: Anthropic.MessageParam[] = [];
for (const [at, content] of (asking ? ["What is my cat called?"] : said).entries()) {
  messages.push({ role: "user", content });
  const params = { model, max_tokens: 1000, messages };
  const reply = at % 2 === 0 ? await client.messages.create(params) : await client.messages.stream(params).finalMessage();
  messages.push({ role: "assistant", content: reply.content });
}
if (!asking) {
  const runner = client.beta.messages.toolRunner({
    model, max_tokens: 1000, thread: false, tools: [weather],
    messages: [...messages, { role: "user", content: "How is the weather?" }],
  });
  console.log((await runner.runUntilDone()).content);
}
await tidemark.close();
`;

const openai = (model: string, window: number): string => `
import OpenAI from "openai";
import { openTidemark } from "tidemark";
import { openaiMiddleware } from "tidemark/openai";
${TALK}
const tidemark = await openTidemark({ window: { tokens: ${window} } });
const client = new OpenAI({ fetch: openaiMiddleware(tidemark) });
const tools: OpenAI.ChatCompletionTool[] = [{ type: "function", function: { name: "weather", description: "The weather now.", parameters: { type: "object", properties: {} } } }];
const messages: OpenAI.ChatCompletionMessageParam[] = [];
for (const [at, content] of (asking ? ["What is my cat called?"] : said).entries()) {
  messages.push({ role: "user", content });
  const asked = { model: "${model}", messages, tools };
  if (at % 2 === 0) {
    const reply = await client.chat.completions.create(asked);
    if (reply.choices[0]) messages.push(reply.choices[0].message);
    for (const call of reply.choices[0]?.message.tool_calls ?? []) messages.push({ role: "tool", tool_call_id: call.id, content: "Sun." });
    continue;
  }
  const chunks: OpenAI.ChatCompletionChunk[] = [];
  for await (const chunk of await client.chat.completions.create({ ...asked, stream: true })) chunks.push(chunk);
  messages.push({ role: "assistant", content: chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("") });
}
await tidemark.close();
`;

const AI_SDK = `
import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, streamText, wrapLanguageModel, type ModelMessage } from "ai";
import { openTidemark } from "tidemark";
import { tidemarkMiddleware } from "tidemark/ai-sdk";
${TALK}
const tidemark = await openTidemark({ window: { tokens: 8192 } });
const model = wrapLanguageModel({ model: createAnthropic()("claude-sonnet-5-5"), middleware: tidemarkMiddleware(tidemark) });
const messages: ModelMessage[] = [];
for (const [at, content] of (asking ? ["What is my cat called?"] : said).entries()) {
  messages.push({ role: "user", content });
  const asked = { model, maxOutputTokens: 1000, messages };
  const text = at % 2 === 0 ? (await generateText(asked)).text : await streamText(asked).text;
  messages.push({ role: "assistant", content: text });
}
await tidemark.close();
`;

export const PROGRAMS = {
  anthropic: ANTHROPIC,
  openai: openai("gpt-5", 8192),
  "ai-sdk": AI_SDK,
  ollama: openai("llama3:8b", 16384),
} as const;
