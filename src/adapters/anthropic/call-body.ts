import { isDict, parsed, asText, type Dict } from "../../base/guards.ts";
import { betasOf } from "../../dialect/thinking.ts";
import type { ProviderRequest } from "../../model/request.ts";
import { type ApiRequest, type Next, rewritten, watchedStream } from "../http/wire.ts";
import type { Capable } from "./ask-provider.ts";
import { gatherMessage } from "../../dialect/anthropic/events.ts";
import { createEventReader } from "../../dialect/common/event-stream.ts";
import type { Turn } from "../../engine/options/types.ts";

/**
 * The body of a call of the Messages endpoint, or of the one that counts its tokens. As the
 * caller's own objects where they are what is sent: what was seen before need not be read again
 * then. A middleware that runs before ours may have sent on another body than the caller's.
 */
export function bodyOf(
  request: ApiRequest,
  own: unknown,
  isOwn: (own: Dict, text: string) => boolean,
): ProviderRequest | undefined {
  if (
    request.method?.toUpperCase() !== "POST" ||
    !/\/v1\/messages(?:\/count_tokens)?\/?$/.test(new URL(request.url).pathname)
  )
    return undefined;
  const { body: sent } = request;
  const isCallers = typeof sent !== "string" || (isDict(own) && isOwn(own, sent));
  const body = isCallers ? own : parsed(sent);
  return isDict(body) && Array.isArray(body.messages) ? (body as ProviderRequest) : undefined;
}

/** The same request with another body, and the betas it needs. */
export function withBody(request: ApiRequest, body: ProviderRequest, capable: Capable): ApiRequest {
  const made = rewritten(request, body);
  for (const beta of betasOf(body, capable(asText(body.model)))) addBeta(made.headers, beta);
  return made;
}

function addBeta(headers: Headers, beta: string): void {
  const named = (headers.get("anthropic-beta") ?? "").split(",").map((name) => name.trim());
  if (!named.includes(beta))
    headers.set("anthropic-beta", [...named, beta].filter(Boolean).join(","));
}

/** Does it go to the provider itself, in the program's own name: there its betas are taken. */
export const isFirstParty = ({ url, headers }: ApiRequest): boolean =>
  new URL(url).host === "api.anthropic.com" &&
  !/\boauth-/.test(headers.get("anthropic-beta") ?? "");

/** It asks how many tokens a request has, and is answered with a number. */
export const isCount = (request: ApiRequest): boolean =>
  new URL(request.url).pathname.includes("count_tokens");

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
  parse<T = unknown>(response: Response): Promise<T>;
}

/**
 * The response with its reply archived before the caller has read to its end, however far it came.
 */
export async function watched(
  response: Response,
  turn: Pick<Turn, "end">,
  context: Pick<Context, "parse">,
): Promise<Response> {
  if (!response.ok) return response;
  if (response.headers.get("content-type")?.includes("text/event-stream"))
    return watchedStream(response, createReplyReader(), (reply) => turn.end(reply));
  const reply = await context.parse(response).catch(() => undefined);
  if (isDict(reply) && reply.type === "message") await turn.end(reply);
  return response;
}

/**
 * Puts a Messages reply together from its server-sent events; what was cut off is given as far as
 * it came.
 */
export function createReplyReader() {
  const { take, message, complete } = gatherMessage();
  const events = createEventReader();
  return {
    push: (bytes: Uint8Array): void => events.push(bytes).forEach(take),
    message(): Dict | undefined {
      events.flush().forEach(take);
      return message();
    },
    complete,
  };
}
