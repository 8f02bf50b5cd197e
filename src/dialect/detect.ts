import { shown, TidemarkError } from "../model/errors.ts";
import { asText, type Dict, dicts, isDict } from "../base/guards.ts";
import { type Format, type ProviderRequest } from "../model/request.ts";
import { anthropic } from "./anthropic/anthropic.ts";
import { type Dialect } from "./common/dialect.ts";
import { openaiChat } from "./openai/chat.ts";
import { plain } from "./plain.ts";

const OPENAI_ROLES = new Set(["tool", "function", "developer"]);
const OPENAI_MEMBERS = ["tool_calls", "function_call", "tool_call_id", "refusal"];
const OPENAI_PARTS = new Set(["image_url", "input_audio", "refusal", "file"]);
const OPENAI_OPTIONS = [
  "max_completion_tokens",
  "functions",
  "function_call",
  "parallel_tool_calls",
  "stream_options",
  "response_format",
  "reasoning_effort",
  "n",
  "logprobs",
];
const ANTHROPIC_BLOCKS =
  /^(image|document|thinking|redacted_thinking|search_result|compaction|container_upload|.*tool_use|.*tool_result)$/;
const ANTHROPIC_OPTIONS = [
  "system",
  "thinking",
  "stop_sequences",
  "top_k",
  "mcp_servers",
  "context_management",
];

function has(value: Dict, names: readonly string[]): boolean {
  for (const name of names) if (value[name] !== undefined && value[name] !== null) return true;
  return false;
}

// Plain words say nothing of their format, and a conversation may be thousands of them: they are passed over quickly.
function formatOfMessage(message: Dict, index: number): Format | undefined {
  const { role } = message;
  if (role !== "user" && (OPENAI_ROLES.has(asText(role)) || (index === 0 && role === "system")))
    return "openai-chat";
  if (has(message, OPENAI_MEMBERS)) return "openai-chat";
  if (!Array.isArray(message.content)) return undefined;
  for (const block of message.content as readonly unknown[]) {
    if (!isDict(block)) continue;
    const { type } = block;
    if (type === "text") continue;
    if (OPENAI_PARTS.has(asText(type))) return "openai-chat";
    if (ANTHROPIC_BLOCKS.test(asText(type))) return "anthropic";
  }
  return undefined;
}

function formatOfTool(tool: Dict): Format | undefined {
  if (isDict(tool.input_schema)) return "anthropic";
  return (tool.type === "function" && isDict(tool.function)) ||
    (tool.type === "custom" && isDict(tool.custom))
    ? "openai-chat"
    : undefined;
}

/** Names that only one maker's API takes; one with a maker in front of it ("anthropic/claude-…") is a gateway's. */
const ANTHROPIC_NAME = /^(?:(?:[a-z]+\.)?anthropic\.)?claude/;
const OPENAI_NAME =
  /(?:^|[/.:])(?:gpt|chatgpt|o\d|codex|deepseek|mi[sx]tral|ministral|magistral|codestral|devstral|pixtral|grok|gemini|gemma|(?:meta-)?llama|qwen|qwq|phi|command|kimi|glm|granite|hermes|yi|smollm|sonar)(?![a-z])/;

/** What a request's own shape says, messages first: options are what adapters leave behind. Undefined where nothing tells. */
function guess(request: ProviderRequest): Format | undefined {
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
  [anthropic, openaiChat].map((dialect) => [dialect.format, dialect]),
);

/** The lens for a request: the format the host named, else the one its shape tells, else its model's name, else the plain one. */
export function dialectFor(request: ProviderRequest, format?: Format): Dialect {
  const whose = format ?? guess(request);
  const dialect = whose === undefined ? plain : DIALECTS.get(whose);
  if (dialect) return dialect;
  throw new TidemarkError(
    "config",
    `format must be ${[...DIALECTS.keys()].map((name) => JSON.stringify(name)).join(" or ")}, got ${shown(format)}.`,
  );
}
