import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { asDict, isOneOf } from "../../core/base.ts";
import { reasonOf, TidemarkError } from "../../core/errors-and-events.ts";

const ADDRESS = "127.0.0.1";
const NAMES = [ADDRESS, "localhost", "[::1]"];

/** The headers of one connection, and of a body's way over it: the next one has its own. */
const OF_THE_CONNECTION =
  /^(?:connection|expect|host|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/;

interface Loopback {
  /** Such as `http://127.0.0.1:4700`. */
  readonly url: string;
  /** Takes no more calls, and cuts those under way. */
  close(): Promise<void>;
}

interface LoopbackOptions {
  /** Default: a free one. */
  readonly port?: number | undefined;
  /** Another address than loopback answers to any name: callers are known by what they send. */
  readonly host?: string | undefined;
  /** It has a page of its own, and answers that of no other port. */
  readonly isSite?: boolean;
}

/**
 * A server for programs of this machine, on loopback alone. A page in a browser reaches it too, by
 * any name that is made to lead here: names and origins of elsewhere are refused with 403. Rejects
 * with "config" where the port is taken.
 */
export async function serveLoopback(
  handle: (request: Request) => Promise<Response>,
  { port = 0, host = ADDRESS, isSite = false }: LoopbackOptions = {},
): Promise<Loopback> {
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  await once(server.listen(port, host), "listening").catch((cause: unknown) => {
    const isTaken = asDict(cause).code === "EADDRINUSE";
    const trouble = isTaken ? "is taken" : `cannot be listened on (${reasonOf(cause)})`;
    throw new TidemarkError("config", `port ${port} ${trouble}: name another one.`, { cause });
  });
  const name = host.includes(":") ? `[${host}]` : host;
  const at = `${name}:${(server.address() as AddressInfo).port}`;

  // The signal of a request that nothing holds any more tells of no hang-up.
  const requests = new WeakMap<ServerResponse, Request>();

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const gone = new AbortController();
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) gone.abort();
    });
    try {
      const refused = refusalOf(incoming, at, isSite);
      if (refused) return await send(refused, outgoing);
      const request = requestOf(incoming, at, gone.signal);
      requests.set(outgoing, request);
      await send(await handle(request), outgoing);
    } catch {
      // A reply that breaks off must not look whole.
      if (outgoing.headersSent) return void outgoing.destroy();
      outgoing.shouldKeepAlive = false;
      await send(said(500, "This went wrong."), outgoing).catch(() => undefined);
    }
  }

  return {
    url: `http://${at}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

const said = (status: number, words: string): Response =>
  new Response(`${words}\n`, { status, headers: { "content-type": "text/plain" } });

function refusalOf(incoming: IncomingMessage, at: string, isSite: boolean): Response | undefined {
  const { method, headers, url = "" } = incoming;
  const { host = "", origin, upgrade } = headers;
  const [, own = "", port = ""] = /^(.*)(:\d+)$/.exec(at) ?? [];
  if (isOneOf(NAMES, own) && !NAMES.some((name) => name + port === host.toLowerCase()))
    return said(403, `This server answers to the address ${at} alone.`);
  const from = URL.parse(origin ?? "");
  const isFromHere = isSite ? from?.host === host.toLowerCase() : isOneOf(NAMES, from?.hostname);
  if (origin !== undefined && !isFromHere)
    return said(403, "This server answers no page from elsewhere.");
  // After this status a client that tries a WebSocket first goes on at once; others it tries again.
  if (upgrade?.toLowerCase() === "websocket") return said(426, "There is no WebSocket here.");
  // A Request could not hold it, and the server behind would wait for it.
  if (isBodiless(method) && (headers["transfer-encoding"] || Number(headers["content-length"])))
    return said(400, `A ${method} takes no body here: leave it out, or send a POST.`);
  return url.startsWith("/") ? undefined : said(400, "The address must begin with a slash.");
}

const isBodiless = (method = "GET"): boolean => method === "GET" || method === "HEAD";

function requestOf(incoming: IncomingMessage, at: string, signal: AbortSignal): Request {
  const { method = "GET", url = "", headersDistinct } = incoming;
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    OF_THE_CONNECTION.test(name) ? [] : values.map((value): [string, string] => [name, value]),
  );
  const body = isBodiless(method) ? null : Readable.toWeb(incoming);
  const init = { method, headers, signal, body, duplex: "half" };
  return new Request(`http://${at}${url}`, init as RequestInit);
}

/** Sends as fast as the other side reads; rejects where it hangs up or the reply breaks off. */
async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  const { status, statusText, body } = response;
  const headers = new Headers(response.headers);
  for (const name of response.headers.keys())
    if (OF_THE_CONNECTION.test(name)) headers.delete(name);
  Object.assign(outgoing, { statusCode: status, statusMessage: statusText });
  outgoing.setHeaders(headers).flushHeaders();
  if (body) await pipeline(Readable.fromWeb(body as never), outgoing);
  else outgoing.end();
}
