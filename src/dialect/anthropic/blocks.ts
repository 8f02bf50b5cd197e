import { asText, type Dict, isDict } from "../../base/guards.ts";
import { type Message } from "../../model/request.ts";
import { type Call, type Result } from "../common/dialect.ts";
import { type Links } from "../common/pairs.ts";
import { asMessage, blocksOf, DEPTH } from "../common/reading.ts";
import { jsonText } from "../common/weigh.ts";

// Server tools come in families that grow: server_tool_use with web_search_tool_result, code_execution_tool_result, …;
// mcp_tool_use with mcp_tool_result. All of them pair by id, as tool_use and tool_result do.
export const isCall = (block: Dict): boolean =>
  block.type === "tool_use" || asText(block.type).endsWith("_tool_use");
export const isResult = (block: Dict): boolean =>
  block.type === "tool_result" || asText(block.type).endsWith("_tool_result");
export const isThinking = (block: Dict): boolean =>
  block.type === "thinking" || block.type === "redacted_thinking";

export const contentOf = (message: Message): readonly Dict[] =>
  blocksOf(asMessage(message).content);

const NO_IDS: readonly string[] = [];
function ids(message: Message, is: (block: Dict) => boolean, name: string): readonly string[] {
  // Asked of every message while a result looks for its call: plain text must cost nothing.
  const content = asMessage(message).content;
  if (!Array.isArray(content))
    return isDict(content) && is(content) ? [asText(content[name])] : NO_IDS;
  const found: string[] = [];
  for (const block of content) if (isDict(block) && is(block)) found.push(asText(block[name]));
  return found;
}

export const links: Links = {
  calls: (message) => ids(message, isCall, "id"),
  results: (message) => ids(message, isResult, "tool_use_id"),
};

/** Words of the conversation in a block; a compaction block is the provider's own summary of it. */
export const wordsOf = (block: Dict): string => {
  if (block.type === "text") return asText(block.text);
  return block.type === "compaction" ? asText(block.content) : "";
};

/** What a person would read of a result's content. */
function readable(content: unknown, depth = 0): string {
  if (depth > DEPTH) return "";
  return blocksOf(content)
    .map((block) => readableBlock(block, depth + 1))
    .filter((text) => text !== "")
    .join("\n");
}

function readableBlock(block: Dict, depth: number): string {
  const lines = (...parts: unknown[]) =>
    parts
      .map(asText)
      .filter((text) => text !== "")
      .join("\n");
  switch (block.type) {
    case "text":
      return asText(block.text);
    case "image":
      return "";
    case "document":
      return lines(block.title, readableSource(block.source, depth));
    case "search_result":
      return lines(block.title, block.source, readable(block.content, depth));
    case "web_search_result":
      return lines(block.title, block.url);
    case "web_fetch_result":
      return lines(block.url, readable(block.content, depth));
    case "tool_reference":
      return asText(block.tool_name);
    default:
      return (
        lines(block.error_code, block.stdout, block.stderr, readableMember(block.content, depth)) ||
        shape(block)
      );
  }
}

const readableMember = (content: unknown, depth: number): string =>
  typeof content === "string" || Array.isArray(content) || isDict(content)
    ? readable(content, depth)
    : "";

function readableSource(source: unknown, depth: number): string {
  if (!isDict(source)) return asText(source);
  if (source.type === "text") return asText(source.data);
  return source.type === "content" ? readable(source.content, depth) : asText(source.url);
}

/** A block of tomorrow: its members that are words, without what is encoded. */
function shape(block: Dict): string {
  const { type: _type, source: _source, data: _data, cache_control: _mark, ...members } = block;
  return Object.keys(members).length === 0
    ? ""
    : jsonText(members, (name, value) =>
        name.startsWith("encrypted_") || (isDict(value) && value.type === "base64")
          ? undefined
          : value,
      );
}

export const toCall = (block: Dict): Call => ({
  id: asText(block.id),
  name: asText(block.name),
  input: block.input,
  server: block.type !== "tool_use",
});

export const toResult = (block: Dict): Result => ({
  id: asText(block.tool_use_id),
  text: readable(block.content),
  failed:
    block.is_error === true ||
    (isDict(block.content) && asText(block.content.type).endsWith("_error")),
  server: block.type !== "tool_result",
});
