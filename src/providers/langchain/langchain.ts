import { asDict, asText, type Dict, dicts, isDict } from "../../core/base.ts";
import { edits as messagesEdits } from "../anthropic/blocks.ts";
import { edits as chatEdits } from "../openai/parts.ts";
import { reading } from "../anthropic/messages.ts";
import {
  type Dialect,
  itemsOf,
  leadingSystem,
  mapWithin,
  type Reply,
  same,
  withMember,
} from "../common/dialect.ts";
import { mediaBlock, viewing, withoutParts } from "../common/parts.ts";
import { cutInput } from "../common/pieces.ts";
import { unwrap, usageOf } from "../common/replies.ts";

/** Parts in which some providers repeat what `tool_calls` holds, or streamed it. */
const REPEATED = new Set(["tool_use", "tool_call", "functionCall", "input_json_delta"]);

/** A message in the words of Anthropic's Messages. */
const viewOf = viewing((message) => {
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
});

/** Media stand in a block as they are, or in the form of the standard, or of chat completions. */
function blockOf(part: Dict): Dict {
  const { type, text, url, image_url: image, data, mime_type, mimeType = mime_type } = part;
  if (type === "text") return { type, text };
  if (type === "reasoning") return { type: "thinking", thinking: part.reasoning };
  const given = asText(url) || asText(asDict(image).url ?? image) || asText(data);
  if (isThought(part) || isDict(part.source) || given === "") return part;
  return mediaBlock(given, mimeType ?? type);
}

const isThought = (part: unknown): boolean =>
  /^(?:(?:redacted_)?thinking|reasoning)$/.test(asText(asDict(part).type));

const edits = {
  ...chatEdits,
  appendSystem: messagesEdits.appendSystem,
  withoutThinking: (message) => withoutParts(message, isThought),

  shortenInputs(message, cut) {
    const inCall = (call: Dict): Dict =>
      ["args", "input"].reduce(
        (made, name) => withMember(made, name, made[name] && cutInput(made[name], cut)),
        call,
      );
    const inPart = (part: Dict): Dict => (REPEATED.has(asText(part.type)) ? inCall(part) : part);
    return mapWithin(mapWithin(message, "content", same, inPart), "tool_calls", same, inCall);
  },
} satisfies Partial<Dialect>;

function usageIn({ input_tokens: prompt, output_tokens: output, ...reported }: Dict) {
  const { cache_read: read, cache_creation: write } = asDict(reported.input_token_details);
  return usageOf({ prompt, read, write, output });
}

function reply(given: unknown): Reply | undefined {
  const { reply: message, usage } = unwrap(given);
  if (!isDict(message) || message.role !== "assistant") return undefined;
  return {
    message,
    usage: usageIn(asDict(usage)),
    stop: asText(asDict(given).stop) || undefined,
  };
}

/**
 * LangChain's messages as its agents take them from JSON: `{ role, content, tool_calls?,
 * tool_call_id?, … }`, with parts in any provider's form.
 */
export const langchain: Dialect = {
  format: "langchain",
  provider: "langchain",
  ...reading(viewOf),
  preamble: leadingSystem,
  ...edits,
  reply,
};
