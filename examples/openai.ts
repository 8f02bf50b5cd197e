// A chat in the terminal, with OpenAI's SDK: OPENAI_API_KEY=… node examples/openai.ts
import { createInterface } from "node:readline";
import OpenAI from "openai";
import { openTidemark } from "tidemark";
import { openaiMiddleware } from "tidemark/openai";

const tidemark = await openTidemark();
const client = new OpenAI({ fetch: openaiMiddleware(tidemark) });
const input: OpenAI.Responses.ResponseInput = [];
for await (const content of createInterface({ input: process.stdin })) {
  input.push({ role: "user", content });
  const reply = await client.responses.create({ model: "gpt-6.2", input });
  input.push(...(reply.output as OpenAI.Responses.ResponseInput));
  console.log(reply.output_text);
}
await tidemark.close();
