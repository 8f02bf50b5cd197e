import { asText, type Dict, isDict } from "../../base/guards.ts";
import type { Message } from "../../model/request.ts";
import { tokens } from "../render/numbers.ts";
import { countTokens } from "./canary.ts";

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

function shapeFault({ role, content, ...others }: Message): string | undefined {
  if (role !== "user" && role !== "assistant")
    return `has the role ${JSON.stringify(role)}; there are "user" and "assistant"`;
  const [other] = Object.keys(others);
  if (other !== undefined) return `has "${other}" beside its role and content`;
  const blocks: unknown = typeof content === "string" ? [{ type: "text", text: content }] : content;
  if (!Array.isArray(blocks)) return "has a content that is neither a text nor a list of blocks";
  const texts = blocks.filter(isDict).filter(({ type }) => type === "text");
  if (texts.length === blocks.length && texts.every(({ text }) => String(text).trim() === ""))
    return "is empty";
  for (const [at, block] of (blocks as readonly unknown[]).entries()) {
    const fault = isDict(block) ? blockFault(block, role) : "is none";
    if (fault !== undefined) return `cannot be read: block ${at + 1} ${fault}`;
  }
  return undefined;
}

/** Blocks each side may send. What a server of the provider's writes is taken as it comes. */
const SENDS = {
  user: /^(?:text|tool_result|image|document|search_result|container_upload)$/,
  assistant:
    /^(?:text|tool_use|(?:redacted_)?thinking|compaction|(?:server|mcp)_tool_use|[a-z_]+_tool_result)$/,
};
const ID = /^[a-zA-Z0-9_-]+$/;
const hasSource = ({ source }: Dict): boolean => isDict(source);

/** Whether a block of a type has what it needs. */
const IS_WHOLE: Readonly<Record<string, (block: Dict) => boolean>> = {
  text: ({ text }) => asText(text) !== "",
  tool_use: ({ id, name, input }) => ID.test(asText(id)) && asText(name) !== "" && isDict(input),
  // A tool may have found nothing.
  tool_result: ({ tool_use_id: answers, content = "" }) =>
    ID.test(asText(answers)) &&
    (Array.isArray(content) || content === null || typeof content === "string"),
  image: hasSource,
  document: hasSource,
};

/** What is wrong with one block of a message. */
function blockFault(block: Dict, role: "user" | "assistant"): string | undefined {
  const type = asText(block.type);
  if (!SENDS[role].test(type))
    return `has the type ${JSON.stringify(block.type)}, which the ${role} does not send`;
  return (IS_WHOLE[type]?.(block) ?? true) ? undefined : `is a "${type}" that lacks something`;
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
