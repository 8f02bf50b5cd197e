import type { ModelInfo } from "./models.ts";
import { given, invalid, isJson, type Json, type Refusal } from "./wire.ts";

/** Keys of the blocks that callers and libraries build themselves; the rarer ones are taken as they come. */
const BLOCK_KEYS: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries({
    text: "text cache_control citations",
    image: "source cache_control transformations",
    document: "source cache_control citations context title",
    tool_use: "id name input cache_control caller toolset_name",
    tool_result: "tool_use_id content is_error cache_control toolset_name",
    thinking: "thinking signature",
    redacted_thinking: "data",
  }).map(([type, keys]) => [type, new Set(["type", ...keys.split(" ")])]),
);

/** `ContentBlockParam` and what the beta adds to it (SDK 1.11.0). */
const TYPES = [
  ...Object.keys(BLOCK_KEYS),
  ..."search_result server_tool_use web_search_tool_result web_fetch_tool_result code_execution_tool_result bash_code_execution_tool_result text_editor_code_execution_tool_result tool_search_tool_result container_upload mcp_tool_use mcp_tool_result advisor_tool_result compaction tool_addition tool_removal mcp_tool_listing fallback".split(
    " ",
  ),
];
const KNOWN = new Set(TYPES);
const ONLY_ASSISTANT = new Set([
  "tool_use",
  "thinking",
  "redacted_thinking",
  "server_tool_use",
  "mcp_tool_use",
  "compaction",
]);
const ONLY_USER = new Set(["tool_result", "image", "document"]);
const IN_RESULT = new Set([
  "text",
  "image",
  "document",
  "search_result",
  "tool_reference",
  "browser_state",
]);
const CALL_ID = /^[a-zA-Z0-9_-]+$/;
const MESSAGE_KEYS = new Set(["role", "content"]);
const SYSTEM_KEYS = new Set(["role", "content", "clear_at", "output_config"]);

/** One message by itself: its role, and blocks that the schema knows, in a role that may hold them, none of them empty. */
export function messageShape(
  message: unknown,
  index: number,
  info: ModelInfo,
): Refusal | undefined {
  const at = `messages.${index}`;
  if (!isJson(message)) return invalid(`${at}: Input should be a valid dictionary`);
  const { role, content } = message;
  if (role !== "user" && role !== "assistant" && role !== "system")
    return invalid(`${at}.role: Input should be 'user', 'assistant' or 'system'`);
  if (role === "system" && !info.systemMessages)
    return invalid("role 'system' is not supported on this model");
  const extra = Object.keys(message).find(
    (key) => !(role === "system" ? SYSTEM_KEYS : MESSAGE_KEYS).has(key),
  );
  if (extra !== undefined) return invalid(`${at}.${extra}: Extra inputs are not permitted`);
  if (!given(content)) return invalid(`${at}.content: Field required`);
  if (typeof content === "string")
    return content === "" ? emptyMessage(at) : content.trim() === "" ? blank() : undefined;
  if (!Array.isArray(content))
    return invalid(`${at}.content: Input should be a valid string or list`);
  if (content.length === 0)
    return role === "system" && given(message.output_config) ? undefined : emptyMessage(at);
  return blocks(content, `${at}.content`, role);
}

const emptyMessage = (at: string): Refusal =>
  invalid(
    `${at}: all messages must have non-empty content except for the optional final assistant message`,
  );
const blank = (): Refusal =>
  invalid("messages: text content blocks must contain non-whitespace text");

/** No reply thinks after it called a tool of the client's. */
const moved = (at: string): Refusal =>
  invalid(
    `${at}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
  );

function blocks(content: readonly unknown[], at: string, role: string): Refusal | undefined {
  let texts = 0;
  let written = 0;
  let called = false;
  for (const [place, block] of content.entries()) {
    const refusal = blockShape(block, `${at}.${place}`, role);
    if (refusal !== undefined) return refusal;
    if (!isJson(block)) continue;
    called ||= block.type === "tool_use";
    if (called && (block.type === "thinking" || block.type === "redacted_thinking"))
      return moved(`${at}.${place}`);
    if (block.type !== "text") continue;
    texts += 1;
    if (String(block.text).trim() !== "") written += 1;
  }
  // Measured by others against the API: blanks pass beside a real text, never alone.
  return texts > 0 && written === 0 ? blank() : undefined;
}

function blockShape(block: unknown, at: string, role: string): Refusal | undefined {
  if (!isJson(block)) return invalid(`${at}: Input should be a valid dictionary`);
  const type = String(block.type);
  if (!KNOWN.has(type)) return unknownTag(at, type, TYPES);
  if (role === "system" && type !== "text" && type !== "tool_addition" && type !== "tool_removal")
    return invalid(`${at}: role 'system' messages may only contain text blocks`);
  if (role !== "assistant" && ONLY_ASSISTANT.has(type))
    return invalid(`${at}: \`${type}\` blocks can only be in \`assistant\` messages`);
  if (role !== "user" && ONLY_USER.has(type))
    return invalid(`${at}: \`${type}\` blocks can only be in \`user\` messages`);
  const keys = BLOCK_KEYS[type];
  const extra = keys === undefined ? undefined : Object.keys(block).find((key) => !keys.has(key));
  if (extra !== undefined) return invalid(`${at}.${type}.${extra}: Extra inputs are not permitted`);
  return fields(block, type, at);
}

const unknownTag = (at: string, type: string, tags: Iterable<string>): Refusal =>
  invalid(
    `${at}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${[...tags].map((tag) => `'${tag}'`).join(", ")}`,
  );

function fields(block: Json, type: string, at: string): Refusal | undefined {
  const required = (key: string): Refusal | undefined =>
    typeof block[key] === "string" ? undefined : invalid(`${at}.${type}.${key}: Field required`);
  switch (type) {
    case "text":
      return required("text") ?? emptyText(block, at);
    case "thinking":
      return required("thinking") ?? required("signature");
    case "redacted_thinking":
      return required("data");
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return required("id") ?? required("name") ?? callFields(block, `${at}.${type}`);
    case "tool_result":
      return required("tool_use_id") ?? resultContent(block.content, at);
    case "image":
    case "document":
      return isJson(block.source) ? undefined : invalid(`${at}.${type}.source: Field required`);
    default:
      return undefined;
  }
}

function emptyText(block: Json, at: string): Refusal | undefined {
  if (block.text !== "") return undefined;
  return given(block.cache_control)
    ? invalid(`${at}.text: cache_control cannot be set for empty text blocks`)
    : invalid("messages: text content blocks must be non-empty");
}

function callFields(block: Json, at: string): Refusal | undefined {
  if (!CALL_ID.test(String(block.id)))
    return invalid(`${at}.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  return isJson(block.input)
    ? undefined
    : invalid(`${at}.input: Input should be a valid dictionary`);
}

function resultContent(content: unknown, at: string): Refusal | undefined {
  if (!given(content) || typeof content === "string") return undefined;
  if (!Array.isArray(content))
    return invalid(`${at}.tool_result.content: Input should be a valid string or list`);
  for (const [place, block] of content.entries()) {
    const here = `${at}.tool_result.content.${place}`;
    if (!isJson(block) || !IN_RESULT.has(String(block.type)))
      return unknownTag(here, String(isJson(block) ? block.type : block), IN_RESULT);
    // A tool that found nothing: tau-bench's empty parts are held to be accepted, no report says otherwise.
    if (block.type === "text" && typeof block.text !== "string")
      return invalid(`${here}.text.text: Field required`);
    if (block.text === "" && given(block.cache_control))
      return invalid(`${here}.text: cache_control cannot be set for empty text blocks`);
    const keys = BLOCK_KEYS[String(block.type)];
    const extra = keys === undefined ? undefined : Object.keys(block).find((key) => !keys.has(key));
    if (extra !== undefined)
      return invalid(`${here}.${String(block.type)}.${extra}: Extra inputs are not permitted`);
  }
  return undefined;
}

/** The top-level `system`. */
export function systemShape(system: unknown): Refusal | undefined {
  if (!given(system) || typeof system === "string") return undefined;
  if (!Array.isArray(system)) return invalid("system: Input should be a valid string or list");
  for (const [place, block] of system.entries()) {
    if (!isJson(block) || block.type !== "text")
      return unknownTag(`system.${place}`, String(isJson(block) ? block.type : block), ["text"]);
    const extra = Object.keys(block).find((key) => BLOCK_KEYS.text?.has(key) !== true);
    if (extra !== undefined)
      return invalid(`system.${place}.text.${extra}: Extra inputs are not permitted`);
    if (typeof block.text !== "string") return invalid(`system.${place}.text.text: Field required`);
    if (block.text !== "") continue;
    return given(block.cache_control)
      ? invalid(`system.${place}.text: cache_control cannot be set for empty text blocks`)
      : invalid("system: text content blocks must be non-empty");
  }
  return undefined;
}
