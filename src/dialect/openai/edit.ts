import { type Dict, isDict } from "../../base/guards.ts";
import { type Message, type ProviderRequest } from "../../model/request.ts";
import { cutInput } from "../common/weigh.ts";
import { inputOf, isAnswer, isInstruction, links } from "./parts.ts";
import { isBlank, mapKeeping, withMember } from "../common/reading.ts";

/** Reasoning that is bound to what stood before it. Plain `reasoning_content` is not, and some servers want it back. */
export const hasBoundReasoning = (message: Message): boolean =>
  isDict(message) &&
  Array.isArray(message.reasoning_details) &&
  message.reasoning_details.length > 0;

export function withoutThinking(message: Message): Message {
  if (!hasBoundReasoning(message)) return message;
  const { reasoning_details: _bound, ...left } = message;
  const says =
    (typeof left.content === "string" && left.content !== "") ||
    (Array.isArray(left.content) && left.content.length > 0);
  const answers = ["tool_calls", "function_call", "refusal", "audio"].some(
    (name) => left[name] !== undefined && left[name] !== null,
  );
  return says || answers ? left : { ...left, content: "(thinking left out)" };
}

/** A cut that leaves nothing would make an empty part of a text; then the text stays. */
function cutContent(message: Message, cut: (text: string) => string): Message {
  const cutText = (text: string): string => {
    const shorter = text === "" ? text : cut(text);
    return isBlank(shorter) ? text : shorter;
  };
  const cutPart = (part: unknown) =>
    isDict(part) && part.type === "text" && typeof part.text === "string"
      ? withMember<Dict>(part, "text", cutText(part.text))
      : part;
  const { content } = message;
  if (typeof content === "string") return withMember(message, "content", cutText(content));
  return Array.isArray(content)
    ? withMember(message, "content", mapKeeping(content, cutPart))
    : message;
}

export const shortenResults = (
  message: Message,
  cut: (text: string, id: string) => string,
): Message =>
  isDict(message) && isAnswer(message)
    ? cutContent(message, (text) => cut(text, links.results(message)[0] ?? ""))
    : message;

export const shortenTexts = (message: Message, cut: (text: string) => string): Message =>
  isDict(message) && !isAnswer(message) ? cutContent(message, cut) : message;

/** Arguments are JSON in a string, and stay JSON where they were; a custom tool's input is any text. */
function cutArguments(raw: unknown, cut: (text: string) => string): unknown {
  if (typeof raw !== "string") return raw;
  const input = inputOf(raw);
  if (!isDict(input)) return cut(raw);
  const shorter = cutInput(input, cut);
  return shorter === input ? raw : JSON.stringify(shorter);
}

export function shortenInputs(message: Message, cut: (text: string) => string): Message {
  if (!isDict(message)) return message;
  const within = (
    holder: Dict,
    name: string,
    member: string,
    change: (raw: unknown) => unknown,
  ): Dict => {
    const inner = holder[name];
    return isDict(inner)
      ? withMember(holder, name, withMember(inner, member, change(inner[member])))
      : holder;
  };
  const cutText = (raw: unknown): unknown => (typeof raw === "string" ? cut(raw) : raw);
  const cutJson = (raw: unknown): unknown => cutArguments(raw, cut);
  const cutCall = (call: unknown): unknown =>
    isDict(call)
      ? within(within(call, "function", "arguments", cutJson), "custom", "input", cutText)
      : call;
  const calls = Array.isArray(message.tool_calls)
    ? withMember(message, "tool_calls", mapKeeping(message.tool_calls, cutCall))
    : message;
  return within(calls, "function_call", "arguments", cutJson);
}

/** A user's parts of tomorrow count as media too. */
export function withoutMedia(message: Message, note: string): Message {
  if (!isDict(message) || !Array.isArray(message.content) || message.role === "assistant")
    return message;
  const put = (part: unknown): unknown =>
    isDict(part) && part.type !== "text" ? { type: "text", text: note } : part;
  return withMember(message, "content", mapKeeping(message.content, put));
}

/** Leading messages that are instructions. */
export function preamble(messages: readonly Message[]): number {
  const end = messages.findIndex((message) => !isInstruction(message));
  return end < 0 ? messages.length : end;
}

export function appendSystem(request: ProviderRequest, text: string): ProviderRequest {
  if (isBlank(text)) return request;
  const { messages } = request;
  const at = preamble(messages);
  const role = messages[at - 1]?.role ?? "system";
  return {
    ...request,
    messages: [...messages.slice(0, at), { role, content: text }, ...messages.slice(at)],
  };
}
