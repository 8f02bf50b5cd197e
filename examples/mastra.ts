// An agent of Mastra in the terminal, its thread a conversation: OPENAI_API_KEY=… node examples/mastra.ts
import { createInterface } from "node:readline";
import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { MockMemory } from "@mastra/core/memory";
import { openTidemark } from "tidemark";
import { TidemarkProcessor } from "tidemark/mastra";

const tidemark = await openTidemark();
const agent = new Agent({
  ...{ id: "mate", name: "mate", instructions: "Be brief." },
  model: createOpenAI()("gpt-6.2") as never,
  memory: new MockMemory({ options: { lastMessages: 1_000 } }),
  inputProcessors: [new TidemarkProcessor(tidemark)],
});
for await (const words of createInterface({ input: process.stdin })) {
  const memory = { thread: "the harbour", resource: "ada" };
  console.log((await agent.generate(words, { memory })).text);
}
await tidemark.close();
