import { asDict, defined, dicts, isDict, asText, type Dict } from "../../base/guards.ts";
import { anthropic } from "../../dialect/anthropic/anthropic.ts";
import type { Complete } from "../../model/ports.ts";
import type { ProviderRequest, Message } from "../../model/request.ts";
import { type Answer, answerOf, withBody } from "./body.ts";
import type { Capable } from "./capabilities.ts";
import type { ApiRequest, Next } from "../http/wire.ts";
import { thinkingBudget, fitThinking } from "../../dialect/thinking.ts";
import { TidemarkError } from "../../model/errors.ts";
import { withinMarks } from "../../dialect/anthropic/breakpoints.ts";

/**
 * Distilling with the caller's own client, key and model. The request inherits the caller's (design §6), so that its prefix
 * is the one the provider has cached; it goes below the middleware, so nothing it does starts anything.
 */
export function completeThrough(asking: Asking & { model: string | undefined }): Complete {
  return async ({ signal, ...ask }) => {
    const reply = await asked(
      asking,
      distilBody(asking.body, { ...ask, model: ask.model ?? asking.model }),
      signal,
    );
    const calls = dicts(reply.message.content).some(
      ({ type }) => type === "tool_use" || type === "server_tool_use" || type === "mcp_tool_use",
    );
    return {
      text: anthropic.text(reply.message),
      ...defined({ usage: reply.usage && (reply.billed ?? reply.usage) }),
      ...defined({ stop: calls ? "tool_use" : reply.stop }),
    };
  };
}

/** A call of the caller's, beside which the provider is asked. */
export interface Asking {
  readonly request: ApiRequest;
  readonly body: ProviderRequest;
  readonly send: Next;
  readonly capable: Capable;
}

/** The provider's answer to a request beside the caller's own. */
export async function asked(
  { request, send, capable }: Asking,
  body: ProviderRequest,
  signal: AbortSignal,
  codeOf?: (error: Dict) => string,
): Promise<Answer> {
  const headers = new Headers(request.headers);
  for (const name of ["x-stainless-retry-count", "x-stainless-helper-method", "idempotency-key"])
    headers.delete(name);
  headers.set("accept", "application/json");
  return answerOf(await send(withBody({ ...request, headers, signal }, body, capable)), codeOf);
}

export const isForced = (choice: unknown): boolean => {
  const { type } = asDict(choice);
  return type === "any" || type === "tool";
};

/** Of the caller's output_config what says nothing of the form or the length of the caller's reply. */
export const withoutForm = (config: unknown): unknown => without(config, ["format", "task_budget"]);

interface Ask {
  readonly system: unknown;
  readonly messages: readonly Message[];
  readonly tools?: unknown;
  readonly alone?: boolean;
  readonly maxTokens: number;
  readonly room?: number;
  readonly temperature?: number;
  readonly model: string | undefined;
  /** As the request went that is gone on with, where it is not the caller's own. */
  readonly thinking?: unknown;
}

/** Would end the reply early, give it another form, run things, keep state on the server, or can be used once only. */
const DROPPED = new Set([
  "stream",
  "stop_sequences",
  "output_format",
  "mcp_servers",
  "container",
  "thread",
  "compaction",
  "diagnostics",
  "fallback_credit_token",
]);
/** All that a request without the caller's prefix takes along: another model may refuse the rest. */
const ALONE = ["service_tier", "inference_geo"];

/** The caller's request turned into one to distil. */
export function distilBody(body: ProviderRequest, ask: Ask): ProviderRequest {
  const { messages, maxTokens } = ask;
  const model = ask.model ?? body.model;
  if (ask.alone === true) {
    // Newer models refuse one: it is sent where the caller sends one to the same model.
    const warm =
      model === body.model && body.temperature !== undefined ? ask.temperature : undefined;
    const bare = { ...pick(body, ALONE), model, max_tokens: maxTokens, messages };
    return { ...bare, ...defined({ temperature: warm }) };
  }
  const { system: _system, tools: _tools, tool_choice: choice, ...rest } = body;
  const made: ProviderRequest = {
    ...inherited(rest),
    model,
    messages,
    ...defined({ thinking: ask.thinking, system: ask.system }),
    ...(ask.tools === undefined ? {} : { tools: ask.tools, ...choiceFor(choice, ask.tools) }),
  };
  const fitted = fitThinking(anthropic, withinMarks(made));
  return { ...fitted, max_tokens: roomFor(fitted, ask, body.max_tokens) };
}

const pick = (body: Dict, names: readonly string[]): Dict =>
  Object.fromEntries(names.flatMap((name) => (name in body ? [[name, body[name]]] : [])));

function inherited(body: Dict): Dict {
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => {
      if (DROPPED.has(name)) return [];
      let kept = value;
      if (name === "output_config") kept = withoutForm(value);
      else if (name === "context_management") kept = withoutCompaction(value);
      return kept === undefined ? [] : [[name, kept]];
    }),
  );
}

function without(value: unknown, names: readonly string[]): unknown {
  if (!isDict(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !names.includes(name));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Clearing decides what of the prefix the model sees; a server's own compaction would take the place of the answer. */
function withoutCompaction(value: unknown): unknown {
  if (!isDict(value) || !Array.isArray(value.edits)) return value;
  const edits = value.edits.filter(
    (edit: unknown) => !isDict(edit) || !asText(edit.type).startsWith("compact_"),
  );
  return edits.length === 0 ? undefined : { ...value, edits };
}

/** Manual thinking is taken out of max_tokens. The caller's own fits behind the caller's prompt; behind ours, what the window has left. */
function roomFor(
  request: ProviderRequest,
  { maxTokens, room = Infinity }: Ask,
  asked: unknown,
): number {
  const budget = thinkingBudget(request);
  if (budget === 0) return maxTokens;
  const most = typeof asked === "number" ? asked : maxTokens;
  const given = Math.min(room, Math.max(maxTokens, Math.min(budget + maxTokens, most)));
  if (given <= budget)
    throw new TidemarkError(
      "distil",
      `The window has no room for ${budget} tokens of thinking and an answer behind them; the call was not made.`,
    );
  return given;
}

/** Tools that only name what the caller's program does; all others the provider runs by itself. */
const OF_THE_CALLER = /^(?:custom$|bash_|text_editor_|computer_|memory_|browser_)/;

/** A forced tool would be called, and a server's tool would be run: both are told to keep still. */
function choiceFor(choice: unknown, tools: unknown): { tool_choice?: unknown } {
  const servers = dicts(tools).some(
    ({ type }) => typeof type === "string" && !OF_THE_CALLER.test(type),
  );
  if (isForced(choice) || servers) return { tool_choice: { type: "none" } };
  return choice === undefined || choice === null ? {} : { tool_choice: choice };
}
