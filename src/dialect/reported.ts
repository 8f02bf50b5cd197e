import { asDict, type Dict, dictIn, isDict } from "../base/guards.ts";
import { anthropic } from "./anthropic/anthropic.ts";
import { gatherMessage } from "./anthropic/events.ts";
import type { Dialect, Reply } from "./common/dialect.ts";
import { createEventReader } from "./common/event-stream.ts";
import { openaiChat } from "./openai/chat.ts";
import { completionOf } from "./openai/completion.ts";
import { unwrap, tokenCount } from "./common/replies.ts";
import { readTokens, type Usage } from "../model/ports.ts";

/** Chunks as an SDK gives them, events with their data in them, or text and bytes of the stream. */
function chunksIn(items: readonly unknown[]): Dict[] {
  const events = createEventReader();
  const chunks = items.flatMap((item): Dict[] => {
    if (item instanceof Uint8Array) return events.push(item);
    if (typeof item === "string") {
      const whole = dictIn(item);
      // A list of lines has no ends of lines.
      const before = /^(?:event|data):/.test(item) ? events.flush() : [];
      return whole === undefined ? [...before, ...events.push(item)] : [whole];
    }
    if (!isDict(item)) return [];
    const { event: type, data } = item;
    const held = typeof data === "string" ? (dictIn(data) ?? {}) : data;
    return [isDict(held) ? { type, ...held } : item];
  });
  return [...chunks, ...events.flush()];
}

/** A stream's reply, put together; undefined where nothing of it came. */
function gathered(items: readonly unknown[]): Dict | undefined {
  const chunks = chunksIn(items);
  if (chunks.some(({ choices }) => Array.isArray(choices))) return completionOf(chunks);
  const reader = gatherMessage();
  for (const chunk of chunks) reader.take(chunk);
  return reader.message();
}

/**
 * A reply in any form that begin's two formats come in: a message, a completion, the chunks or
 * events of a stream, the text of a response's body, or `{ usage, reply }` around one of them. A
 * completion is one, whatever its request was taken for.
 */
export function replyIn(dialect: Dialect, whatever: unknown): Reply | undefined {
  const given = typeof whatever === "string" ? (dictIn(whatever) ?? whatever) : whatever;
  const { reply, usage } = unwrap(given);
  const isStream =
    Array.isArray(reply) ||
    reply instanceof Uint8Array ||
    (typeof reply === "string" && reply.includes("data:"));
  const whole = isStream ? gathered(Array.isArray(reply) ? reply : [reply]) : reply;
  const read = Array.isArray(asDict(whole).choices) ? openaiChat : dialect;
  const made = read.reply(isStream ? { reply: whole, usage: usage ?? asDict(whole).usage } : given);
  return made && { ...made, partial: asDict(whole).leftOut === true };
}

const COUNTS = [
  ...["input", "cacheWrite", "cacheWrite1h", "cacheRead", "output"],
  ...["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens"],
  ...["prompt_tokens", "completion_tokens"],
];

/**
 * What a call took, as its maker says: in our words, in Anthropic's or in OpenAI's. Undefined where
 * that cannot be read, or names no token.
 */
export function usageIn(given: unknown): Usage | undefined {
  if (!isDict(given) || COUNTS.some((name) => !isCount(given[name] ?? 0))) return undefined;
  const shapes = [
    ours(given),
    openaiChat.reply({ reply: { role: "assistant" }, usage: inChat(given) })?.usage,
    billed(given),
  ];
  return shapes.find((usage) => usage !== undefined && readTokens(usage) + usage.output > 0);
}

const isCount = (value: unknown): boolean =>
  typeof value === "number" && Number.isFinite(value) && value >= 0;

function ours(given: Dict): Usage {
  const cacheWrite = tokenCount(given.cacheWrite);
  return {
    input: tokenCount(given.input),
    cacheWrite,
    cacheWrite1h: isCount(given.cacheWrite1h)
      ? Math.min(cacheWrite, tokenCount(given.cacheWrite1h))
      : undefined,
    cacheRead: tokenCount(given.cacheRead),
    output: tokenCount(given.output),
  };
}

function billed(usage: unknown): Usage | undefined {
  const reply = anthropic.reply({ reply: { content: "" }, usage });
  return reply?.billed ?? reply?.usage;
}

/**
 * OpenAI's newer API counts as its older one does, what came from the cache included, under
 * Anthropic's names.
 */
function inChat(given: Dict): unknown {
  if (!isDict(given.input_tokens_details)) return given;
  return {
    prompt_tokens: given.input_tokens,
    prompt_tokens_details: given.input_tokens_details,
    completion_tokens: given.output_tokens,
  };
}
