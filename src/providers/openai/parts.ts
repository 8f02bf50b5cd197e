import { asDict, type Dict, isDict } from "../../core/base.ts";
import type { Message } from "../../core/request.ts";
import {
  asMessage,
  type Cut,
  cutting,
  type Dialect,
  isBlank,
  itemsOf,
  mapWithin,
  same,
  withMember,
} from "../common/dialect.ts";
import { inText } from "../common/parts.ts";
import { cutInput } from "../common/pieces.ts";
import { answeredBy, inputOf, isAnswer, isInstruction } from "./view.ts";

/**
 * Reasoning that is bound to what stood before it. Plain `reasoning_content` is not, and some
 * servers want it back.
 */
export const hasBoundReasoning = (message: Message): boolean =>
  isDict(message) &&
  Array.isArray(message.reasoning_details) &&
  message.reasoning_details.length > 0;

function cutContent(message: Message, cut: Cut): Message {
  const cutText = cutting(cut);
  return mapWithin(message, "content", cutText, inText(cutText));
}

/**
 * Arguments are JSON in a string, and stay JSON where they were; a custom tool's input is any text.
 */
export function cutArguments(raw: string, cut: Cut): string {
  const input = inputOf(raw);
  if (!isDict(input)) return cut(raw);
  const shorter = cutInput(input, cut);
  return shorter === input ? raw : JSON.stringify(shorter);
}

/** A holder with a text in one of its members cut. */
const cutDeep = (holder: Dict, name: string, member: string, cut: Cut): Dict =>
  withMember(holder, name, mapWithin(holder[name], member, cut, same));

/** A message with a text behind all it holds. */
export const withText = (message: Dict, text: string): Message => ({
  ...message,
  content:
    typeof message.content === "string"
      ? [message.content, text].filter(Boolean).join("\n\n")
      : [...itemsOf(message.content), { type: "text", text }],
});

/** Leading messages that are instructions. */
export function preamble(messages: readonly Message[]): number {
  const end = messages.findIndex((message) => !isInstruction(message));
  return end < 0 ? messages.length : end;
}

export const edits = {
  withoutThinking(message) {
    if (!hasBoundReasoning(message)) return message;
    const { reasoning_details: _bound, ...left } = message;
    const says = itemsOf(left.content).length > 0;
    const answers = ["tool_calls", "function_call", "refusal", "audio"].some(
      (name) => left[name] !== undefined && left[name] !== null,
    );
    return says || answers ? left : { ...left, content: "(thinking left out)" };
  },

  shortenResults: (message, cut) =>
    isAnswer(message) ? cutContent(message, (text) => cut(text, answeredBy(message))) : message,

  shortenTexts: (message, cut) => (isAnswer(message) ? message : cutContent(message, cut)),

  shortenInputs(message, cut) {
    if (!isDict(message)) return message;
    const cutJson = (raw: string): string => cutArguments(raw, cut);
    const calls = mapWithin(message, "tool_calls", same, (call) =>
      cutDeep(cutDeep(call, "function", "arguments", cutJson), "custom", "input", cut),
    );
    return cutDeep(calls, "function_call", "arguments", cutJson);
  },

  /** A user's parts of tomorrow count as media too. */
  withoutMedia: (message, note) =>
    asDict(message).role === "assistant"
      ? message
      : mapWithin(message, "content", same, (part) =>
          part.type === "text" ? part : { type: "text", text: note },
        ),

  appendSystem(request, text) {
    if (isBlank(text)) return request;
    const [first, ...rest] = request.messages;
    // Templates of many models refuse a second system message.
    const messages = isInstruction(first)
      ? [withText(asMessage(first), text), ...rest]
      : [{ role: "system", content: text }, ...request.messages];
    return { ...request, messages };
  },
} satisfies Partial<Dialect>;
