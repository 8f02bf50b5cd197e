import { asDict, type Dict, isDict } from "../../core/base.ts";
import type { Message } from "../../core/request.ts";
import { reading as messagesReading } from "../anthropic/messages.ts";
import { type Dialect, itemsOf, type Reply } from "../common/dialect.ts";
import { unwrap, usageOf } from "../common/replies.ts";
import { edits, hasBoundReasoning, preamble, withText } from "./parts.ts";
import { viewOf } from "./view.ts";

function usageIn(reported: Dict) {
  const { cached_tokens: read, cache_write_tokens: write } = asDict(reported.prompt_tokens_details);
  const { prompt_tokens: prompt, completion_tokens: output } = reported;
  return usageOf({ prompt, read, write, output });
}

function reply(given: unknown): Reply | undefined {
  const { reply: completion, usage } = unwrap(given);
  if (!isDict(completion)) return undefined;
  const { message, finish_reason: stop } = asDict(
    Array.isArray(completion.choices) ? completion.choices[0] : { message: completion },
  );
  if (!isDict(message) || message.role !== "assistant") return undefined;
  return {
    message,
    usage: usageIn(asDict(usage)),
    stop: typeof stop === "string" ? stop : undefined,
  };
}

/**
 * How messages are read, through what each is in the words of chat completions: Responses items are
 * read so too.
 */
export function reading(view: (message: Message) => Message) {
  const read = messagesReading((message) => viewOf(view(message)), "openai");
  return {
    ...read,
    /** Recorded speech is the user's own. */
    handed(message) {
      const parts = itemsOf(view(message).content);
      const content = parts.filter((part) => asDict(part).type !== "input_audio");
      return read.handed(content.length < parts.length ? { ...view(message), content } : message);
    },
    thinks: (message) => hasBoundReasoning(view(message)),
    preamble,
  } satisfies Partial<Dialect>;
}

/** OpenAI's Chat Completions API, and the many servers that speak it. */
export const openaiChat: Dialect = {
  format: "openai-chat",
  provider: "openai",
  ...reading((message) => message),
  withText,
  ...edits,
  reply,
};
