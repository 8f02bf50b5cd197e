import { asText, isDict, parsed } from "../../core/base.ts";
import type { ProviderRequest } from "../../core/request.ts";
import { gatherMessage } from "../../providers/anthropic/events.ts";
import { capabilitiesOf, type ModelOverrides } from "../../providers/common/models.ts";
import { type ApiRequest, eventsRead, type Next, rewritten, UNREAD } from "../http/calls.ts";

/**
 * The body of a call of the Messages endpoint. As the caller's own objects where they are what is
 * sent: what was seen before need not be read again then. A middleware that runs before ours may
 * have sent on another body than the caller's.
 */
export function bodyOf(
  request: ApiRequest,
  own: unknown,
): ProviderRequest | typeof UNREAD | undefined {
  if (
    request.method?.toUpperCase() !== "POST" ||
    !/\/v1\/messages\/?$/.test(new URL(request.url).pathname)
  )
    return undefined;
  const { body: sent } = request;
  const isCallers = typeof sent !== "string" || JSON.stringify(own) === sent;
  const body = isCallers ? own : parsed(sent);
  return isDict(body) && Array.isArray(body.messages) ? (body as ProviderRequest) : UNREAD;
}

/** The same request with another body, and the beta it needs for messages shown once. */
export function withBody(
  request: ApiRequest,
  body: ProviderRequest,
  models: ModelOverrides | undefined,
): ApiRequest {
  const made = rewritten(request, body);
  const { clearAt } = capabilitiesOf(asText(body.model), models);
  const clears = body.messages.some(({ clear_at: until }) => until === "next_user_message");
  if (clears && clearAt !== undefined) addBeta(made.headers, clearAt);
  return made;
}

function addBeta(headers: Headers, beta: string): void {
  const named = (headers.get("anthropic-beta") ?? "").split(",").map((name) => name.trim());
  if (!named.includes(beta))
    headers.set("anthropic-beta", [...named, beta].filter(Boolean).join(","));
}

/** One HTTP call, and the way to send it on. */
export interface ApiCall {
  readonly request: ApiRequest;
  readonly body: ProviderRequest;
  readonly send: Next;
  readonly context: Context;
}

/** The part of the SDK's middleware context in use. */
export interface Context {
  readonly options?: { readonly body?: unknown; readonly timeout?: unknown } | undefined;
}

/**
 * Puts a Messages reply together from its server-sent events; what was cut off is given as far as
 * it came.
 */
export const createReplyReader = () => eventsRead(gatherMessage());
