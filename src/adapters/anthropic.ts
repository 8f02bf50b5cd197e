import "../node-version.ts";
import type { Identity } from "../core/identity.ts";
import type { ProviderRequest } from "../core/request.ts";
import { callable, check, options as known } from "../core/schema.ts";
import type { Tidemark } from "../session/options/tidemark-api.ts";
import { messagesApi, NAME } from "./anthropic/messages-api.ts";
import { callsThrough, type Fetch, type FetchOptions } from "./http/fetch.ts";

export { memoryDirectory, type MemoryDirectory } from "./anthropic/memory-directory.ts";

export interface AnthropicOptions {
  /** Answers who is speaking in a request; by default the identity Tidemark was opened with. */
  identity?: (request: ProviderRequest) => Identity | Promise<Identity>;
}

const OPTIONS = known<AnthropicOptions>({ identity: callable() });

/** The slice of the SDK's HTTP request that is read or replaced. */
export interface ApiRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers: Headers;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null;
}

/** The part of the SDK's middleware context in use. */
interface Context {
  readonly options?: { readonly body?: unknown; readonly timeout?: unknown } | undefined;
}

/**
 * `new Anthropic({ middleware: [anthropicMiddleware(tidemark)] })`: create, stream and toolRunner
 * go through Tidemark, in the SDK from 0.101 on. Threads that the server holds and other endpoints
 * pass untouched.
 */
export function anthropicMiddleware(tidemark: Tidemark, options: AnthropicOptions = {}) {
  check(OPTIONS, options, NAME, "option ");
  const through = callsThrough(tidemark, messagesApi(tidemark), options as FetchOptions);

  return async function tidemarkMiddleware<R extends ApiRequest>(
    request: R,
    next: (request: R) => Promise<Response>,
    context: Context,
  ): Promise<Response> {
    const { url, method, headers, body, signal } = request;
    const init = { method, headers, body, signal } as RequestInit;
    const { body: own, timeout } = context.options ?? {};
    const out: Fetch = (to, made) =>
      next(made === init ? request : { ...request, body: undefined, ...made, url: String(to) });
    return through({ url, init, own }, { out, aside: beside(out, timeout) });
  };
}

/** ms by which a call beside the caller's ends before the SDK's own timer would. */
const EARLIER = 100;

/**
 * Sends what the caller did not ask for. The SDK times every call made through `next` and, when one
 * is late, aborts the caller's request, whose reply may just be streaming: a call beside it must
 * have ended by then.
 */
function beside(send: Fetch, timeout: unknown): Fetch {
  return async (url, init) => {
    if (typeof timeout !== "number") return send(url, init);
    const own = AbortSignal.timeout(Math.max(1, timeout - EARLIER));
    const given = init?.signal;
    try {
      return await send(url, { ...init, signal: given ? AbortSignal.any([given, own]) : own });
    } catch (thrown) {
      if (!own.aborted || given?.aborted) throw thrown;
      throw new Error(`no answer within the client's own timeout of ${timeout} ms`, {
        cause: thrown,
      });
    }
  };
}
