import { asDict, asText, type Dict, isDict } from "../../core/base.ts";
import type { Message, Usage } from "../../core/request.ts";
import { asMessage, type Dialect, type Reply, type Speaker } from "../common/dialect.ts";
import { exact, hashOf, loose, overheadOf, rest, sized, tagged } from "../common/pieces.ts";
import { unwrap, usageOf, userMessage } from "../common/replies.ts";
import { type Links, opensTail, ordinalOf } from "../common/seams.ts";
import {
  carriedBy,
  edits,
  handedIn,
  hasBoundReasoning,
  innerOf,
  inputOf,
  isAnswer,
  isInstruction,
  links,
  partsOf,
  piecesOf,
  piecesOfMessage,
  preamble,
  roleOf,
  textOf,
  toCall,
  toResult,
  withText,
} from "./parts.ts";

function speaker(message: Message): Speaker {
  if (isAnswer(message)) return "tool";
  if (isInstruction(message)) return "system";
  return roleOf(message) === "assistant" ? "assistant" : "user";
}

function usageIn(reported: Dict): Usage {
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
    usage: isDict(usage) && "prompt_tokens" in usage ? usageIn(usage) : undefined,
    stop: typeof stop === "string" ? stop : undefined,
  };
}

/**
 * How messages are read, through what each is in the words of chat completions: Responses items are
 * read so too.
 */
export function reading(view: (message: Message) => Message) {
  const seen: Links = {
    calls: (message) => links.calls(view(message)),
    results: (message) => links.results(view(message)),
  };
  return {
    speaker: (message) => speaker(view(message)),
    text: (message) => textOf(view(message)),
    handed: (message) => handedIn(view(message)),
    calls: (message) => carriedBy(view(message)).map(toCall),
    results: (message) => (isAnswer(view(message)) ? [toResult(view(message))] : []),
    pieces: (message) => piecesOfMessage(view(message)),
    thinks: (message) => hasBoundReasoning(view(message)),
    canon: (messages, index) =>
      canonOf(view(asMessage(messages[index])), { messages, index, seen }),
    opensTail: (messages, index) => opensTail(seen, messages, index),
    preamble,
  } satisfies Partial<Dialect>;
}

/** OpenAI's Chat Completions API, and the many servers that speak it. */
export const openaiChat: Dialect = {
  format: "openai-chat",
  provider: "openai",
  recall: { withText },
  ...reading((message) => message),
  overhead: (request) => overheadOf(request, piecesOf),
  ...edits,
  userMessage,
  reply,
};

/**
 * Read on their own, or written by the provider and not sent back by every caller: reasoning,
 * annotations, what SDKs parse out of a reply.
 */
const MEMBERS = new Set(
  (
    "role content tool_calls function_call tool_call_id tool_call_ids refusal audio reasoning " +
    "reasoning_content reasoning_details annotations parsed provider_specific_fields"
  ).split(" "),
);
/** A result's name only repeats its call's. */
const MEMBERS_OF_ANSWER = new Set([...MEMBERS, "name"]);
const CALL = new Set(["id", "type", "index", "function", "custom"]);
const FUNCTION = new Set(["name", "arguments", "parsed_arguments", "input"]);
const TEXT = new Set(["type", "text", "refusal", "annotations"]);

function canonOf(
  message: Message,
  { messages, index, seen }: { messages: readonly Message[]; index: number; seen: Links },
): string {
  const role = `openai ${sized(roleOf(message))}`;
  let content = role;
  const answer = isAnswer(message);
  if (answer) {
    content += `R${ordinalOf(seen, messages, { index, id: links.results(message)[0] ?? "" })};`;
  }
  for (const part of partsOf(message)) content += partOf(part);
  // A refusal may come as a member and be sent back as a part.
  content += tagged("N", asText(message.refusal));
  if (isDict(message.audio)) content += `A${sized(asText(message.audio.id))}`;
  carriedBy(message).forEach(({ kind, name, raw, whole: call }, at) => {
    const inner = innerOf(call);
    content += `C${at};${sized(kind)}${sized(name)}${argumentsOf(kind, raw)}`;
    content += rest(inner, FUNCTION) + rest(call, CALL);
  });
  return hashOf(content + rest(message, answer ? MEMBERS_OF_ANSWER : MEMBERS));
}

/**
 * JSON is read as its value, since callers print it anew; but not where a number would lose digits
 * by it.
 */
function argumentsOf(kind: string, raw: unknown): string {
  if (typeof raw !== "string") return exact(raw);
  return kind === "custom" || /\d{16}/.test(raw) ? exact(raw) : exact(inputOf(raw));
}

function partOf(part: Dict): string {
  if (part.type === "thinking") return "";
  if (part.type === "refusal") return tagged("N", asText(part.refusal));
  return part.type === "text" && typeof part.text === "string"
    ? tagged("T", part.text) + rest(part, TEXT)
    : `B${loose(part)}`;
}
