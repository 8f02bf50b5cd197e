import { asDict, asText, defined, type Dict, dicts, isDict } from "../../core/base.ts";
import type { Message, ProviderRequest } from "../../core/request.ts";
import { asMessage, itemsOf, mapKeeping, withMember } from "../common/dialect.ts";
import { mediaBlock, viewing } from "../common/parts.ts";
import { jsonText } from "../common/pieces.ts";

const plainOf = new WeakMap<object, Message>();

/** Bytes and addresses as JSON has them; the message itself where it holds none. */
function plain(message: Message): Message {
  if (!Array.isArray(message.content)) return message;
  const made =
    plainOf.get(message) ?? withMember(message, "content", mapKeeping(message.content, plainPart));
  plainOf.set(message, made);
  return made;
}

const HOLDERS = ["data", "image", "output"] as const;

function plainPart(part: unknown): unknown {
  if (!isDict(part)) return part;
  const name = HOLDERS.find((holder) => part[holder] !== undefined);
  return name === undefined ? part : withMember(part, name, plainData(part[name]));
}

function plainData(data: unknown): unknown {
  if (data instanceof Uint8Array) return Buffer.from(data).toString("base64");
  if (data instanceof URL) return data.href;
  if (!isDict(data)) return data;
  const name = data.type === "content" ? "value" : asText(data.type);
  const held = data[name];
  const inner = Array.isArray(held) ? mapKeeping(held, plainPart) : plainData(held);
  return withMember(data, name, inner);
}

/** A call's options: the prompt as messages, and the reply's bound by its name elsewhere. */
export function open({ prompt, maxOutputTokens, ...rest }: Dict): ProviderRequest {
  const given = Array.isArray(prompt) ? (prompt as Message[]) : [];
  return {
    ...rest,
    ...defined({ max_tokens: maxOutputTokens }),
    messages: mapKeeping(given, (one) => plain(asMessage(one))),
  };
}

export function close(
  given: Dict,
  { messages, max_tokens: _most, ...rest }: ProviderRequest,
  opened?: ProviderRequest,
): Dict {
  const { maxOutputTokens } = given;
  const prompt = messages === opened?.messages ? given.prompt : messages;
  return { ...rest, ...defined({ maxOutputTokens }), prompt };
}

/** A message in the words of Anthropic's Messages. */
export const viewOf = viewing(({ role, content }) => ({
  role: role === "tool" ? "user" : role,
  content:
    typeof content === "string"
      ? content
      : itemsOf(content).map((part) => blockOf(asDict(part), role)),
}));

function blockOf(part: Dict, role?: unknown): Dict {
  const { type } = part;
  switch (type) {
    case "text":
      return { type, text: part.text };
    case "reasoning":
      return { type: "thinking", thinking: part.text };
    case "image":
    case "file":
    case "reasoning-file":
      return mediaOf(part);
    case "tool-call":
      return {
        type: part.providerExecuted === true ? "server_tool_use" : "tool_use",
        ...{ id: part.toolCallId, name: part.toolName, input: part.input },
      };
    case "tool-result":
      return {
        type: role === "assistant" ? "server_tool_result" : "tool_result",
        tool_use_id: part.toolCallId,
        ...outputOf(asDict(part.output)),
      };
    default: {
      const { providerOptions: _options, ...left } = part;
      return { ...left, type: `ai-sdk ${asText(type)}` };
    }
  }
}

function mediaOf({ type, image, data = image, mediaType, filename: title }: Dict): Dict {
  const inner = asDict(data);
  if (typeof inner.text === "string")
    return { type: "document", title, source: { type: "text", data: inner.text } };
  const given = inner.url ?? inner.data ?? data;
  return mediaBlock(given, mediaType ?? type, defined({ title }));
}

function outputOf({ type, value, reason }: Dict): Dict {
  const failed = /^error|denied$/.test(asText(type));
  return { content: contentOf(type, value ?? reason), ...(failed && { is_error: true }) };
}

function contentOf(type: unknown, value: unknown): unknown {
  if (type === "content") return dicts(value).map((part) => blockOf(part));
  return typeof value === "string" ? value : jsonText(value);
}
