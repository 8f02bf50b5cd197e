import { isDict } from "../../model/guards.ts";
import { type Message } from "../../model/request.ts";
import { tokens } from "../render/numbers.ts";
import { blockFault, isBlank } from "./sound-blocks.ts";
import { pairFault } from "./sound-pairs.ts";
import { countTokens } from "./words-of.ts";

const KEYS: readonly string[] = ["role", "content"];

/** What a strict provider would refuse these messages for, the first thing it meets; undefined: it takes them. */
export function faultIn(messages: readonly Message[], window: number): string | undefined {
  if (messages.length === 0) return "there is no message in it";
  const size = countTokens(messages);
  if (size > window)
    return `its messages take about ${tokens(size)} tokens, more than the window of ${tokens(window)}`;
  for (const [at, message] of messages.entries()) {
    const fault = shapeFault(message);
    if (fault !== undefined) return `message ${at + 1} ${fault}`;
  }
  if (messages[0]?.role !== "user")
    return "message 1 is the assistant's, and the first must be the user's";
  if (messages.at(-1)?.role !== "user")
    return `message ${messages.length}, the last, is the assistant's, so there is nothing to answer`;
  return pairFault(messages);
}

function shapeFault(message: Message): string | undefined {
  const { role, content } = message;
  if (role !== "user" && role !== "assistant")
    return `has the role ${JSON.stringify(role)}; there are "user" and "assistant"`;
  const other = Object.keys(message).find((key) => !KEYS.includes(key));
  if (other !== undefined) return `has "${other}" beside its role and content`;
  if (typeof content === "string") return content.trim() === "" ? "is empty" : undefined;
  if (!Array.isArray(content))
    return `has a content that is ${kindOf(content)}, neither a text nor a list of blocks`;
  if (content.length === 0) return "is empty";
  for (const [at, block] of (content as readonly unknown[]).entries()) {
    const fault = isDict(block) ? blockFault(block, role) : `is ${kindOf(block)}`;
    if (fault !== undefined) return `cannot be read: block ${at + 1} ${fault}`;
  }
  return isBlank(content) ? "is empty: its texts are blank" : undefined;
}

const kindOf = (value: unknown): string =>
  value === undefined
    ? "missing"
    : value === null
      ? "null"
      : Array.isArray(value)
        ? "a list"
        : typeof value === "object"
          ? "an object"
          : `a ${typeof value}`;
