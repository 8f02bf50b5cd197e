import { asText, dicts, isDict } from "../base/guards.ts";

/** Content parts of the AI SDK's own prompts; no provider's API has them. */
const AI_SDK_PARTS = new Set([
  "tool-call",
  "tool-result",
  "tool-approval-request",
  "tool-approval-response",
]);
/** Items of OpenAI's Responses API, which stand where messages would. */
const RESPONSES_ITEM =
  /^(function_call|custom_tool_call|computer_call|reasoning|item_reference|.+_call|.+_call_output)$/;

const GO = {
  responses:
    "OpenAI Responses items; call begin() with the chat.completions form of the conversation, { model, messages }",
  aiSdk:
    "an AI SDK prompt; give the provider's SDK a fetch of your own and call begin() with the body it is about to send",
  ui: "UI messages; convert them to the provider's messages first, and call begin() with the body that is about to be sent",
  gemini:
    "Gemini contents; use Gemini's OpenAI-compatible endpoint and call begin() with { model, messages }",
  ollama:
    "Ollama's native form; use Ollama's /v1/chat/completions endpoint and call begin() with { model, messages }",
} as const;

/** What a request without `messages` is, and the way to go; undefined where that cannot be told. */
export function foreignRequest(request: unknown): string | undefined {
  if (!isDict(request)) return undefined;
  if (Array.isArray(request.contents)) return GO.gemini;
  if (Array.isArray(request.prompt)) return GO.aiSdk;
  return Array.isArray(request.input) || typeof request.input === "string"
    ? GO.responses
    : undefined;
}

/** What a message is that neither dialect reads, and the way to go; undefined for one that may be read. */
export function foreignMessage(message: unknown): string | undefined {
  if (!isDict(message)) return undefined;
  const { role, type, content, parts } = message;
  if (role === undefined && RESPONSES_ITEM.test(asText(type))) return GO.responses;
  if (Array.isArray(parts) && content === undefined)
    return role === "model" || !dicts(parts).some((part) => typeof part.type === "string")
      ? GO.gemini
      : GO.ui;
  if (Array.isArray(message.images)) return GO.ollama;
  if (
    Array.isArray(message.tool_calls) &&
    dicts(message.tool_calls).some(
      (call) => isDict(call.function) && isDict(call.function.arguments),
    )
  )
    return GO.ollama;
  if (!Array.isArray(content)) return undefined;
  for (const part of content as readonly unknown[]) {
    const kind = isDict(part) ? asText(part.type) : "";
    if (AI_SDK_PARTS.has(kind)) return GO.aiSdk;
    if (kind === "input_text" || kind === "output_text") return GO.responses;
  }
  return undefined;
}
