// An agent of LangChain in the terminal, its thread a conversation: OPENAI_API_KEY=… node examples/langchain.ts
import { createInterface } from "node:readline";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";
import { openTidemark } from "tidemark";
import { tidemarkMiddleware } from "tidemark/langchain";

const tidemark = await openTidemark();
const agent = createAgent({
  model: new ChatOpenAI({ model: "gpt-6.2" }),
  tools: [],
  checkpointer: new MemorySaver(),
  middleware: [tidemarkMiddleware(tidemark)],
});
for await (const content of createInterface({ input: process.stdin })) {
  const asked = { messages: [{ role: "user", content }] };
  const { messages } = await agent.invoke(asked, { configurable: { thread_id: "the harbour" } });
  console.log(messages.at(-1)?.text);
}
await tidemark.close();
