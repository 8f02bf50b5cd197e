import type { ModelInfo } from "./models.ts";
import { given, invalid, isJson, type Json, list, type Refusal, type Turn } from "./wire.ts";

const TYPES = new Set(["enabled", "disabled", "adaptive", "between_tools"]);
/** Modes whose thoughts the provider clears (anthropics/claude-code#11971). */
const CLEARED = new Set(["enabled", "adaptive", "between_tools"]);
const LEAST_BUDGET = 1_024;
const DOCS =
  "Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking";

/** The `thinking` parameter, what it forbids beside it, and what manual thinking asks of an open tool loop. */
export function thinkingRules(
  body: Json,
  turns: readonly Turn[],
  info: ModelInfo,
): Refusal | undefined {
  const { thinking } = body;
  const clears =
    isJson(body.context_management) &&
    list(body.context_management.edits).some(
      (edit) => isJson(edit) && String(edit.type).startsWith("clear_thinking_"),
    );
  if (clears && (!isJson(thinking) || !CLEARED.has(String(thinking.type))))
    return invalid(
      "`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive",
    );
  const off = !isJson(thinking) || thinking.type === "disabled";
  const last = turns.at(-1);
  const thought =
    last?.role === "assistant"
      ? last.blocks.find(
          ({ block }) => block.type === "thinking" || block.type === "redacted_thinking",
        )
      : undefined;
  if (off && thought !== undefined)
    return invalid(
      `messages.${thought.message}.content.${thought.at}: When thinking is disabled, an \`assistant\` message in the final position cannot contain \`thinking\`. To use thinking blocks, enable \`thinking\` in your request.`,
    );
  if (!given(thinking)) return undefined;
  if (!isJson(thinking) || !TYPES.has(String(thinking.type)))
    return invalid(
      "thinking: Input tag does not match any of the expected tags: 'enabled', 'disabled', 'adaptive', 'between_tools'",
    );
  if (thinking.type === "disabled") return undefined;
  if (!info.thinks) return invalid(`'${info.id}' does not support thinking.`);
  return (
    sampling(body) ??
    (thinking.type === "enabled" ? (budget(body, thinking) ?? toolLoop(turns)) : undefined)
  );
}

function sampling(body: Json): Refusal | undefined {
  if (given(body.temperature) && body.temperature !== 1)
    return invalid(`\`temperature\` may only be set to 1 when thinking is enabled. ${DOCS}`);
  if (given(body.top_k))
    return invalid(`\`top_k\` must be unset when thinking is enabled. ${DOCS}`);
  const choice = isJson(body.tool_choice) ? body.tool_choice.type : undefined;
  return choice === "any" || choice === "tool"
    ? invalid("Thinking may not be enabled when tool_choice forces tool use.")
    : undefined;
}

function budget(body: Json, { budget_tokens: tokens }: Json): Refusal | undefined {
  if (!given(tokens)) return invalid("thinking.enabled.budget_tokens: Field required");
  if (typeof tokens !== "number" || tokens < LEAST_BUDGET)
    return invalid(
      `thinking.enabled.budget_tokens: Input should be greater than or equal to ${LEAST_BUDGET}`,
    );
  return typeof body.max_tokens === "number" && tokens >= body.max_tokens
    ? invalid(`\`max_tokens\` must be greater than \`thinking.budget_tokens\`. ${DOCS}`)
    : undefined;
}

/** The rounds of calls and results since the user last spoke are one turn of the assistant's; it opens with thinking. */
function toolLoop(turns: readonly Turn[]): Refusal | undefined {
  let opening: Turn["blocks"][number] | undefined;
  for (const turn of [...turns].reverse()) {
    if (turn.role === "system") continue;
    if (turn.role === "assistant") opening = turn.blocks[0];
    else if (!turn.blocks.some(({ block }) => block.type === "tool_result")) break;
  }
  if (
    opening === undefined ||
    opening.block.type === "thinking" ||
    opening.block.type === "redacted_thinking"
  )
    return undefined;
  return invalid(
    `messages.${opening.message}.content.${opening.at}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${opening.block.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`. ${DOCS}`,
  );
}
