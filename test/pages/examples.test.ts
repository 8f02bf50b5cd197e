// The programs of examples/, as a reader runs them: two lines typed, two answers, one conversation.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { afterwards, freshFolder } from "../support/anthropic.ts";
import { startCompletionsServer } from "../support/completions-server.ts";
import { startGeminiServer } from "../support/gemini-server.ts";
import { startMessagesServer } from "../support/messages-server/index.ts";
import { said, startResponsesServer } from "../support/responses-server.ts";

/** Its package brings a large program: it is played where that is installed. */
const isAgent = (file: string): boolean => file === "claude-agent.ts";
const hasAgent = existsSync("node_modules/@anthropic-ai/claude-agent-sdk");
const EXAMPLES = readdirSync("examples").filter(
  (file) => /(?<!\.d)\.ts$/.test(file) && file !== "demo.ts" && (hasAgent || !isAgent(file)),
);

async function serve(example: string) {
  if (example === "anthropic.ts" || isAgent(example)) {
    const server = await startMessagesServer({ reply: () => "Aye." });
    const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" };
    const home = { CLAUDE_CONFIG_DIR: freshFolder(), CLAUDE_CODE_MAX_OUTPUT_TOKENS: "32000" };
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "test", ...quiet, ...home };
    return { server, env };
  }
  if (example === "gemini.ts") {
    const server = await startGeminiServer({ reply: () => [{ text: "Aye." }] });
    return { server, env: { GOOGLE_GEMINI_BASE_URL: server.url, GEMINI_API_KEY: "test" } };
  }
  const server =
    example === "own-loop.ts" || example === "langchain.ts"
      ? await startCompletionsServer({ reply: () => ({ content: "Aye." }) })
      : await startResponsesServer({ reply: () => [said("Aye.")] });
  // The Agents SDK sends traces of its runs to OpenAI itself.
  const env = { OPENAI_BASE_URL: server.url, OPENAI_AGENTS_DISABLE_TRACING: "1" };
  return { server, env: { ...env, OPENAI_API_KEY: "test" } };
}

it.each(EXAMPLES)("%s talks, and what is said is one conversation", async (example) => {
  const { server, env } = await serve(example);
  afterwards(() => server.close());
  const workspace = freshFolder();
  const child = spawn(process.execPath, [resolve("examples", example)], {
    cwd: join(workspace, ".."),
    env: { ...process.env, ...env },
  });
  child.stdin.end("My boat is called Zephyrine.\nWhat is it called?\n");
  const [shown, told] = [text(child.stdout), text(child.stderr)];
  expect([await once(child, "close"), await told]).toEqual([[0, null], ""]);
  expect(await shown).toBe("Aye.\nAye.\n");
  expect(server.refusals).toEqual([]);
  const tidemark = await openTidemark({ workspace: join(workspace, "..", "workspace") });
  const all = [tidemark, tidemark.as({ user: "ada" })].map((one) => one.history.list());
  const conversations = (await Promise.all(all)).flat();
  await tidemark.close();
  expect(conversations.map(({ messages }) => messages)).toEqual([4]);
});
