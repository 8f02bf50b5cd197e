import { asDict, asText, type Dict, dictIn, dicts, isDict } from "../../core/base.ts";
import { reading } from "../anthropic/messages.ts";
import {
  cutting,
  type Dialect,
  leadingSystem,
  mapWithin,
  type Reply,
  same,
  withMember,
} from "../common/dialect.ts";
import { inText, withoutParts } from "../common/parts.ts";
import { cutInput } from "../common/pieces.ts";
import { unwrap, usageOf } from "../common/replies.ts";
import { edits as chatEdits } from "../openai/parts.ts";
import { close, open, viewOf } from "./prompt.ts";

const text = (words: string): Dict => ({ type: "text", text: words });

const isThought = (part: unknown): boolean => /^reasoning/.test(asText(asDict(part).type));

/** Without the ids by which a server asks for the reasoning that stood before. */
function unbound(part: unknown): unknown {
  if (!isDict(part) || !isDict(part.providerOptions)) return part;
  const { openai } = part.providerOptions;
  if (!isDict(openai)) return part;
  const { itemId: _id, ...left } = openai;
  return { ...part, providerOptions: { ...part.providerOptions, openai: left } };
}

const edits = {
  ...chatEdits,

  withoutThinking: (message) => withoutParts(message, isThought, unbound),

  shortenResults: (message, cut) =>
    mapWithin(message, "content", same, (part) => {
      if (part.type !== "tool-result") return part;
      const shorter = cutting((words) => cut(words, asText(part.toolCallId)));
      return withMember(part, "output", mapWithin(part.output, "value", shorter, inText(shorter)));
    }),

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
} satisfies Partial<Dialect>;

/** Of one call; those of a whole run are sums over its steps, and no size. */
function usageIn({ inputTokens: given, outputTokens: made }: Dict) {
  const input = asDict(given);
  return usageOf({
    ...{ prompt: isDict(given) ? input.total : given, read: input.cacheRead },
    ...{ write: input.cacheWrite, output: isDict(made) ? made.total : made },
  });
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
    usage: usageIn(asDict(usage)),
    stop: asText(isDict(stop) ? stop.unified : stop) || undefined,
  };
}

/** Prompts of the AI SDK, as its middleware has them: versions 3 and 4, and Mastra's. */
export const aiSdk: Dialect = {
  format: "ai-sdk",
  provider: "ai-sdk",
  envelope: { open, close },
  ...reading(viewOf),
  preamble: leadingSystem,
  ...edits,
  userMessage: (words) => ({ role: "user", content: [text(words)] }),
  reply,
};

/** Puts the parts of a streamed reply together; what was cut off is given as far as it came. */
export function gatherParts() {
  const content: Dict[] = [];
  const open = new Map<unknown, Record<string, unknown>>();
  let ending: Dict | undefined;

  /** A part that comes in pieces: its words by the id of its start. */
  function piece(kind: string, { type, id, delta, providerMetadata }: Dict): void {
    let part = open.get(id);
    if (part === undefined || asText(type).endsWith("-start")) {
      part = { type: kind, text: "" };
      open.set(id, part);
      content.push(part);
    }
    part.text = asText(part.text) + asText(delta);
    if (providerMetadata !== undefined) part.providerMetadata = providerMetadata;
  }

  function push(given: unknown): void {
    const part = asDict(given);
    const [, kind] = /^(text|reasoning)-(?:start|delta|end)$/.exec(asText(part.type)) ?? [];
    if (kind !== undefined) piece(kind, part);
    else if (WHOLE.has(asText(part.type))) content.push(part);
    else if (part.type === "finish") ending = part;
  }

  /** The reply as it would have come in one; undefined where nothing of it came. */
  function message(): Dict | undefined {
    const said = content.filter(({ type, text }) => !(type === "text" && text === ""));
    return said.length > 0 ? { ...ending, content: said } : undefined;
  }

  return { push, message, complete: () => ending !== undefined };
}

const WHOLE = new Set(["tool-call", "tool-result", "file", "reasoning-file", "source", "custom"]);
