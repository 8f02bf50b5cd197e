// A chat in the terminal, with Anthropic's SDK: ANTHROPIC_API_KEY=… node examples/anthropic.ts
import { createInterface } from "node:readline";
import Anthropic from "@anthropic-ai/sdk";
import { openTidemark } from "tidemark";
import { anthropicMiddleware } from "tidemark/anthropic";

const tidemark = await openTidemark();
const client = new Anthropic({ middleware: [anthropicMiddleware(tidemark)] });
const messages: Anthropic.MessageParam[] = [];
for await (const content of createInterface({ input: process.stdin })) {
  messages.push({ role: "user", content });
  const asked = { model: "claude-sonnet-5-5", max_tokens: 1_000, messages };
  const reply = await client.messages.create(asked);
  messages.push({ role: "assistant", content: reply.content });
  for (const block of reply.content) if (block.type === "text") console.log(block.text);
}
await tidemark.close();
