import { asDict, asText, type Dict, dicts, either, isDict } from "../core/base.ts";
import { refuse, shown } from "../core/errors-and-events.ts";
import type { Format, Message, ProviderRequest } from "../core/request.ts";
import { aiSdk } from "./ai-sdk/ai-sdk.ts";
import { cacheMarks } from "./anthropic/cache-marks.ts";
import { anthropic } from "./anthropic/messages.ts";
import { type Dialect, isBlank, itemsOf } from "./common/dialect.ts";
import { langchain } from "./langchain/langchain.ts";
import { gemini } from "./gemini/gemini.ts";
import { openaiChat } from "./openai/chat.ts";
import { isItem } from "./responses/items.ts";
import { openaiResponses } from "./responses/responses.ts";

const OPENAI_ROLES = new Set(["tool", "function", "developer"]);
const OPENAI_MEMBERS = ["tool_calls", "function_call", "tool_call_id", "refusal"];
const OPENAI_PARTS = new Set(["image_url", "input_audio", "refusal", "file"]);
const OPENAI_OPTIONS = (
  "max_completion_tokens functions function_call parallel_tool_calls stream_options " +
  "response_format reasoning_effort n logprobs"
).split(" ");
const ANTHROPIC_BLOCKS = either(
  /^(?:image|document|thinking|redacted_thinking|search_result|compaction)$/,
  /^(?:container_upload|.*tool_use|.*tool_result)$/,
);
const ANTHROPIC_OPTIONS =
  "system thinking stop_sequences top_k mcp_servers context_management".split(" ");

const has = (value: Dict, names: readonly string[]): boolean =>
  names.some((name) => value[name] !== undefined && value[name] !== null);

// Plain words say nothing of their format, and a conversation may be thousands of them: they are
// passed over quickly.
function formatOfMessage(message: Dict, index: number): Format | undefined {
  const { role, content, items } = message;
  if (role !== "user" && (OPENAI_ROLES.has(asText(role)) || (index === 0 && role === "system")))
    return "openai-chat";
  if (has(message, OPENAI_MEMBERS)) return "openai-chat";
  if (role !== undefined && typeof content === "string" && items === undefined) return undefined;
  if (isItem(message)) return "openai-responses";
  if (isPrompted(message)) return "ai-sdk";
  for (const { type } of dicts(content)) {
    if (type === "text") continue;
    if (OPENAI_PARTS.has(asText(type))) return "openai-chat";
    if (ANTHROPIC_BLOCKS.test(asText(type))) return "anthropic";
  }
  return undefined;
}

function formatOfTool(tool: Dict): Format | undefined {
  if (isDict(tool.input_schema)) return "anthropic";
  return isDict(tool.function) || isDict(tool.custom) ? "openai-chat" : undefined;
}

/**
 * Names that only one maker's API takes; one with a maker in front of it ("anthropic/claude-…") is
 * a gateway's.
 */
const ANTHROPIC_NAME = /^(?:(?:[a-z]+\.)?anthropic\.)?claude/;
const OPENAI_NAME = either(
  /(?:^|[/.:])(?:gpt|chatgpt|o\d|codex|deepseek|mi[sx]tral|ministral|magistral)(?![a-z])/,
  /(?:^|[/.:])(?:codestral|devstral|pixtral|grok|gemini|gemma|(?:meta-)?llama)(?![a-z])/,
  /(?:^|[/.:])(?:qwen|qwq|phi|command|kimi|glm|granite|hermes|yi|smollm|sonar)(?![a-z])/,
);

/**
 * What a request's own shape says, messages first: options are what adapters leave behind.
 * Undefined where nothing tells.
 */
function guess(request: ProviderRequest): Format | undefined {
  if (!Array.isArray(request.messages)) {
    if (request.contents !== undefined) return "gemini";
    if (request.input !== undefined) return "openai-responses";
    return Array.isArray(request.prompt) ? "ai-sdk" : undefined;
  }
  for (let index = 0; index < request.messages.length; index++) {
    const message = request.messages[index];
    const format = isDict(message) ? formatOfMessage(message, index) : undefined;
    if (format) return format;
  }
  for (const tool of dicts(request.tools)) {
    const format = formatOfTool(tool);
    if (format) return format;
  }
  if (has(request, ANTHROPIC_OPTIONS)) return "anthropic";
  if (has(request, OPENAI_OPTIONS)) return "openai-chat";
  const name = asText(request.model).toLowerCase();
  if (ANTHROPIC_NAME.test(name)) return "anthropic";
  return OPENAI_NAME.test(name) ? "openai-chat" : undefined;
}

const DIALECTS: ReadonlyMap<string, Dialect> = new Map(
  Object.entries({
    anthropic,
    "openai-chat": openaiChat,
    "openai-responses": openaiResponses,
    gemini,
    "ai-sdk": aiSdk,
    langchain,
  } satisfies Record<Format, Dialect>),
);

/**
 * The lens for a request: the format the host named, else the one its shape tells, else its model's
 * name, else the plain one.
 */
export function dialectFor(request: ProviderRequest, format?: Format): Dialect {
  const whose = format ?? guess(request);
  const dialect = whose === undefined ? plain : DIALECTS.get(whose);
  return (
    dialect ??
    refuse(
      "format must be " +
        `${[...DIALECTS.keys()].map((name) => JSON.stringify(name)).join(" or ")}, got ` +
        `${shown(format)}.`,
    )
  );
}

/**
 * A request of plain words for a model that no table knows: nothing tells whose it is. What is
 * added has the form that both makers take, a first message of the user's; cache marks and system
 * fields are left to dialects that surely know them.
 */
const plain: Dialect = {
  ...anthropic,
  marks: { ...cacheMarks, ours: false },
  appendSystem: (request, text) =>
    isBlank(text) ? request : { ...request, messages: withWordsFirst(request.messages, text) },
};

/**
 * In front of what the first message of the user's says, so that a summary stays the first there
 * is.
 */
function withWordsFirst([first, ...rest]: readonly Message[], text: string): Message[] {
  if (first?.role !== "user")
    return [{ role: "user", content: text }, ...(first === undefined ? [] : [first]), ...rest];
  const { content } = first;
  const words =
    typeof content === "string"
      ? `${text}\n\n${content}`
      : [{ type: "text", text }, ...itemsOf(content)];
  return [{ ...first, content: words }, ...rest];
}

export const FORMS_READ =
  "it reads what Anthropic's Messages, OpenAI's Responses and chat completions, Gemini's " +
  "generateContent and the AI SDK's models take; convert UI messages and Ollama's own forms to " +
  "one of them first.";

/** A message that neither dialect reads: another API's, or another library's. */
export function isForeign({ role, content, parts, images, tool_calls: calls }: Dict): boolean {
  if (role === undefined || Array.isArray(images)) return true;
  if (content === undefined && Array.isArray(parts)) return true;
  return dicts(calls).some((call) => isDict(asDict(call.function).arguments));
}

const PARTS = new Set(["tool-call", "tool-result", "tool-approval-response", "reasoning-file"]);

/** Is it of this form, for one who sees a message alone? */
const isPrompted = (message: Dict): boolean =>
  Array.isArray(message.content) &&
  dicts(message.content).some(
    ({ type, mediaType }) => PARTS.has(asText(type)) || typeof mediaType === "string",
  );
