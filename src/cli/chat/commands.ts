import type { Anthropic as SDK } from "@anthropic-ai/sdk";
import { nearest } from "../../model/checks.ts";
import { hitLines } from "../render/hits.ts";
import { ago } from "../render/numbers.ts";
import { listed } from "../render/layout.ts";
import type { Tidemark } from "../../engine/options/types.ts";
import type { Io } from "../render/io.ts";
import type { Client } from "./client.ts";
import type { Notices } from "./notices.ts";

const COMMANDS = {
  "/memory": "what is remembered; /memory WORDS looks for something",
  "/fold": "fold the older messages now",
  "/quit": "end the chat",
  "/help": "this list",
};
const QUITS = ["/quit", "/exit", "/q"];

const SHOWN = 12;

/** What begins with a slash is for us, not for the model. */
export async function command(line: string, chat: Chat, talk: Talk): Promise<"quit" | "go on"> {
  const { io } = chat;
  const [word = "", ...rest] = line.split(/\s+/);
  if (QUITS.includes(word)) return "quit";
  if (word === "/memory") await memory(rest.join(" "), chat);
  else if (word === "/fold") await fold(chat, talk);
  else if (word === "/help")
    for (const [one, says] of Object.entries(COMMANDS))
      io.say(`  ${io.paint.cyan(one.padEnd(8))} ${says}`);
  else {
    const meant = nearest(word, Object.keys(COMMANDS));
    io.say(
      `  There is no ${word}.${meant === undefined ? "" : ` Did you mean ${meant}?`} /help lists what there is.`,
    );
  }
  return "go on";
}

async function memory(query: string, { tidemark, io }: Chat): Promise<void> {
  if (query !== "") {
    const hits = await tidemark.memory.recall(query);
    if (hits.length === 0) io.say(`  Nothing is remembered about "${query}".`);
    for (const line of hitLines(hits, query, io)) io.say(line);
    return;
  }
  const all = await tidemark.memory.list({ limit: 1_000 });
  if (all.length === 0)
    io.say(
      "  Nothing yet. Facts are saved when the window fills, when you /fold, and when the chat ends.",
    );
  const top = all
    .toSorted((one, other) => other.importance - one.importance || other.updatedAt - one.updatedAt)
    .slice(0, SHOWN);
  const entries = top.map(({ content, category, updatedAt }) => ({
    name: "•",
    text: content,
    about: `${category} · ${ago(updatedAt)}`,
  }));
  for (const line of listed(entries, io)) io.say(line);
  if (all.length > top.length)
    io.say(io.paint.dim(`  … and ${all.length - top.length} more; /memory WORDS finds them`));
}

async function fold({ tidemark, notices, io, model, maxTokens }: Chat, talk: Talk): Promise<void> {
  const { messages } = talk;
  if (messages.length === 0) return io.say("  There is nothing to fold yet.");
  const done = await tidemark.fold({
    request: { model, max_tokens: maxTokens, messages: messages as never },
  });
  notices.show();
  if ("refused" in done) io.say(`  Not folded: ${done.refused}.`);
  else {
    talk.used = done.after;
    io.say("  The next message goes out with the summary in their place.");
  }
}

export interface Chat {
  readonly client: Client;
  readonly tidemark: Tidemark;
  readonly notices: Notices;
  readonly io: Io;
  readonly model: string;
  readonly maxTokens: number;
  readonly limit: number;
}

/** What a conversation is made of; `used` is the size of the next request, as the provider counted the last. */
export interface Talk {
  readonly messages: SDK.Messages.MessageParam[];
  used: number;
}
