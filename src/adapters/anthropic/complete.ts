import { anthropic } from "../../dialect/anthropic.ts";
import { thinkingOff } from "../../dialect/thinking-mode.ts";
import { dicts, isDict } from "../../model/guards.ts";
import { type Complete } from "../../model/ports.ts";
import { type ProviderRequest } from "../../model/request.ts";
import { type ApiRequest, type Next, withBody } from "./wire.ts";

/** Would end the reply early, give it another form, run things, or keep state on the server. */
const DROPPED = ["stream", "stop_sequences", "output_config", "output_format", "mcp_servers", "container", "context_management", "thread", "diagnostics"];

/**
 * Distilling with the caller's own client, key and model. The request inherits the caller's (design §6), so that its prefix
 * is the one the provider has cached; it goes below the middleware, so nothing it does starts anything.
 */
export function completeThrough({ request, body, send, model }: { request: ApiRequest; body: ProviderRequest; send: Next; model: string | undefined }): Complete {
  return async ({ system, messages, tools, maxTokens, signal }) => {
    const headers = new Headers(request.headers);
    for (const name of ["x-stainless-retry-count", "x-stainless-helper-method", "idempotency-key"]) headers.delete(name);
    headers.set("accept", "application/json");
    const ask = distilBody(body, { system, messages, tools, maxTokens, model });
    const { signal: _signal, ...rest } = request;
    const response = await send(withBody({ ...rest, headers, signal }, ask));
    const answer: unknown = await response.json().catch(() => undefined);
    if (!response.ok) throw new Error(`the provider answered ${response.status}: ${messageOf(answer)}`);
    const reply = anthropic.reply(answer);
    if (!reply) throw new Error("the provider's answer is not a message");
    const calls = dicts(reply.message.content).some(({ type }) => type === "tool_use" || type === "server_tool_use");
    return {
      text: anthropic.text(reply.message),
      ...(reply.usage ? { usage: reply.usage } : {}),
      ...(calls ? { stop: "tool_use" } : reply.stop === undefined ? {} : { stop: reply.stop }),
    };
  };
}

function distilBody(
  body: ProviderRequest,
  { system, messages, tools, maxTokens, model }: { system: unknown; messages: ProviderRequest["messages"]; tools: unknown; maxTokens: number; model: string | undefined },
): ProviderRequest {
  const inherited = Object.fromEntries(Object.entries(body).filter(([name]) => !DROPPED.includes(name)));
  const { system: _system, tools: _tools, tool_choice: choice, ...rest } = inherited;
  const plain = system === undefined && tools === undefined;
  const made: ProviderRequest = {
    ...rest,
    ...(model === undefined ? {} : { model }),
    max_tokens: maxTokens,
    messages,
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools, ...choiceFor(choice, tools) }),
  };
  // Written-out chunks share no prefix with anything: thinking about them costs and keeps nothing warm.
  return plain || !roomToThink(made, maxTokens) ? thinkingOff(made) : made;
}

/** A forced tool would be called, and a server's tool would be run: both are told to keep still. */
function choiceFor(choice: unknown, tools: unknown): { tool_choice?: unknown } {
  const forced = isDict(choice) && (choice.type === "any" || choice.type === "tool");
  const servers = dicts(tools).some(({ type }) => typeof type === "string" && type !== "custom");
  if (forced || servers) return { tool_choice: { type: "none" } };
  return choice === undefined ? {} : { tool_choice: choice };
}

const roomToThink = ({ thinking }: ProviderRequest, maxTokens: number): boolean =>
  !isDict(thinking) || typeof thinking.budget_tokens !== "number" || thinking.budget_tokens < maxTokens;

function messageOf(answer: unknown): string {
  const error = isDict(answer) && isDict(answer.error) ? answer.error : undefined;
  return typeof error?.message === "string" ? error.message.slice(0, 500) : "no reason given";
}
