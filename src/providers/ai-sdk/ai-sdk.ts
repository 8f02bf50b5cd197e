import { asDict, asText, type Dict, dictIn, dicts, isDict } from "../../core/base.ts";
import type { Message, Usage } from "../../core/request.ts";
import { reading } from "../anthropic/messages.ts";
import {
  asMessage,
  type Cut,
  cutting,
  type Dialect,
  isBlank,
  itemsOf,
  leadingSystem,
  mapWithin,
  type Reply,
  same,
  withMember,
} from "../common/dialect.ts";
import { cutInput, overheadOf, REQUEST_HEAD, weigh } from "../common/pieces.ts";
import { tokenCount, unwrap } from "../common/replies.ts";
import { close, open, viewOf } from "./prompt.ts";

const text = (words: string): Dict => ({ type: "text", text: words });
const partsOf = (content: unknown): unknown[] => [...itemsOf(content)];

const withText = (message: Message, words: string): Message => ({
  ...message,
  content: [...partsOf(message.content), text(words)],
});

const isThought = (part: unknown): boolean => /^reasoning/.test(asText(asDict(part).type));
const isText = ({ type }: Dict): boolean => type === "text";
const inText = (cut: Cut) => (part: Dict) =>
  isText(part) ? mapWithin(part, "text", cut, same) : part;

/** Without the ids by which a server asks for the reasoning that stood before. */
function unbound(part: unknown): unknown {
  if (!isDict(part) || !isDict(part.providerOptions)) return part;
  const { openai } = part.providerOptions;
  if (!isDict(openai)) return part;
  const { itemId: _id, ...left } = openai;
  return { ...part, providerOptions: { ...part.providerOptions, openai: left } };
}

const edits = {
  withoutThinking(message) {
    const parts = partsOf(asMessage(message).content);
    const left = parts.filter((part) => !isThought(part)).map(unbound);
    if (left.length === parts.length) return message;
    return { ...message, content: left.length > 0 ? left : [text("(thinking left out)")] };
  },

  shortenResults: (message, cut) =>
    mapWithin(message, "content", same, (part) => {
      if (part.type !== "tool-result") return part;
      const shorter = cutting((words) => cut(words, asText(part.toolCallId)));
      return withMember(part, "output", mapWithin(part.output, "value", shorter, inText(shorter)));
    }),

  shortenTexts: (message, cut) => mapWithin(message, "content", cutting(cut), inText(cutting(cut))),

  shortenInputs: (message, cut) =>
    mapWithin(message, "content", same, (part) =>
      part.type === "tool-call" && part.providerExecuted !== true
        ? withMember(part, "input", cutInput(part.input, cut))
        : part,
    ),

  withoutMedia(message, note) {
    const put = (part: Dict): Dict => {
      if (part.type === "tool-result")
        return withMember(part, "output", mapWithin(part.output, "value", same, put));
      return part.type === "file" || part.type === "image" ? text(note) : part;
    };
    return asDict(message).role === "assistant"
      ? message
      : mapWithin(message, "content", same, put);
  },

  appendSystem(request, words) {
    if (isBlank(words)) return request;
    const [first, ...rest] = request.messages;
    const messages =
      first?.role === "system"
        ? [{ ...first, content: `${asText(first.content)}\n\n${words}` }, ...rest]
        : [{ role: "system", content: words }, ...request.messages];
    return { ...request, messages };
  },
} satisfies Partial<Dialect>;

/** Of one call; those of a whole run are sums over its steps, and no size. */
function usageOf({ inputTokens: given, outputTokens: made }: Dict): Usage {
  const input = asDict(given);
  const total = tokenCount(isDict(given) ? input.total : given);
  const cacheRead = Math.min(total, tokenCount(input.cacheRead));
  const cacheWrite = Math.min(total - cacheRead, tokenCount(input.cacheWrite));
  const output = tokenCount(isDict(made) ? made.total : made);
  return { input: total - cacheRead - cacheWrite, cacheWrite, cacheRead, output };
}

/** Parts of a reply that a caller does not send back. */
const TOLD = new Set(["source", "tool-approval-request"]);

/** A part of a reply as it stands in the next prompt. */
function partOf({ providerMetadata, ...part }: Dict): Dict {
  const { input, result, isError, ...left } = part;
  const options = isDict(providerMetadata) && { providerOptions: providerMetadata };
  if (part.type === "tool-call")
    return {
      ...left,
      input: typeof input === "string" ? (dictIn(input) ?? input) : input,
      ...options,
    };
  if (part.type !== "tool-result") return { ...part, ...options };
  const type = isError === true ? "error-json" : "json";
  return { ...left, output: part.output ?? { type, value: result }, ...options };
}

function reply(given: unknown): Reply | undefined {
  const { reply: result, usage } = unwrap(given);
  if (!isDict(result) || !Array.isArray(result.content)) return undefined;
  const content = dicts(result.content)
    .filter(({ type }) => !TOLD.has(asText(type)))
    .map(partOf);
  const { finishReason: stop } = result;
  return {
    message: { role: "assistant", content },
    usage: isDict(usage) && "inputTokens" in usage ? usageOf(usage) : undefined,
    stop: asText(isDict(stop) ? stop.unified : stop) || undefined,
  };
}

/** Prompts of the AI SDK, as its middleware has them: versions 3 and 4, and Mastra's. */
export const aiSdk: Dialect = {
  format: "ai-sdk",
  traits: {
    provider: "ai-sdk",
    joinsTurns: false,
    systemNeedsReply: false,
    windowSetting: "its window",
  },
  envelope: { open, close },
  recall: { withText },
  ...reading(viewOf),
  head: REQUEST_HEAD,
  overhead: (request) => overheadOf(request, weigh),
  preamble: leadingSystem,
  ...edits,
  userMessage: (words) => ({ role: "user", content: [text(words)] }),
  reply,
};
