import { createInterface } from "node:readline";
import type { Anthropic as SDK } from "@anthropic-ai/sdk";
import { anthropicMiddleware } from "../../adapters/anthropic.ts";
import { asDict } from "../../core/base.ts";
import type { TidemarkEvent } from "../../core/errors-and-events.ts";
import type { Tidemark } from "../../session/options/tidemark-api.ts";
import { Failure, firstLine, type Verb } from "../input/flags.ts";
import { withWorkspace } from "../input/workspace-of-verb.ts";
import { hitLines } from "../render/hits-and-spent.ts";
import { type Io, json, paint, plain, tame } from "../render/layout.ts";
import { count, tokens } from "../render/numbers.ts";
import { memoryLines } from "./memories-and-recall.ts";

const MODEL = "claude-sonnet-5-5";
/** The window keeps room free for a reply of this length. */
const MAX_TOKENS = 8_000;

interface Chat {
  readonly client: SDK;
  readonly tidemark: Tidemark;
  readonly io: Io;
  /** A program hears each reply on a line of its own, and all else on standard error. */
  readonly isJson: boolean;
  readonly model: string;
  readonly messages: SDK.Messages.MessageParam[];
}

/** A conversation in the terminal, through the SDK and the middleware as in a host's program. */
export const chat: Verb = {
  says: "talk to Claude in the terminal, with a memory",
  flags: {
    model: { takes: "NAME", says: `the model to talk to (default ${MODEL})` },
    window: { takes: "N", says: "use no more of its window than this: 16k, 200k (default: all)" },
  },
  examples: [
    "tidemark chat",
    "tidemark chat --model claude-haiku-5-5 --window 32k",
    "tidemark chat --user ada",
    'echo "what do you know of me?" | tidemark chat',
  ],
  async run(given, shown) {
    const isJson = given.on("json");
    const io: Io = isJson ? { ...shown, say: (line = "") => shown.warn(line) } : shown;
    if (!io.env.ANTHROPIC_API_KEY)
      throw new Failure(
        "ANTHROPIC_API_KEY is not set, so there is nobody to talk to; set it, or see " +
          'Tidemark work without one: "tidemark replay FILE".',
      );
    const { Anthropic } = await loadSdk();
    const window = { tokens: given.tokens("window") };
    return withWorkspace(
      given,
      io,
      async (tidemark) => {
        const client = new Anthropic({ middleware: [anthropicMiddleware(tidemark)] });
        const model = given.text("model") ?? MODEL;
        const { memories } = await tidemark.stats();
        io.say(`${plain(model)} · ${count(memories, "memory", "memories")} · /help lists commands`);
        return {
          found: undefined,
          code: await converse({ client, tidemark, io, isJson, model, messages: [] }),
        };
      },
      { hear: (event) => notice(event, io), makes: "any", window },
    );
  },
};

/** The host chooses the SDK, so it is looked for only when a person wants to talk. */
async function loadSdk(): Promise<{ Anthropic: typeof SDK }> {
  try {
    return await import("@anthropic-ai/sdk");
  } catch (thrown) {
    if (asDict(thrown).code !== "ERR_MODULE_NOT_FOUND") throw thrown;
    throw new Failure(
      "chat needs the Anthropic SDK, which is not installed: npm install @anthropic-ai/sdk",
    );
  }
}

function notice(event: TidemarkEvent, { say }: Io): void {
  if (event.type === "folded") {
    const sizes = `${tokens(event.before)} → ${tokens(event.after)} tokens`;
    say(paint.magenta(`  ▼ ${count(event.messages, "message")} folded into a summary: ${sizes}`));
  }
  if (event.type === "saved") say(paint.green("  ✓ remembered"));
}

/**
 * Answers line by line until the input ends; Ctrl-C stops a reply, or else ends the chat. To a
 * program it answers 1 where a line brought no reply.
 */
async function converse(chat: Chat): Promise<number> {
  const { io } = chat;
  const { stdin: input, stdout } = process;
  const terminal = input.isTTY && stdout.isTTY;
  const output = terminal ? stdout : undefined;
  const lines = createInterface({ input, output, terminal, prompt: "› " });
  let code = 0;
  let reply: AbortController | undefined;
  lines.on("SIGINT", () => (reply === undefined ? lines.close() : reply.abort()));
  if (terminal) lines.prompt();
  for await (const line of lines) {
    const words = line.trim();
    reply = new AbortController();
    try {
      if (words.startsWith("/")) await command(words, chat);
      else if (words !== "") await answer(words, chat, reply.signal);
    } catch (thrown) {
      io.warn(paint.red(`  No reply: ${plain(firstLine(thrown))}`));
      code = terminal ? 0 : 1;
    }
    reply = undefined;
    if (terminal) lines.prompt();
  }
  return code;
}

/** A message that brought no reply is taken back, so that it can be said again. */
async function answer(words: string, chat: Chat, signal: AbortSignal): Promise<void> {
  const { client, io, isJson, model, messages } = chat;
  messages.push({ role: "user", content: words });
  try {
    const request = { model, max_tokens: MAX_TOKENS, messages };
    const stream = client.messages.stream(request, { signal });
    if (!isJson) stream.on("text", (part) => io.write(tame(part)));
    const { content } = await stream.finalMessage();
    messages.push({ role: "assistant", content });
    const reply = content.map((block) => (block.type === "text" ? block.text : "")).join("");
    io.write(isJson ? `${json({ reply })}\n` : "\n\n");
  } catch (thrown) {
    messages.pop();
    io.say();
    throw thrown;
  }
}

async function command(line: string, { tidemark, io, model, messages }: Chat): Promise<void> {
  const [name = "", ...rest] = line.split(/\s+/);
  const query = rest.join(" ");
  if (name === "/memory" && query !== "") {
    const hits = await tidemark.memory.recall(query);
    hitLines(hits, query).forEach(io.say);
    if (hits.length === 0) io.say("  Nothing is remembered about that.");
  } else if (name === "/memory") {
    const all = await tidemark.memory.list({ limit: 12 });
    memoryLines(all).forEach(io.say);
    if (all.length === 0) io.say("  Nothing is remembered yet.");
  } else if (name === "/fold") {
    const request = { model, max_tokens: MAX_TOKENS, messages: messages as never };
    const done = await tidemark.fold({ request });
    if ("refused" in done) io.say(`  Not folded: ${done.refused}.`);
  } else io.say("  /memory [WORDS], /fold, /help; Ctrl-D ends the chat.");
}
