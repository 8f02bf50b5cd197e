import { type IncomingMessage, request as overHttp } from "node:http";
import { Agent, request as overHttps } from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Fetch } from "../../adapters/http/fetch.ts";

/** Statuses of responses without a body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * A `fetch` that passes what it gets: the platform's own gives up on a model that thinks for five
 * minutes, follows redirects, and unpacks replies. Node's agents go by way of a company's proxy
 * that the environment names (since 24.5; older ones go straight); it knows nothing of plain
 * addresses, which are of this machine.
 */
export function sending(proxyEnv: NodeJS.ProcessEnv): Fetch {
  const agent = new Agent({ keepAlive: true, timeout: 5_000, proxyEnv });
  return async (url, { method = "GET", headers, body, signal } = {}) => {
    const to = new URL(url instanceof Request ? url.url : url);
    const isPlain = to.protocol === "http:";
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const request = (isPlain ? overHttp : overHttps)(to, {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...(signal && { signal }),
      ...(!isPlain && { agent }),
    });
    request.once("response", resolve).on("error", reject);
    if (body instanceof ReadableStream)
      pipeline(Readable.fromWeb(body as never), request).catch(reject);
    else request.end(body ?? undefined);
    return responseOf(await promise, method);
  };
}

function responseOf(answer: IncomingMessage, method: string): Response {
  const { statusCode: status = 502, statusMessage: statusText = "", headersDistinct } = answer;
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const isBare = method === "HEAD" || BODILESS.has(status);
  if (isBare) answer.resume();
  const body = isBare ? null : Readable.toWeb(answer);
  return new Response(body as ReadableStream<Uint8Array> | null, { status, statusText, headers });
}
