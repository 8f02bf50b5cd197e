import { betasOf } from "../../dialect/betas.ts";
import { asText } from "../../base/guards.ts";
import { type Capable } from "./capable.ts";
import { type ProviderRequest } from "../../model/request.ts";

/** The slice of the SDK's request that is read or replaced. */
export interface ApiRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers: Headers;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null;
}

export type Next = (request: ApiRequest) => Promise<Response>;

/** The same request with another body, and the betas it needs; a stale content-length makes the call hang. */
export function withBody(request: ApiRequest, body: ProviderRequest, capable: Capable): ApiRequest {
  const headers = new Headers(request.headers);
  headers.delete("content-length");
  for (const beta of betasOf(body, capable(asText(body.model)))) addBeta(headers, beta);
  return { ...request, headers, body: JSON.stringify(body) };
}

function addBeta(headers: Headers, beta: string): void {
  const named = (headers.get("anthropic-beta") ?? "").split(",").map((name) => name.trim());
  if (!named.includes(beta))
    headers.set("anthropic-beta", [...named, beta].filter((name) => name !== "").join(","));
}

/** Does it go to the provider itself, in the program's own name: there its betas are taken. */
export const isFirstParty = ({ url, headers }: ApiRequest): boolean =>
  new URL(url).host === "api.anthropic.com" &&
  !/\boauth-/.test(headers.get("anthropic-beta") ?? "");

/** ms by which a call beside the caller's ends before the SDK's own timer would. */
const EARLIER = 100;

/**
 * Sends what the caller did not ask for. The SDK times every call made through `next` and, when one is late, aborts the
 * caller's request, whose reply may just be streaming: a call beside it must have ended by then.
 */
export function beside(send: Next, timeout: number | undefined): Next {
  return async (request) => {
    if (timeout === undefined) return send(request);
    const own = AbortSignal.timeout(Math.max(1, timeout - EARLIER));
    try {
      return await send({
        ...request,
        signal: request.signal ? AbortSignal.any([request.signal, own]) : own,
      });
    } catch (thrown) {
      if (!own.aborted || request.signal?.aborted) throw thrown;
      throw new Error(`no answer within the client's own timeout of ${timeout} ms`, {
        cause: thrown,
      });
    }
  };
}
