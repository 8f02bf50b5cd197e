import { type Dict, dicts, isDict } from "../../base/guards.ts";
import { type Message, type ProviderRequest } from "../../model/request.ts";
import { isResult, isThinking } from "./blocks.ts";
import { cutInput } from "../common/weigh.ts";
import { DEPTH, isBlank, mapKeeping, withMember } from "../common/reading.ts";

/** Stands where thinking was all there was, because a provider refuses a message without content. */
const LEFT_OUT: Dict = { type: "text", text: "(thinking left out)" };

const isEmptyText = (block: unknown): boolean =>
  isDict(block) && block.type === "text" && (typeof block.text !== "string" || isBlank(block.text));

export function withoutThinking(message: Message): Message {
  const content: unknown = isDict(message) ? message.content : undefined;
  if (isDict(content) && isThinking(content)) return { ...message, content: [LEFT_OUT] };
  if (!Array.isArray(content) || !dicts(content).some(isThinking)) return message;
  const left = content.filter((block: unknown) => !isDict(block) || !isThinking(block));
  return { ...message, content: left.every(isEmptyText) ? [LEFT_OUT] : left };
}

type Cut = (text: string) => string;

/** A cut that leaves nothing would make an empty block of a text; then the text stays. */
const cutting =
  (cut: Cut): Cut =>
  (text) => {
    if (text === "") return text;
    const shorter = cut(text);
    return isBlank(shorter) && !isBlank(text) ? text : shorter;
  };

const withText = (block: Dict, name: string, cut: Cut): Dict =>
  typeof block[name] === "string" ? withMember(block, name, cut(block[name])) : block;

/** Content as a string or blocks with its texts cut; what is no text stays as it is. */
function cutContent(content: unknown, cutBlock: (block: Dict) => Dict, cut: Cut): unknown {
  if (typeof content === "string") return cut(content);
  return Array.isArray(content)
    ? mapKeeping(content, (block: unknown) => (isDict(block) ? cutBlock(block) : block))
    : content;
}

/** Texts, search results, documents that are text. */
function cutInside(block: Dict, cut: Cut, depth = 0): Dict {
  if (depth > DEPTH) return block;
  const inside = (nested: Dict) => cutInside(nested, cut, depth + 1);
  if (block.type === "text") return withText(block, "text", cut);
  if (block.type === "search_result")
    return withMember(
      block,
      "content",
      cutContent(block.content, inside, (text) => text),
    );
  if (block.type !== "document" || !isDict(block.source)) return block;
  const { source } = block;
  if (source.type === "text") return withMember(block, "source", withText(source, "data", cut));
  return source.type === "content"
    ? withMember(
        block,
        "source",
        withMember(source, "content", cutContent(source.content, inside, cut)),
      )
    : block;
}

/** Results of server tools are left alone: the provider checks them. MCP results are plain text it passes on. */
const isOpenResult = (block: Dict): boolean =>
  block.type === "tool_result" || block.type === "mcp_tool_result";

export function shortenResults(
  message: Message,
  cut: (text: string, id: string) => string,
): Message {
  if (!isDict(message)) return message;
  const cutResult = (block: Dict): Dict => {
    if (!isOpenResult(block)) return block;
    const id = typeof block.tool_use_id === "string" ? block.tool_use_id : "";
    const cutText = cutting((text) => cut(text, id));
    return withMember(
      block,
      "content",
      cutContent(block.content, (nested) => cutInside(nested, cutText), cutText),
    );
  };
  return withMember(
    message,
    "content",
    cutContent(message.content, cutResult, (text) => text),
  );
}

export function shortenTexts(message: Message, cut: Cut): Message {
  if (!isDict(message)) return message;
  const cutText = cutting(cut);
  return withMember(
    message,
    "content",
    cutContent(message.content, (block) => cutInside(block, cutText), cutText),
  );
}

/** Calls of server tools are left alone, as their results are. */
export function shortenInputs(message: Message, cut: Cut): Message {
  if (!isDict(message) || !Array.isArray(message.content)) return message;
  const cutCall = (block: unknown): unknown =>
    isDict(block) && block.type === "tool_use"
      ? withMember(block, "input", cutInput(block.input, cut))
      : block;
  return withMember(message, "content", mapKeeping(message.content, cutCall));
}

/** A user's blocks of tomorrow count as media too; what the assistant wrote must stay as it was. */
export function withoutMedia(message: Message, note: string): Message {
  if (!isDict(message) || !Array.isArray(message.content) || message.role !== "user")
    return message;
  const put = (block: unknown): unknown => {
    if (!isDict(block) || block.type === "text") return block;
    if (!isResult(block)) return { type: "text", text: note };
    return block.type === "tool_result" && Array.isArray(block.content)
      ? withMember(block, "content", mapKeeping(block.content, put))
      : block;
  };
  return withMember(message, "content", mapKeeping(message.content, put));
}

export function appendSystem(request: ProviderRequest, text: string): ProviderRequest {
  if (isBlank(text)) return request;
  const ours = { type: "text", text };
  const { system } = request;
  if (system === undefined || system === null || (typeof system === "string" && isBlank(system)))
    return { ...request, system: [ours] };
  if (typeof system === "string")
    return { ...request, system: [{ type: "text", text: system }, ours] };
  return { ...request, system: Array.isArray(system) ? [...system, ours] : [system, ours] };
}
