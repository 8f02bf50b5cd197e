import { asDict, asText, type Dict, dictIn, either, inOrder, isDict } from "../core/base.ts";
import { readTokens, type Usage } from "../core/request.ts";
import { gatherMessage } from "./anthropic/events.ts";
import { anthropic } from "./anthropic/messages.ts";
import type { Dialect, Reply } from "./common/dialect.ts";
import { countsApart, createEventReader, unwrap } from "./common/replies.ts";
import { gatherContent } from "./gemini/gemini.ts";
import { openaiChat } from "./openai/chat.ts";
import { completionOf } from "./openai/completion.ts";

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
  const isGemini = chunks.some(({ candidates }) => Array.isArray(candidates));
  const reader = isGemini ? gatherContent() : gatherMessage();
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
    countsApart({ ...given, hour: given.cacheWrite1h ?? undefined }),
    openaiChat.reply({ reply: { role: "assistant" }, usage: inChat(given) })?.usage,
    billed(given),
  ];
  return shapes.find((usage) => usage !== undefined && readTokens(usage) + usage.output > 0);
}

const isCount = (value: unknown): boolean =>
  typeof value === "number" && Number.isFinite(value) && value >= 0;

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

/**
 * A refusal's whole message, as makers of models and of local servers word it. Only these say how
 * large the prompt and the window are: the same words inside of others may be quoted input.
 */
const WORDINGS: readonly RegExp[] = [
  // Anthropic, and Bedrock in front of it
  inOrder(
    /^(?:The model returned the following errors: )?prompt is too long: (?<tokens>\d+) /,
    /tokens > (?<window>\d+) maximum$/,
  ),
  inOrder(
    /^input length and `max_tokens` exceed context limit: (?<tokens>\d+) \+ \d+ > /,
    /(?<window>\d+)(?:, decrease input length or `max_tokens` and try again)?$/,
  ),
  // OpenAI, vLLM and servers that speak like them; the reply's room is set apart where it is named
  inOrder(
    /^This model's maximum context length is (?<window>\d+) tokens[.,] [Hh]owever, you /,
    /requested \d+ tokens \((?<tokens>\d+) in (?:the messages|your prompt)[,;] \d+ /,
    /(?:in|for) the completion\)\. Please reduce .{0,80}$/,
  ),
  inOrder(
    /^This model's maximum context length is (?<window>\d+) tokens\. However, /,
    /(?:your messages resulted in|you requested|your request has) (?<tokens>\d+) /,
    /(?:input )?tokens\b.{0,200}$/,
  ),
  inOrder(
    /^The (?:decoder )?prompt \((?:total )?length (?<tokens>\d+)\) is /,
    either(
      /longer than the maximum model length of/,
      /too long to fit into the model \(context length/,
    ),
    / (?<window>\d+)\b.{0,200}$/,
  ),
  inOrder(
    /^You passed (?<tokens>\d+) input tokens and requested \d+ output tokens\. However, /,
    /the model's context length is only (?<window>\d+) tokens\b.{0,300}$/,
  ),
  // Gemini, and Vertex in front of it
  inOrder(
    /^The input token count \((?<tokens>\d+)\) exceeds the maximum number of tokens /,
    /allowed \((?<window>\d+)\)\.?$/,
  ),
  inOrder(
    /input token count is (?<tokens>\d+) but (?:the )?model only supports up to /,
    /(?<window>\d+)\. Reduce the input token count and try again.{0,100}$/,
  ),
  // llama.cpp
  inOrder(
    /^request \((?<tokens>\d+) tokens\) exceeds the available context size \(/,
    /(?<window>\d+) tokens\), try increasing it$/,
  ),
  /^Requested tokens \((?<tokens>\d+)\) exceed context window of (?<window>\d+)$/,
  // LM Studio
  inOrder(
    /^Trying to keep the first (?<tokens>\d+) tokens when context the overflows\. /,
    /However, the model is loaded with context length of only (?<window>\d+) tokens, /,
    /which is not enough\..{0,200}$/,
  ),
  inOrder(
    /^The number of tokens to keep from the initial prompt is greater than the context /,
    /length \(n_keep: (?<tokens>\d+) ?>= ?n_ctx: (?<window>\d+)\)\..{0,200}$/,
  ),
  /^Cannot truncate prompt with n_keep \((?<tokens>\d+)\) >= n_ctx \((?<window>\d+)\)$/,
];

/** A refusal with one of these signs is an overflow: at worst one request more is folded. */
const SIGNS = either(
  /prompt is too long|input is too long|prompt too long/i,
  /context[_ ](?:length|window|size)[_ ]exceeded|exceed_context_size/i,
  /maximum context length|request_too_large|input token count .{0,20}exceeds the maximum/i,
  inOrder(
    /exceed(?:s|ed)? (?:the )?(?:model'?s? |available )?(?:maximum )?context /i,
    /(?:length|window|limit|size)/i,
  ),
  /context the overflows|n_keep\b.{0,20}>= ?n_ctx|longer than the maximum model length/i,
  /too long to fit into the model|model's context length is only/i,
);
const RATE = new Set([401, 403, 404, 408, 409, 429, 500, 502, 503, 504, 529]);
/** Longer is no sentence of a server's. */
const LONGEST_TOLD = 1_000;
const DEEPEST = 4;

export interface Overflow {
  readonly tokens?: number;
  readonly window?: number;
}

/**
 * The numbers of an overflow, or undefined for any other error. A rate limit is not an overflow,
 * whatever it says.
 */
export function overflowOf(error: unknown): Overflow | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const status: unknown = "status" in error ? error.status : undefined;
  const said = saidIn(error as Dict);
  const listed = said.map(numbersOf).find((found) => found !== undefined);
  if (typeof status === "number" && RATE.has(status)) return undefined;
  if (listed) return listed;
  const text = said
    .map((one) => [asText(one.message), asText(one.code), asText(one.type)].join("\n"))
    .join("\n")
    .slice(0, 20_000);
  if (
    /rate.?limit|overloaded|quota/i.test(text) &&
    !/prompt is too long|context_length_exceeded/i.test(text)
  )
    return undefined;
  return SIGNS.test(text) || status === 413 ? {} : undefined;
}

/** The error, and those inside of it: as an SDK wraps them, as a body has them, as text. */
function saidIn(error: Dict, depth = 0): Dict[] {
  const { error: inner, message } = error;
  const text = typeof inner === "string" ? inner : asText(message);
  // SDKs write the status and the whole body into their message.
  const said = text.replace(/^\d{3} (?=\S)/, "");
  const own = { ...error, message: said };
  if (depth >= DEEPEST) return [own];
  const nested = isDict(inner) ? inner : dictIn(said.length <= 20_000 ? said : "");
  return nested === undefined ? [own] : [own, ...saidIn(nested, depth + 1)];
}

/** As members of its own (llama.cpp), or in its message. */
function numbersOf({
  message,
  type,
  n_prompt_tokens: prompt,
  n_ctx: context,
}: Dict): Overflow | undefined {
  if (
    type === "exceed_context_size_error" &&
    typeof prompt === "number" &&
    typeof context === "number"
  )
    return { tokens: prompt, window: context };
  const text = asText(message).trim();
  if (text.length > LONGEST_TOLD) return undefined;
  const groups = WORDINGS.find((wording) => wording.test(text))?.exec(text)?.groups;
  return groups && { tokens: Number(groups.tokens), window: Number(groups.window) };
}

/**
 * What the Messages API says of thinking that it does not take (SDK 1.11, reference of preserved
 * thinking).
 */
const OF_THINKING = either(
  /invalid `(?:signature|data)` in `(?:redacted_)?thinking` block/i,
  /bound to a different conversation|block_binding/i,
  /(?:invalid|corrupted) thought[ _]signature|thought[ _]signature is (?:not valid|invalid)/i,
);

/** Was a request refused for its thinking. */
export function isThinkingRefusal(error: unknown): boolean {
  if (!isDict(error) || (typeof error.status === "number" && error.status !== 400)) return false;
  const body = isDict(error.error) ? JSON.stringify(error.error).slice(0, 20_000) : "";
  const said = `${asText(error.message)}\n${body}`;
  return OF_THINKING.test(said);
}
