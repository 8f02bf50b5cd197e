// Plays a real Claude Code through the Claude Agent SDK, against a local server that refuses what the provider refuses.
//   node drill/claude-agent.ts FOLDER
// FOLDER: where `npm install @anthropic-ai/claude-agent-sdk` was run; its binary is too large to be a dependency here.
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { setTimeout as pause } from "node:timers/promises";
import { claudeHooks } from "../src/adapters/claude-agent.ts";
import { openTidemark } from "../src/index.ts";
import { startMessagesServer } from "../test/support/messages-server/index.ts";

interface Sdk {
  query(asked: { prompt: AsyncIterable<object>; options: object }): AsyncIterable<object>;
}

const PROMPTS = ["My boat is called Zephyrine.", "/compact", "What is my boat called?"];
const sdk = resolve(process.argv[2] ?? ".", "node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs");
if (!existsSync(sdk)) {
  console.log(`Skipped: there is no ${sdk}.`);
  process.exit(0);
}
const { query } = (await import(pathToFileURL(sdk).href)) as Sdk;
const home = mkdtempSync(join(tmpdir(), "tidemark-claude-agent-"));
const server = await startMessagesServer({ reply: () => "Aye, noted." });
const tidemark = await openTidemark({ workspace: join(home, "workspace"), distil: "extractive" });
await tidemark.memory.save("The deploy key of the harbour lives in the blue vault.");

async function* prompts(): AsyncGenerator<object> {
  for (const content of PROMPTS) {
    yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null };
    await pause(3_000);
  }
}
const env = {
  ...process.env,
  ...{ ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "test" },
  // The server knows smaller replies than Claude Code asks for.
  CLAUDE_CODE_MAX_OUTPUT_TOKENS: "32000",
  ...{ CLAUDE_CONFIG_DIR: join(home, "claude"), CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
};
const options = { hooks: claudeHooks(tidemark), cwd: home, model: "claude-sonnet-5-5", env };
for await (const message of query({ prompt: prompts(), options })) void message;

for (const { message } of server.refusals) console.log("refused:", message);
const [first] = server.requests;
const [talk, ...others] = await tidemark.history.list();
const memories = (await tidemark.memory.list()).map(({ content }) => content);
const held = {
  "refused nothing": server.refusals.length === 0,
  "told what is known": JSON.stringify(first?.body).includes("blue vault"),
  "read one conversation of four messages": talk?.messages === 4 && others.length === 0,
  "saved what was said": memories.some((content) => content.includes("Zephyrine")),
};
for (const [name, holds] of Object.entries(held)) console.log(holds ? "ok  " : "FAILED", name);
await tidemark.close();
await server.close();
process.exit(Object.values(held).every(Boolean) ? 0 : 1);
