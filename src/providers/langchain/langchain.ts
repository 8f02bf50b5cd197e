import { asDict, asText, type Dict, dicts, isDict } from "../../core/base.ts";
import { createSeen } from "../../core/tokens/message-cache.ts";
import type { Message, Usage } from "../../core/request.ts";
import { edits as messagesEdits } from "../anthropic/blocks.ts";
import { reading } from "../anthropic/messages.ts";
import {
  asMessage,
  cutting,
  type Dialect,
  itemsOf,
  leadingSystem,
  mapWithin,
  type Reply,
  same,
  withMember,
} from "../common/dialect.ts";
import { cutInput, dataUrl, overheadOf, REQUEST_HEAD, weigh } from "../common/pieces.ts";
import { tokenCount, unwrap } from "../common/replies.ts";

/** Parts in which some providers repeat what `tool_calls` holds, or streamed it. */
const REPEATED = new Set(["tool_use", "tool_call", "functionCall", "input_json_delta"]);

const views = createSeen<Message>();

/** A message in the words of Anthropic's Messages, which are only read. */
function viewOf(given: Message | undefined): Message {
  const message = asMessage(given);
  return views.of(message, () => seen(message));
}

function seen(message: Message): Message {
  const { role, content, tool_calls: called, tool_call_id: answered, status } = message;
  const calls = role === "assistant" ? dicts(called) : [];
  const own = new Set(calls.map(({ id }) => id));
  const parts = itemsOf(content)
    .map((part) => blockOf(asDict(part)))
    .filter(({ type, id }) => !REPEATED.has(asText(type)) || (type === "tool_use" && !own.has(id)));
  const asked = calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args }));
  const answer = { type: "tool_result", tool_use_id: answered, content: parts };
  return role === "tool"
    ? { role: "user", content: [{ ...answer, is_error: status === "error" }] }
    : { role, content: [...parts, ...asked] };
}

/** Media stand in a block as they are, or in the form of the standard, or of chat completions. */
function blockOf(part: Dict): Dict {
  const { type, text, url, image_url: image, data, mime_type, mimeType = mime_type } = part;
  if (type === "text") return { type, text };
  if (type === "reasoning") return { type: "thinking", thinking: part.reasoning };
  const link = asText(url) || asText(asDict(image).url ?? image);
  const bytes = dataUrl(link) ?? { data: asText(data), mediaType: mimeType };
  if (isThought(part) || isDict(part.source) || asText(link || data) === "") return part;
  const source = bytes.data
    ? { type: "base64", media_type: bytes.mediaType, data: bytes.data }
    : { type: "url", url: link, media_type: mimeType };
  const isImage = /^image/.test(asText(type)) || /^image/.test(asText(mimeType));
  return { type: isImage ? "image" : "document", source };
}

const isThought = (part: unknown): boolean =>
  /^(?:(?:redacted_)?thinking|reasoning)$/.test(asText(asDict(part).type));
const isAnswer = (message: Message): boolean => asDict(message).role === "tool";
const text = (words: string): Dict => ({ type: "text", text: words });

/** Every text of a message, shorter. */
function shortened(message: Message, cut: (words: string) => string): Message {
  const shorter = cutting(cut);
  return mapWithin(message, "content", shorter, (part) =>
    part.type === "text" ? mapWithin(part, "text", shorter, same) : part,
  );
}

const edits = {
  appendSystem: messagesEdits.appendSystem,

  withoutThinking(message) {
    const parts = itemsOf(asMessage(message).content);
    const left = parts.filter((part) => !isThought(part));
    if (left.length === parts.length) return message;
    return { ...message, content: left.length > 0 ? left : [text("(thinking left out)")] };
  },

  shortenResults: (message, cut) =>
    isAnswer(message)
      ? shortened(message, (words) => cut(words, asText(message.tool_call_id)))
      : message,

  shortenTexts: (message, cut) => (isAnswer(message) ? message : shortened(message, cut)),

  shortenInputs(message, cut) {
    const inCall = (call: Dict): Dict =>
      ["args", "input"].reduce(
        (made, name) => withMember(made, name, made[name] && cutInput(made[name], cut)),
        call,
      );
    const inPart = (part: Dict): Dict => (REPEATED.has(asText(part.type)) ? inCall(part) : part);
    return mapWithin(mapWithin(message, "content", same, inPart), "tool_calls", same, inCall);
  },

  withoutMedia: (message, note) =>
    asDict(message).role === "assistant"
      ? message
      : mapWithin(message, "content", same, (part) => (part.type === "text" ? part : text(note))),
} satisfies Partial<Dialect>;

/** `input_tokens` includes what came from the cache and what went into it. */
function usageOf({ input_tokens, output_tokens, input_token_details: details }: Dict): Usage {
  const total = tokenCount(input_tokens);
  const cacheRead = Math.min(total, tokenCount(asDict(details).cache_read));
  const cacheWrite = Math.min(total - cacheRead, tokenCount(asDict(details).cache_creation));
  const output = tokenCount(output_tokens);
  return { input: total - cacheRead - cacheWrite, cacheWrite, cacheRead, output };
}

function reply(given: unknown): Reply | undefined {
  const { reply: message, usage } = unwrap(given);
  if (!isDict(message) || message.role !== "assistant") return undefined;
  return {
    message,
    usage: isDict(usage) && "input_tokens" in usage ? usageOf(usage) : undefined,
    stop: asText(asDict(given).stop) || undefined,
  };
}

/**
 * LangChain's messages as its agents take them from JSON: `{ role, content, tool_calls?,
 * tool_call_id?, … }`, with parts in any provider's form.
 */
export const langchain: Dialect = {
  format: "langchain",
  traits: {
    provider: "langchain",
    joinsTurns: false,
    systemNeedsReply: false,
    windowSetting: "its window",
  },
  recall: {
    withText: (message, words) => ({
      ...message,
      content: [...itemsOf(message.content), text(words)],
    }),
  },
  ...reading(viewOf),
  head: REQUEST_HEAD,
  overhead: (request) => overheadOf(request, weigh),
  preamble: leadingSystem,
  ...edits,
  userMessage: (words) => ({ role: "user", content: words }),
  reply,
};
