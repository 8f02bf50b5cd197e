import { isDict } from "../../base/guards.ts";
import { type Message } from "../../model/request.ts";
import { tokens } from "../render/numbers.ts";
import { countTokens } from "./canary.ts";

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

const kindOf = (value: unknown): string => {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
};

type Block = Readonly<Record<string, unknown>>;

/** Blocks only one side says. What a server of the provider's writes is taken as it comes. */
const WHOSE: Readonly<Record<string, "user" | "assistant">> = {
  ...{
    tool_use: "assistant",
    thinking: "assistant",
    redacted_thinking: "assistant",
    server_tool_use: "assistant",
    mcp_tool_use: "assistant",
    compaction: "assistant",
  },
  ...{ tool_result: "user", image: "user", document: "user" },
};
const KNOWN =
  /^(?:text|tool_use|tool_result|image|document|thinking|redacted_thinking|search_result|container_upload|compaction|server_tool_use|mcp_tool_use|[a-z_]+_tool_result)$/;
const ID = /^[a-zA-Z0-9_-]+$/;
const IN_RESULT = ["text", "image", "document", "search_result", "tool_reference"];

/** What is wrong with one block of a message. */
function blockFault(block: Block, role: "user" | "assistant"): string | undefined {
  const { type } = block;
  if (typeof type !== "string" || !KNOWN.test(type))
    return `has the type ${JSON.stringify(type)}, which no provider knows`;
  if (WHOSE[type] !== undefined && WHOSE[type] !== role)
    return `is a "${type}", and those are the ${WHOSE[type]}'s`;
  return FIELDS[type]?.(block);
}

const needs = (name: string, good: (value: unknown) => boolean) => (block: Block) =>
  good(block[name])
    ? undefined
    : `is a "${String(block["type"])}" without ${name === "input" ? "an" : "a"} ${name} that can be read`;
const isText = (value: unknown): value is string => typeof value === "string";
const isId = (value: unknown): boolean => isText(value) && ID.test(value);

type Rule = (block: Block) => string | undefined;
const all =
  (...rules: Rule[]): Rule =>
  (block) =>
    rules.map((rule) => rule(block)).find((fault) => fault !== undefined);
const CALL = all(
  needs("id", isId),
  needs("name", (name) => isText(name) && name !== ""),
  needs("input", isDict),
);
const SOURCE = needs("source", isDict);

const FIELDS: Readonly<Record<string, Rule>> = {
  text: all(needs("text", isText), ({ text }) => (text === "" ? "is an empty text" : undefined)),
  thinking: all(needs("thinking", isText), needs("signature", isText)),
  redacted_thinking: needs("data", isText),
  tool_use: CALL,
  server_tool_use: CALL,
  mcp_tool_use: CALL,
  tool_result: all(needs("tool_use_id", isId), needs("content", isResult)),
  image: SOURCE,
  document: SOURCE,
};

/** A tool may have found nothing. */
function isResult(content: unknown): boolean {
  if (content === undefined || content === null || isText(content)) return true;
  return (
    Array.isArray(content) &&
    content.every(
      (part) =>
        isDict(part) &&
        IN_RESULT.includes(String(part["type"])) &&
        (part["type"] !== "text" || isText(part["text"])),
    )
  );
}

/** Texts, and nothing written in any of them. */
function isBlank(blocks: readonly unknown[]): boolean {
  const texts = blocks.filter((block): block is Block => isDict(block) && block["type"] === "text");
  return texts.length > 0 && texts.every(({ text }) => String(text).trim() === "");
}

interface Call {
  readonly id: string;
  /** Of its message, counted from 1. */
  readonly at: number;
}

/** Every call answered at the beginning of the user's next turn, once, and nothing answered that was not called for. Messages of one role in a row are one turn. */
function pairFault(messages: readonly Message[]): string | undefined {
  const known = new Set<string>();
  let open: Call[] = [];
  let leading = true;
  for (const [index, { role, content }] of messages.entries()) {
    const at = index + 1;
    if (role !== messages[index - 1]?.role) leading = true;
    if (role === "assistant" && open.length > 0 && messages[index - 1]?.role === "user")
      return unanswered(open);
    for (const block of Array.isArray(content) ? content.filter(isDict) : [{ type: "text" }]) {
      const { type, id, tool_use_id: answers } = block as { readonly [key: string]: unknown };
      if (type === "tool_use") {
        if (known.has(String(id)))
          return `message ${at} calls a tool under the id "${String(id)}", which was used before`;
        known.add(String(id));
        open.push({ id: String(id), at });
      } else if (type === "tool_result") {
        const called = open.find((call) => call.id === answers);
        if (called === undefined)
          return `message ${at} answers the call "${String(answers)}", which the message before it does not make`;
        if (!leading)
          return `message ${at} answers the call "${called.id}" behind a text; answers come first`;
        open = open.filter((call) => call !== called);
      } else leading = false;
    }
  }
  return open.length > 0 ? unanswered(open) : undefined;
}

const unanswered = ([first]: readonly Call[]): string =>
  `message ${first?.at ?? 0} calls a tool ("${first?.id ?? ""}") that is not answered in the next one`;
