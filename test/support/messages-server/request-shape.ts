import { given, invalid, isJson, type Json, list, type Refusal } from "./wire.ts";
import type { ModelInfo } from "./models.ts";

/** Parameters of `MessageCreateParams` (SDK 1.11.0). */
const KEYS = new Set(
  "model messages max_tokens system tools tool_choice thinking stream stop_sequences temperature top_k top_p metadata cache_control container diagnostics inference_geo output_config service_tier speed user_profile_id workspace_id".split(
    " ",
  ),
);
/** Added by `beta.messages.create`. */
const BETA_KEYS = new Set(
  "billing_policy compaction context_management fallback_credit_token fallbacks mcp_servers output_format thread".split(
    " ",
  ),
);

export interface ShapeOptions {
  readonly beta: boolean;
  /** count_tokens takes no max_tokens. */
  readonly counting: boolean;
}

/** Top-level keys and values, as the API's schema reads them. */
export function requestShape(
  body: Json,
  info: ModelInfo,
  { beta, counting }: ShapeOptions,
): Refusal | undefined {
  for (const key of Object.keys(body)) {
    if (!KEYS.has(key) && !(beta && BETA_KEYS.has(key)))
      return invalid(`${key}: Extra inputs are not permitted`);
  }
  if (!given(body.model)) return invalid("model: Field required");
  if (typeof body.model !== "string" || body.model === "")
    return invalid("model: Input should be a valid string");
  if (!given(body.messages)) return invalid("messages: Field required");
  if (!Array.isArray(body.messages)) return invalid("messages: Input should be a valid list");
  return (counting ? undefined : maxTokens(body, info)) ?? stopSequences(body) ?? tools(body);
}

function maxTokens({ max_tokens: most }: Json, info: ModelInfo): Refusal | undefined {
  if (!given(most)) return invalid("max_tokens: Field required");
  if (typeof most !== "number" || !Number.isInteger(most))
    return invalid("max_tokens: Input should be a valid integer");
  if (most < 1) return invalid("max_tokens: Input should be greater than or equal to 1");
  if (most > info.max_tokens)
    return invalid(
      `max_tokens: ${most} > ${info.max_tokens}, which is the maximum allowed number of output tokens for ${info.id}`,
    );
  return undefined;
}

function stopSequences({ stop_sequences: stops }: Json): Refusal | undefined {
  if (!given(stops)) return undefined;
  if (!Array.isArray(stops)) return invalid("stop_sequences: Input should be a valid list");
  const blank = stops.findIndex((stop) => typeof stop !== "string" || stop.trim() === "");
  return blank < 0
    ? undefined
    : invalid("stop_sequences: each stop sequence must contain non-whitespace");
}

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

function tools(body: Json): Refusal | undefined {
  if (given(body.tools) && !Array.isArray(body.tools))
    return invalid("tools: Input should be a valid list");
  const names = new Set<unknown>();
  for (const [index, tool] of list(body.tools).entries()) {
    if (!isJson(tool)) return invalid(`tools.${index}: Input should be a valid dictionary`);
    const custom = !given(tool.type) || tool.type === "custom";
    if (custom && !isJson(tool.input_schema))
      return invalid(`tools.${index}.custom.input_schema: Field required`);
    if (custom && (typeof tool.name !== "string" || !NAME.test(tool.name)))
      return invalid(
        `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`,
      );
    if (!given(tool.name)) continue;
    if (names.has(tool.name)) return invalid("tools: Tool names must be unique.");
    names.add(tool.name);
  }
  return toolChoice(body, names);
}

const CHOICES = new Set(["auto", "any", "tool", "none"]);

function toolChoice(
  { tool_choice: choice }: Json,
  names: ReadonlySet<unknown>,
): Refusal | undefined {
  if (!given(choice)) return undefined;
  if (!isJson(choice) || !CHOICES.has(String(choice.type)))
    return invalid(
      "tool_choice: Input tag does not match any of the expected tags: 'auto', 'any', 'tool', 'none'",
    );
  if (names.size === 0 && choice.type !== "none")
    return invalid("tool_choice: tool_choice may only be specified while providing tools.");
  if (choice.type === "tool" && !names.has(choice.name))
    return invalid(`Tool '${String(choice.name)}' not found in provided tools`);
  return undefined;
}
