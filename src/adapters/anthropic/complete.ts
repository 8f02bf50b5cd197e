import { defined } from "../../base/defined.ts";
import { anthropic } from "../../dialect/anthropic/anthropic.ts";
import { dicts, isDict } from "../../base/guards.ts";
import { type Complete } from "../../model/ports.ts";
import { type ProviderRequest } from "../../model/request.ts";
import { answerOf } from "./answer.ts";
import { type Capable } from "./capable.ts";
import { distilBody } from "./distil-body.ts";
import { type ApiRequest, type Next, withBody } from "./wire.ts";

/**
 * Distilling with the caller's own client, key and model. The request inherits the caller's (design §6), so that its prefix
 * is the one the provider has cached; it goes below the middleware, so nothing it does starts anything.
 */
export function completeThrough({
  request,
  body,
  send,
  model,
  capable,
}: {
  request: ApiRequest;
  body: ProviderRequest;
  send: Next;
  model: string | undefined;
  capable: Capable;
}): Complete {
  return async ({ signal, ...ask }) => {
    const { signal: _signal, ...rest } = request;
    const response = await send(
      withBody(
        { ...rest, headers: askHeaders(request), signal },
        distilBody(body, { ...ask, model }),
        capable,
      ),
    );
    const reply = await answerOf(
      response,
      (answer, status) => `the provider answered ${status}: ${messageOf(answer)}`,
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

/** The caller's headers, for a call beside the caller's own. */
export function askHeaders(request: ApiRequest): Headers {
  const headers = new Headers(request.headers);
  for (const name of ["x-stainless-retry-count", "x-stainless-helper-method", "idempotency-key"])
    headers.delete(name);
  headers.set("accept", "application/json");
  return headers;
}

function messageOf(answer: unknown): string {
  const error = isDict(answer) && isDict(answer.error) ? answer.error : undefined;
  return typeof error?.message === "string" ? error.message.slice(0, 500) : "no reason given";
}
