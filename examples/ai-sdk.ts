// A chat in the terminal that streams, with the AI SDK: OPENAI_API_KEY=… node examples/ai-sdk.ts
import { createInterface } from "node:readline";
import { createOpenAI } from "@ai-sdk/openai";
import { type ModelMessage, streamText, wrapLanguageModel } from "ai";
import { openTidemark } from "tidemark";
import { tidemarkMiddleware } from "tidemark/ai-sdk";

const tidemark = await openTidemark();
const middleware = tidemarkMiddleware(tidemark);
const model = wrapLanguageModel({ model: createOpenAI()("gpt-6.2"), middleware });
const messages: ModelMessage[] = [];
for await (const content of createInterface({ input: process.stdin })) {
  messages.push({ role: "user", content });
  const reply = streamText({ model, messages });
  for await (const text of reply.textStream) process.stdout.write(text);
  console.log();
  messages.push(...(await reply.responseMessages));
}
await tidemark.close();
