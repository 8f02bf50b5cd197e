import { dictIn } from "../../core/base.ts";
import { asOurs, reasonOf } from "../../core/errors-and-events.ts";
import type { Identity } from "../../core/identity.ts";
import type { Tidemark } from "../../session/options/tidemark-api.ts";

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

/** ms by which a call beside the caller's ends before the client library's own timer would. */
const EARLIER = 100;

/**
 * Sends what the caller did not ask for. A client library times every call made through `next` and,
 * when one is late, aborts the caller's request, whose reply may just be streaming: a call beside
 * it must have ended by then.
 */
export function beside(send: Next, timeout: unknown): Next {
  return async (request) => {
    if (typeof timeout !== "number") return send(request);
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

/**
 * What a refused request was refused with, in the shape of the libraries' errors; undefined for all
 * that is no refusal.
 */
export async function refusalOf(response: Response): Promise<object | undefined> {
  if (response.ok || response.status === 429 || response.status >= 500) return undefined;
  const { status } = response;
  const message = (await response.clone().text()).slice(0, 20_000);
  const error = dictIn(message);
  return error ? { status, message: reasonOf(error), error } : { status, message };
}

/** Puts a reply together from the bytes of a stream. */
interface ReplyReader {
  push(bytes: Uint8Array): void;
  /** The reply as far as it came; undefined where none began. */
  message(): object | undefined;
  complete(): boolean;
}

/**
 * Hands the bytes of a stream on as they come and reads along. The stream ends for the caller once
 * `end` has taken the reply.
 */
export function watchedStream(
  response: Response,
  reply: ReplyReader,
  end: (reply: object) => Promise<void>,
): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  let ended = false;
  const archive = async (): Promise<void> => {
    if (ended) return;
    ended = true;
    const message = reply.message();
    if (message) await end(message);
  };
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (value) {
          reply.push(value);
          // A reader of the last event may call again at once: the reply must be there by then.
          if (reply.complete()) await archive();
          controller.enqueue(value);
        }
        if (done) {
          await archive();
          controller.close();
        }
      } catch (thrown) {
        await archive();
        controller.error(thrown);
      }
    },
    async cancel(reason) {
      await archive();
      await reader.cancel(reason);
    },
  });
  const made = new Response(body, response);
  // A made response has no address; the SDK logs it.
  Object.defineProperty(made, "url", { value: response.url });
  return made;
}

/** An identity that cannot be told apart is not answered in another's name. */
export async function speakerOf<R>(
  tidemark: Tidemark,
  request: R,
  identity: (request: R) => Identity | Promise<Identity>,
  adapter: string,
): Promise<Tidemark> {
  try {
    return tidemark.as(await identity(request));
  } catch (thrown) {
    throw asOurs(thrown, "config", (reason) => `${adapter}: identity(request) failed: ${reason}.`);
  }
}
