import { defined, type Dict, isDict, parsed } from "../../base/guards.ts";
import { reasonOf } from "../../model/errors.ts";

/** The slice of a client library's HTTP request that is read or replaced. */
export interface ApiRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers: Headers;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null;
}

export type Next = (request: ApiRequest) => Promise<Response>;

/** The same request with another body; a stale content-length makes the call hang. */
export function rewritten(request: ApiRequest, body: object): ApiRequest {
  const headers = new Headers(request.headers);
  headers.delete("content-length");
  return { ...request, headers, body: JSON.stringify(body) };
}

/**
 * The body that is sent. As the caller's own objects where they are what is sent: what was seen before need not be read again
 * then. A middleware that runs before ours may have sent on another body than the caller's.
 */
export function sentBody(
  { body: sent }: ApiRequest,
  own: unknown,
  isOwn: (own: Dict, text: string) => boolean,
): unknown {
  return typeof sent !== "string" || (isDict(own) && isOwn(own, sent)) ? own : parsed(sent);
}

/** ms by which a call beside the caller's ends before the client library's own timer would. */
const EARLIER = 100;

/**
 * Sends what the caller did not ask for. A client library times every call made through `next` and, when one is late, aborts
 * the caller's request, whose reply may just be streaming: a call beside it must have ended by then.
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

/** What a refused request was refused with, in the shape of the libraries' errors; undefined for all that is no refusal. */
export async function refusalOf(response: Response): Promise<object | undefined> {
  if (response.ok || response.status === 429 || response.status >= 500) return undefined;
  const text = (await response.clone().text()).slice(0, 20_000);
  const answer = parsed(text);
  const error = isDict(answer) ? answer : undefined;
  return {
    status: response.status,
    message: error === undefined ? text : reasonOf(error),
    ...defined({ error }),
  };
}
