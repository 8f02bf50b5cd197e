import { asDict, asText, type Dict, isDict } from "../../core/base.ts";
import type { Message } from "../../core/request.ts";
import {
  asMessage,
  blocksOf,
  type Call,
  type Cut,
  cutting,
  DEPTH,
  type Dialect,
  isBlank,
  isThinking,
  itemsOf,
  lines,
  mapWithin,
  type Result,
  same,
  withMember,
} from "../common/dialect.ts";
import { withoutParts } from "../common/parts.ts";
import { cutInput } from "../common/pieces.ts";
import type { Links } from "../common/seams-and-thinking.ts";

// Server tools come in families that grow: server_tool_use with web_search_tool_result,
// code_execution_tool_result, …; mcp_tool_use with mcp_tool_result. All of them pair by id, as
// tool_use and tool_result do.
export const isCall = (block: Dict): boolean =>
  block.type === "tool_use" || asText(block.type).endsWith("_tool_use");
export const isResult = (block: Dict): boolean =>
  block.type === "tool_result" || asText(block.type).endsWith("_tool_result");

export const contentOf = (message: Message): readonly Dict[] =>
  blocksOf(asMessage(message).content);

function ids(message: Message, is: (block: Dict) => boolean, name: string): readonly string[] {
  // Asked of every message while a result looks for its call: plain text must cost nothing.
  const { content } = asMessage(message);
  if (!Array.isArray(content)) return isDict(content) && is(content) ? [asText(content[name])] : [];
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

/** Members that no person reads: names of things, marks, what is encoded. */
const UNREAD = /^(?:type|id|.*_id|media_type|cache_control|citations|signature|encrypted_.*)$/;

/** The text a person would read of a result's content, or of a block. */
function readable(value: unknown, depth = 0): string {
  if (typeof value === "string") return value;
  if (depth > DEPTH) return "";
  if (Array.isArray(value)) return lines(value.map((item) => readable(item, depth + 1)));
  if (!isDict(value) || value.type === "base64" || value.type === "image") return "";
  return lines(
    Object.entries(value).map(([name, held]) =>
      UNREAD.test(name) ? "" : readable(held, depth + 1),
    ),
  );
}

const isReadable = ({ source, content }: Dict): boolean =>
  isDict(source) ? source.type === "text" || source.type === "content" : content !== undefined;

/** What a user's message hands on: all that is neither its words nor an answer to a call. */
export const handedIn = (message: Message): string[] =>
  asMessage(message).role === "user"
    ? contentOf(message).flatMap((block) =>
        block.type === "text" || isResult(block)
          ? []
          : [readable(block), ...(isReadable(block) ? [] : [""])],
      )
    : [];

export const toCall = (block: Dict): Call => ({
  id: asText(block.id),
  name: asText(block.name),
  input: block.input,
  server: block.type !== "tool_use",
});

export const toResult = (block: Dict): Result => ({
  id: asText(block.tool_use_id),
  text: readable(block.content),
  failed: block.is_error === true || asText(asDict(block.content).type).endsWith("_error"),
  server: block.type !== "tool_result",
});

/** Texts, search results, documents that are text. */
function cutInside(block: Dict, cut: Cut, depth = 0): Dict {
  if (depth > DEPTH) return block;
  const inside = (nested: Dict) => cutInside(nested, cut, depth + 1);
  if (block.type === "text") return mapWithin(block, "text", cut, same);
  if (block.type === "search_result") return mapWithin(block, "content", same, inside);
  if (block.type !== "document") return block;
  const { source } = block;
  const { type } = asDict(source);
  if (type === "text") return withMember(block, "source", mapWithin(source, "data", cut, same));
  return type === "content"
    ? withMember(block, "source", mapWithin(source, "content", cut, inside))
    : block;
}

export const edits = {
  withoutThinking: (message) => withoutParts(message, (block) => isThinking(asDict(block))),

  /**
   * Results of server tools are left alone: the provider checks them. MCP results are plain text it
   * passes on.
   */
  shortenResults(message, cut) {
    const cutResult = (block: Dict): Dict => {
      if (block.type !== "tool_result" && block.type !== "mcp_tool_result") return block;
      const cutText = cutting((text) => cut(text, asText(block.tool_use_id)));
      return mapWithin(block, "content", cutText, (nested) => cutInside(nested, cutText));
    };
    return mapWithin(message, "content", same, cutResult);
  },

  shortenTexts(message, cut) {
    const cutText = cutting(cut);
    return mapWithin(message, "content", cutText, (block) => cutInside(block, cutText));
  },

  /** Calls of server tools are left alone, as their results are. */
  shortenInputs(message, cut) {
    const cutCall = (block: Dict): Dict =>
      block.type === "tool_use" ? withMember(block, "input", cutInput(block.input, cut)) : block;
    return mapWithin(message, "content", same, cutCall);
  },

  /**
   * A user's blocks of tomorrow count as media too; what the assistant wrote must stay as it was.
   */
  withoutMedia(message, note) {
    const put = (block: Dict): Dict => {
      if (block.type === "text") return block;
      if (!isResult(block)) return { type: "text", text: note };
      return block.type === "tool_result" ? mapWithin(block, "content", same, put) : block;
    };
    return asDict(message).role === "user" ? mapWithin(message, "content", same, put) : message;
  },

  appendSystem(request, text) {
    if (isBlank(text)) return request;
    const { system } = request;
    const before = typeof system === "string" && isBlank(system) ? [] : itemsOf(system);
    return { ...request, system: [...before, { type: "text", text }] };
  },
} satisfies Partial<Dialect>;
