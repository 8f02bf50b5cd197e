import { type Dict, isDict } from "../model/guards.ts";
import { type Message, type ProviderRequest } from "../model/request.ts";
import { isAnswer, isInstruction, links } from "./openai-parts.ts";
import { isBlank, mapKeeping, withMember } from "./reading.ts";

/** Reasoning that is bound to what stood before it. Plain `reasoning_content` is not, and some servers want it back. */
export const hasBoundReasoning = (message: Message): boolean => isDict(message) && Array.isArray(message.reasoning_details) && message.reasoning_details.length > 0;

export function withoutThinking(message: Message): Message {
  if (!hasBoundReasoning(message)) return message;
  const { reasoning_details: _bound, ...left } = message;
  const says = (typeof left.content === "string" && left.content !== "") || (Array.isArray(left.content) && left.content.length > 0);
  const answers = ["tool_calls", "function_call", "refusal", "audio"].some((name) => left[name] !== undefined && left[name] !== null);
  return says || answers ? left : { ...left, content: "(thinking left out)" };
}

/** A cut that leaves nothing would make an empty part of a text; then the text stays. */
function cutContent(message: Message, cut: (text: string) => string): Message {
  const cutText = (text: string): string => {
    const shorter = text === "" ? text : cut(text);
    return isBlank(shorter) ? text : shorter;
  };
  const cutPart = (part: unknown) => (isDict(part) && part.type === "text" && typeof part.text === "string" ? withMember<Dict>(part, "text", cutText(part.text)) : part);
  const { content } = message;
  if (typeof content === "string") return withMember(message, "content", cutText(content));
  return Array.isArray(content) ? withMember(message, "content", mapKeeping(content, cutPart)) : message;
}

export const shortenResults = (message: Message, cut: (text: string, id: string) => string): Message =>
  isDict(message) && isAnswer(message) ? cutContent(message, (text) => cut(text, links.results(message)[0] ?? "")) : message;

export const shortenTexts = (message: Message, cut: (text: string) => string): Message => (isDict(message) && !isAnswer(message) ? cutContent(message, cut) : message);

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
  return { ...request, messages: [...messages.slice(0, at), { role, content: text }, ...messages.slice(at)] };
}
