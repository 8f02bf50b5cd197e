// Claude Code in the terminal, by `npm install --no-save @anthropic-ai/claude-agent-sdk`: node examples/claude-agent.ts
import { createInterface } from "node:readline";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { openTidemark } from "tidemark";
import { claudeHooks } from "tidemark/claude-agent";

const tidemark = await openTidemark();
const hooks = claudeHooks(tidemark);
let resume: string | undefined;
for await (const prompt of createInterface({ input: process.stdin })) {
  const options = { hooks, ...(resume && { resume }) };
  for await (const message of query({ prompt, options })) {
    if (message.type !== "result") continue;
    resume = message.session_id;
    console.log(message.subtype === "success" ? message.result : message.subtype);
  }
}
await tidemark.close();
