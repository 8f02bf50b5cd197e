import type { ModelInfo } from "./models.ts";
import { blocksOf, invalid, isJson, type Json, type Refusal, type Turn } from "./wire.ts";

const ANYWHERE =
  "; the directive-only form (content: [] with output_config) is accepted at any position";

/** Who may speak when: the user first, system messages between a user's turn and the answer, no unwanted prefill. */
export function orderOf(
  messages: readonly Json[],
  turns: readonly Turn[],
  info: ModelInfo,
): Refusal | undefined {
  if (messages.length === 0) return invalid("messages: at least one message is required");
  return (
    first(messages[0] as Json) ??
    systems(messages) ??
    thinkingLast(turns) ??
    prefill(messages, info)
  );
}

/** A server-written compaction block stands in for everything before it, the user's first message too. */
function first(message: Json): Refusal | undefined {
  if (message.role === "user" || message.role === "system") return undefined;
  return blocksOf(message.content)[0]?.type === "compaction"
    ? undefined
    : invalid('messages: first message must use the "user" role');
}

const directive = (message: Json): boolean =>
  Array.isArray(message.content) && message.content.length === 0;

/** Several system messages in a row are one: what stands around the run counts. */
function systems(messages: readonly Json[]): Refusal | undefined {
  for (let at = 0; at < messages.length; at += 1) {
    if (messages[at]?.role !== "system" || directive(messages[at] as Json)) continue;
    const start = at;
    while (messages[at + 1]?.role === "system") at += 1;
    const before = messages[start - 1];
    const after = messages[at + 1];
    if (before === undefined || !(before.role === "user" || endsInServerResult(before)))
      return invalid(
        `messages.${start}: role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result${ANYWHERE}`,
      );
    if (after !== undefined && after.role !== "assistant")
      return invalid(
        `messages.${start}: role 'system' must precede an 'assistant' message or end the array${ANYWHERE}`,
      );
  }
  return undefined;
}

const endsInServerResult = (message: Json): boolean => {
  const type = blocksOf(message.content).at(-1)?.type ?? "";
  return message.role === "assistant" && type.endsWith("_tool_result");
};

function thinkingLast(turns: readonly Turn[]): Refusal | undefined {
  for (const turn of turns) {
    const last = turn.role === "assistant" ? turn.blocks.at(-1) : undefined;
    if (
      last !== undefined &&
      (last.block.type === "thinking" || last.block.type === "redacted_thinking")
    )
      return invalid(
        `messages.${last.message}: The final block in an assistant message cannot be \`thinking\`.`,
      );
  }
  return undefined;
}

/** A trailing assistant message is gone on with; one that ends in a server's block is a paused turn, no prefill. */
function prefill(messages: readonly Json[], info: ModelInfo): Refusal | undefined {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return undefined;
  const block = blocksOf(last.content).at(-1);
  if (!isJson(block) || block.type !== "text") return undefined;
  if (!info.prefill)
    return invalid(
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
  return /\s$/.test(String(block.text))
    ? invalid("messages: final assistant content cannot end with trailing whitespace")
    : undefined;
}
