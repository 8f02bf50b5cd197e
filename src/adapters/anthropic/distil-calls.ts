import { asDict, defined, type Dict, dicts, isDict } from "../../core/base.ts";
import { TidemarkError } from "../../core/errors-and-events.ts";
import type { ProviderRequest } from "../../core/request.ts";
import { withinMarks } from "../../providers/anthropic/cache-marks.ts";
import { anthropic } from "../../providers/anthropic/messages.ts";
import {
  fitThinking,
  thinkingBudget,
  withoutEdits,
} from "../../providers/common/seams-and-thinking.ts";
import type { DistilAsk } from "../http/fetch.ts";

const isForced = (choice: unknown): boolean => {
  const { type } = asDict(choice);
  return type === "any" || type === "tool";
};

/** Members of a request other than these. */
const without = (request: Dict, names: readonly string[]): Dict =>
  Object.fromEntries(Object.entries(request).filter(([name]) => !names.includes(name)));

/**
 * Of the caller's output_config what says nothing of the form or the length of the caller's reply.
 */
function withoutForm(config: unknown): unknown {
  if (!isDict(config)) return config;
  const kept = without(config, ["format", "task_budget"]);
  return Object.keys(kept).length === 0 ? undefined : kept;
}

interface BodyAsk extends DistilAsk {
  /** As the request went that is gone on with, where it is not the caller's own. */
  readonly thinking?: unknown;
}

/**
 * Would end the reply early, give it another form, keep state on the server, or can be used once
 * only.
 */
const OF_THE_REPLY = (
  "stream stop_sequences output_format container thread compaction diagnostics " +
  "fallback_credit_token"
).split(" ");

/**
 * The caller's request turned into one to distil. It inherits the caller's, so that its prefix is
 * the one the provider has cached.
 */
export function distilBody(body: ProviderRequest, ask: BodyAsk): ProviderRequest {
  const { messages, maxTokens } = ask;
  const model = ask.model ?? body.model;
  if (ask.alone === true) {
    // All that a request without the caller's prefix takes along: another model may refuse the
    // rest.
    const { service_tier, inference_geo } = body;
    // Newer models refuse one: it is sent where the caller sends one to the same model.
    const temperature =
      model === body.model && body.temperature !== undefined ? ask.temperature : undefined;
    const along = defined({ service_tier, inference_geo, temperature });
    return { ...along, model, max_tokens: maxTokens, messages };
  }
  const { system: _system, tools: _tools, tool_choice: choice, ...given } = body;
  const { output_config: config, context_management: managed, ...rest } = given;
  const { tools } = ask;
  const made: ProviderRequest = {
    // Servers of tools would run things.
    ...without(rest, [...OF_THE_REPLY, "mcp_servers"]),
    model,
    messages,
    ...defined({
      output_config: withoutForm(config),
      // Clearing decides what of the prefix the model sees; a server's own compaction would take
      // the place of the answer.
      context_management: withoutEdits(managed, "compact_"),
      thinking: ask.thinking,
      system: ask.system,
      tools,
      tool_choice: tools === undefined ? undefined : choiceFor(choice, tools),
    }),
  };
  const fitted = fitThinking(anthropic, withinMarks(made));
  return { ...fitted, max_tokens: roomFor(fitted, ask, body.max_tokens) };
}

/**
 * Manual thinking is taken out of max_tokens. The caller's own fits behind the caller's prompt;
 * behind ours, what the window has left.
 */
function roomFor(
  request: ProviderRequest,
  { maxTokens, room = Infinity }: BodyAsk,
  asked: unknown,
): number {
  const budget = thinkingBudget(request);
  if (budget === 0) return maxTokens;
  const most = typeof asked === "number" ? asked : maxTokens;
  const given = Math.min(room, Math.max(maxTokens, Math.min(budget + maxTokens, most)));
  if (given <= budget)
    throw new TidemarkError(
      "distil",
      `The window has no room for ${budget} tokens of thinking and an answer behind ` +
        "them; the call was not made.",
    );
  return given;
}

/** Tools that only name what the caller's program does; all others the provider runs by itself. */
const OF_THE_CALLER = /^(?:custom$|bash_|text_editor_|computer_|memory_|browser_)/;

/** A forced tool would be called, and a server's tool would be run: both are told to keep still. */
function choiceFor(choice: unknown, tools: unknown): unknown {
  const servers = dicts(tools).some(
    ({ type }) => typeof type === "string" && !OF_THE_CALLER.test(type),
  );
  return isForced(choice) || servers ? { type: "none" } : (choice ?? undefined);
}
