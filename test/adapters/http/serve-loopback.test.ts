import { request as plainRequest } from "node:http";
import { connect } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { serveLoopback } from "../../../src/adapters/http/serve-loopback.ts";
import { afterwards } from "../../support/afterwards.ts";

type Handle = (request: Request) => Promise<Response>;

async function serving(handle: Handle, options?: Parameters<typeof serveLoopback>[1]) {
  const server = await serveLoopback(handle, options);
  afterwards(() => server.close());
  return server;
}

/** A call with headers that `fetch` would not send. */
const called = (url: string, headers: Record<string, string>, body?: string): Promise<number> =>
  new Promise((resolve, reject) => {
    plainRequest(url, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .once("error", reject)
      .end(body);
  });

/** Bytes of every value, more than one write holds. */
const BYTES = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7 + (index >> 8)) % 256);

it("hands over a request and its answer byte for byte, and each connection's own headers not", async () => {
  const { url } = await serving(async (request) => {
    const { pathname, search } = new URL(request.url);
    const headers = new Headers({ "x-path": pathname + search, connection: "close" });
    for (const name of ["a=1", "b=2; HttpOnly"]) headers.append("set-cookie", name);
    headers.set("x-names", [...request.headers.keys()].join());
    return new Response(request.body, { status: 201, statusText: "Made", headers });
  });
  const sent = { method: "POST", body: BYTES, headers: { "x-mine": "1" } };
  const response = await fetch(`${url}//v1/messages?beta=true&q=%2F`, sent);
  expect(response).toMatchObject({ status: 201, statusText: "Made" });
  expect(response.headers.get("x-path")).toBe("//v1/messages?beta=true&q=%2F");
  expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2; HttpOnly"]);
  expect(response.headers.get("connection")).toBe("keep-alive");
  expect(response.headers.get("x-names")?.split(",")).toContain("x-mine");
  expect(response.headers.get("x-names")).not.toMatch(/\b(?:host|connection)\b/);
  expect(Buffer.from(await response.arrayBuffer()).equals(BYTES)).toBe(true);
  const bare = await serving(async ({ method, body }) => {
    return new Response(null, { status: 204, headers: { "x-was": `${method} ${String(body)}` } });
  });
  expect((await fetch(bare.url)).headers.get("x-was")).toBe("GET null");
});

it("sends each piece as it comes, no faster than it is read, and ends where the reader hangs up", async () => {
  let [pulled, aborted] = [0, false];
  const ended = Promise.withResolvers<unknown>();
  const { url } = await serving(async ({ signal }) => {
    signal.addEventListener("abort", () => (aborted = true));
    const piece = new Uint8Array(100_000);
    const source = {
      pull(controller: ReadableStreamDefaultController) {
        pulled += 1;
        controller.enqueue(piece);
      },
      cancel: ended.resolve,
    };
    return new Response(new ReadableStream(source));
  });
  const hangUp = new AbortController();
  const { body } = await fetch(url, { signal: hangUp.signal });
  const reader = body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  let before = -1;
  while (pulled > before) {
    before = pulled;
    for (let rest = 0; rest < 200; rest++) await turn();
  }
  // All that is under way stands in buffers of the two sockets.
  expect(pulled).toBeLessThan(400);
  hangUp.abort();
  await ended.promise;
  await expect.poll(() => aborted).toBe(true);
});

it("cuts a reply that breaks off, so that it does not look whole", async () => {
  const { url } = await serving(async () => {
    const pieces = [new TextEncoder().encode("half a")];
    const source = {
      pull(controller: ReadableStreamDefaultController) {
        const piece = pieces.shift();
        if (piece) controller.enqueue(piece);
        else controller.error(new Error("upstream is gone"));
      },
    };
    return new Response(new ReadableStream(source));
  });
  const response = await fetch(url);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow("terminated");
});

it("refuses names and origins of elsewhere, WebSockets, and addresses that are no path", async () => {
  const { url } = await serving(async () => new Response("here"));
  const { port } = new URL(url);
  const statuses: Record<string, number> = {};
  for (const host of [
    `localhost:${port}`,
    `LOCALHOST:${port}`,
    `127.0.0.1:${port}`,
    `[::1]:${port}`,
  ])
    expect(await called(url, { host }), host).toBe(200);
  for (const host of [
    "localhost",
    `evil.com:${port}`,
    `evil.com`,
    `localhost.evil.com:${port}`,
    `localhost:1${port}`,
  ])
    statuses[host] = await called(url, { host });
  for (const origin of ["https://evil.com", "null", "file://", "http://localhost.evil.com"])
    statuses[origin] = await called(url, { origin });
  expect(new Set(Object.values(statuses)), JSON.stringify(statuses)).toEqual(new Set([403]));
  for (const origin of ["http://localhost:3000", "http://127.0.0.1:1", "http://[::1]:5173"])
    expect(await called(url, { origin }), origin).toBe(200);
  expect(await called(url, { connection: "upgrade", upgrade: "websocket" })).toBe(426);
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(`GET http://evil.com/ HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
  const [answer] = await new Promise<Buffer[]>((resolve) => {
    socket.once("data", (data: Buffer) => resolve([data]));
  });
  socket.destroy();
  expect(String(answer)).toMatch(/^HTTP\/1\.1 400/);
});

it("says what a handler could not do in fixed words", async () => {
  const failing = await serving(() => Promise.reject(new Error("a secret of /home/ada")));
  const failed = await fetch(failing.url);
  expect([failed.status, await failed.text()]).toEqual([500, "This went wrong.\n"]);
});

it("says in one sentence that a port is taken, and gives it free with what is under way", async () => {
  const { url, close } = await serving(() => new Promise<Response>(() => undefined));
  const port = Number(new URL(url).port);
  await expect(serveLoopback(async () => new Response(), { port })).rejects.toMatchObject({
    code: "config",
    message: `port ${port} is taken: name another one.`,
  });
  const waiting = fetch(url).catch((thrown: unknown) => thrown);
  await turn();
  await close();
  expect(await waiting).toBeInstanceOf(TypeError);
  await serving(async () => new Response(), { port });
});
