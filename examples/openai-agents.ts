// An agent of OpenAI's Agents SDK in the terminal: OPENAI_API_KEY=… node examples/openai-agents.ts
import { createInterface } from "node:readline";
import { Agent, type AgentInputItem, run, setDefaultOpenAIClient } from "@openai/agents";
import OpenAI from "openai";
import { openTidemark } from "tidemark";
import { openaiMiddleware } from "tidemark/openai";

const tidemark = await openTidemark();
setDefaultOpenAIClient(new OpenAI({ fetch: openaiMiddleware(tidemark) }));
const agent = new Agent({ name: "mate", instructions: "Be brief.", model: "gpt-6.2" });
let input: AgentInputItem[] = [];
for await (const content of createInterface({ input: process.stdin })) {
  const { history, finalOutput } = await run(agent, [...input, { role: "user", content }]);
  input = history;
  console.log(finalOutput);
}
await tidemark.close();
