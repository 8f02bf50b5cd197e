import { isDict } from "../../model/guards.ts";

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
export function blockFault(block: Block, role: "user" | "assistant"): string | undefined {
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
export function isBlank(blocks: readonly unknown[]): boolean {
  const texts = blocks.filter((block): block is Block => isDict(block) && block["type"] === "text");
  return texts.length > 0 && texts.every(({ text }) => String(text).trim() === "");
}
