import Anthropic from "@anthropic-ai/sdk";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gunzipSync, gzipSync } from "node:zlib";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { createProxy } from "../../src/cli/proxy/proxy.ts";
import { afterwards, freshFolder } from "../support/afterwards.ts";
import { freshServer, freshTidemark, prose, typesOf } from "../support/anthropic.ts";
import type { TimedOptions } from "../support/timed.ts";
import { startCompletionsServer } from "../support/completions-server.ts";
import { startProxy } from "../support/proxy.ts";
import { said, startResponsesServer } from "../support/responses-server.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** An upstream that keeps what comes as bytes. */
async function upstream(answer: (response: ServerResponse, seen: Seen) => void) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(parts) });
      answer(response, seen.at(-1)!);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  afterwards(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

async function proxied(url: string, options: TimedOptions = {}) {
  // Of a window that is named no provider is asked.
  const window = { tokens: 200_000, reserve: 1 };
  const { tidemark, events } = await freshTidemark({ window, ...options });
  const env = { ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: `${url}/v1` };
  return { tidemark, events, ...(await startProxy(tidemark, env)) };
}

/** As no JSON.stringify would write it. */
const ODD = `{ "stream":true,\n "model":"claude-sonnet-5-5","max_tokens":1e2,
  "messages":[ {"role":"user","content":"H\\u00e9llo \u{1f30a}"} ] }`;
const STREAM = [
  'event: message_start\r\ndata: {"type":"message_start","message":{"id":"msg_1","type":"message",',
  '"role":"assistant","model":"claude-sonnet-5-5","content":[],"usage":{"input_tokens":3}}}\r\n\r\n',
  ": a comment\n\nevent: ping\ndata: {}\n\n",
  'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"\u{1f41f}"}}\n\n',
  'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}\n\n',
  'data: {"type":"message_stop"}\n\n',
].join("");

describe("the proxy", () => {
  it("passes a conversation's bytes both ways, its keys too, and keeps no key", async () => {
    const workspace = join(freshFolder(), "ws");
    const { url, seen } = await upstream((response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "x-request-id": "r1" });
      // A character in two writes.
      const bytes = Buffer.from(STREAM);
      for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
      response.end();
    });
    const {
      tidemark,
      events,
      anthropic: messagesUrl,
    } = await proxied(url, {
      ...{ workspace, mode: "observe" },
    });
    const headers = {
      ...{ "x-api-key": "sk-ant-very-secret", "accept-encoding": "br", "anthropic-beta": "a,b" },
      ...{ "content-type": "application/json", "anthropic-version": "2023-06-01" },
    };
    const sent = { method: "POST", body: ODD, headers };
    const response = await fetch(`${messagesUrl}/v1/messages?beta=true`, sent);
    expect(await response.text()).toBe(STREAM);
    expect(response.headers.get("x-request-id")).toBe("r1");
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      ...{ method: "POST", url: "/v1/messages?beta=true", body: Buffer.from(ODD) },
      headers: { ...headers, "accept-encoding": "identity", host: new URL(url).host },
    });
    const [conversation] = await tidemark.history.list();
    const { messages } = await tidemark.history.read({ conversation: conversation!.id });
    expect(JSON.stringify(messages)).toContain("\u{1f41f}");
    await tidemark.close();
    const files = readdirSync(workspace, { recursive: true, withFileTypes: true });
    for (const file of files.filter((one) => one.isFile()))
      expect(readFileSync(join(file.parentPath, file.name)).includes("very-secret")).toBe(false);
    expect(JSON.stringify(events)).not.toContain("very-secret");
  });

  it("leaves all that is no conversation as it is, and compressed what comes compressed", async () => {
    const zipped = gzipSync("pong");
    const { url, seen } = await upstream((response, { method }) => {
      response.writeHead(method === "DELETE" ? 204 : 200, { "content-encoding": "gzip" });
      response.end(method === "DELETE" ? undefined : zipped);
    });
    const { events, url: own, ...at } = await proxied(url);
    const calls: [string, string, (string | Buffer)?][] = [
      ["POST", `${at.anthropic}/v1/messages/count_tokens`, '{"messages":[]}'],
      ["GET", `${at.anthropic}/v1/models/claude?limit=1`],
      ["HEAD", `${at.anthropic}/api/hello`],
      ["POST", `${at.openai}/embeddings`, '{ "input" :"x"}'],
      ["POST", `${at.openai}/files`, Buffer.from([0, 255, 13, 10])],
      ["DELETE", `${at.openai}/responses/resp_1`],
    ];
    for (const [method, to, body] of calls) {
      const init = { method, headers: { "accept-encoding": "gzip" }, body: body ?? null };
      const response = await fetch(to, init);
      expect(await response.text()).toBe(/POST|GET/.test(method) ? "pong" : "");
    }
    expect(seen.map(({ method, url: path }) => `${method} ${path}`)).toEqual([
      ...["POST /v1/messages/count_tokens", "GET /v1/models/claude?limit=1", "HEAD /api/hello"],
      ...["POST /v1/embeddings", "POST /v1/files", "DELETE /v1/responses/resp_1"],
    ]);
    expect(seen.map(({ body }) => body.toString("latin1"))).toEqual(
      calls.map(([, , body]) => (Buffer.isBuffer(body) ? body.toString("latin1") : (body ?? ""))),
    );
    expect(seen.every(({ headers }) => headers["accept-encoding"] === "gzip")).toBe(true);
    expect(events).toEqual([]);
    const elsewhere = await fetch(`${own}/v1/messages`, { method: "POST", body: "{}" });
    expect([elsewhere.status, await elsewhere.text()]).toEqual([
      ...[404, "Calls go below /anthropic or /openai/v1.\n"],
    ]);
  });

  it("passes what it cannot read, and tells", async () => {
    const { url, seen } = await upstream((response) => response.end("{}"));
    const { events, tidemark, ...at } = await proxied(url);
    const bodies = ["nonsense", "[]", "", '{"model":"m"}', gzipSync(ODD)];
    for (const body of bodies)
      for (const to of [
        `${at.anthropic}/v1/messages`,
        `${at.openai}/responses`,
        `${at.openai}/chat/completions`,
      ])
        await fetch(to, { method: "POST", body });
    expect(seen.map(({ body }) => body)).toEqual(
      bodies.flatMap((body) => Array<Buffer>(3).fill(Buffer.from(body))),
    );
    expect(gunzipSync(seen.at(-1)!.body).toString()).toBe(ODD);
    expect(new Set(typesOf(events))).toEqual(new Set(["passed"]));
    expect(await tidemark.history.list()).toEqual([]);
  });

  it("answers in the provider's own form where it is away, or a request can never fit", async () => {
    const { anthropic: messagesUrl, openai: openaiUrl } = await proxied("http://127.0.0.1:9", {
      window: { tokens: 1_000, reserve: 1 },
    });
    const options = { apiKey: "test", logLevel: "off", maxRetries: 0 } as const;
    const anthropic = new Anthropic({ ...options, baseURL: messagesUrl });
    const openai = new OpenAI({ ...options, baseURL: openaiUrl });
    const messages = [{ role: "user" as const, content: "Hello." }];
    const asked = { model: "claude-sonnet-5-5", max_tokens: 100, messages };
    const away = "tidemark: 127.0.0.1:9 could not be reached (ECONNREFUSED).";
    await expect(anthropic.messages.create(asked)).rejects.toMatchObject({
      ...{ status: 502, error: { type: "error", error: { type: "api_error", message: away } } },
    });
    await expect(anthropic.models.list()).rejects.toMatchObject({ status: 502 });
    const asks = { model: "gpt-6.2", messages };
    await expect(openai.chat.completions.create(asks)).rejects.toMatchObject({
      ...{ status: 502, error: { type: "server_error", message: away } },
    });
    const system = prose(3_000, 1);
    await expect(anthropic.messages.create({ ...asked, system })).rejects.toMatchObject({
      status: 400,
      error: { error: { type: "invalid_request_error", message: /^prompt is too long: / } },
    });
    await expect(
      openai.responses.create({ model: "gpt-6.2", instructions: system, input: "Hello." }),
    ).rejects.toMatchObject({ status: 400, code: "context_length_exceeded" });
  });

  // Agents of Node read the environment since 24.5.
  it.skipIf(/^(?:2[23]|24\.[0-4])\./.test(process.versions.node))(
    "reaches providers by way of a company's proxy, where the environment names one",
    async () => {
      const told: string[] = [];
      const company = createServer().on("connect", ({ url = "" }, socket) => {
        told.push(url);
        socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      });
      await new Promise<void>((listening) => company.listen(0, "127.0.0.1", listening));
      afterwards(() => void company.close());
      const { tidemark } = await freshTidemark({ window: { tokens: 200_000, reserve: 1 } });
      const at = `http://127.0.0.1:${(company.address() as AddressInfo).port}`;
      const env = { HTTPS_PROXY: at, ANTHROPIC_BASE_URL: "https://provider.invalid" };
      const { anthropic } = await startProxy(tidemark, env);
      const response = await fetch(`${anthropic}/v1/models`);
      expect(told).toEqual(["provider.invalid:443"]);
      expect(response.status).toBe(502);
      expect(await response.text()).toContain("provider.invalid could not be reached (ERR_PROXY_");
    },
  );

  it("sends on no upload that was cut, cuts a reply that was, and hangs up with its caller", async () => {
    let ended = 0;
    const { url, seen } = await upstream((response, { body }) => {
      response.on("close", () => (ended += 1));
      if (body.includes("silent")) return;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: {}\n\n");
      if (body.includes("cut")) setTimeout(() => response.destroy(), 20);
    });
    const { anthropic: messagesUrl, url: own } = await proxied(url);
    const { host, port } = new URL(own);
    const socket = connect(Number(port), "127.0.0.1");
    await new Promise<void>((sent) =>
      socket.write(
        `POST /anthropic/v1/messages HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 999\r\n\r\n{"mess`,
        () => sent(),
      ),
    );
    socket.destroy();
    const asked = (content: string, signal?: AbortSignal) =>
      fetch(`${messagesUrl}/v1/messages`, {
        ...{ method: "POST", signal: signal ?? null },
        body: JSON.stringify({ model: "claude-x", messages: [{ role: "user", content }] }),
      });
    const response = await asked("cut");
    await expect(response.text()).rejects.toThrow("terminated");
    await expect.poll(() => ended).toBe(1);
    for (const content of ["wait", "silent"]) {
      const hangUp = new AbortController();
      const call = asked(content, hangUp.signal);
      if (content === "wait") await (await call).body!.getReader().read();
      await expect.poll(() => JSON.stringify(seen.at(-1)!.body.toString())).toContain(content);
      // What is collected meanwhile must not be what a hang-up is heard by.
      collect();
      hangUp.abort();
      await call.catch(() => undefined);
      await expect.poll(() => ended).toBe(seen.length);
    }
    expect(seen).toHaveLength(3);
  });

  it("keeps conversations apart by the header that names them", async () => {
    const server = await freshServer();
    const { tidemark, anthropic: messagesUrl } = await proxied(server.url);
    const talk = (id: string) =>
      new Anthropic({
        ...{ baseURL: messagesUrl, apiKey: "test", logLevel: "off" },
        defaultHeaders: { "x-claude-code-session-id": id },
      });
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Hello." }];
    for (const id of ["one", "two", "one"]) {
      const asked = { model: "claude-sonnet-4-6", max_tokens: 100, messages };
      const { content } = await talk(id).messages.create(asked);
      expect(content[0]).toMatchObject({ text: "You said: Hello." });
    }
    const found = (await tidemark.history.list()).map(({ label, messages }) => [label, messages]);
    expect(found.sort()).toEqual([
      ["one", 2],
      ["two", 2],
    ]);
    expect(server.refusals).toEqual([]);
  });
});

describe("a program's own call for a summary", () => {
  const FACT = "The user's boat is called Zephyrine.";
  const DISTILLED = JSON.stringify({
    facts: [{ content: FACT, from: [1], importance: 0.8 }],
    summary: "They spoke of a boat.",
  });

  it("is no turn of Claude Code's: it passes as it is, and what is known is remembered", async () => {
    const server = await freshServer({ distil: () => DISTILLED });
    const { tidemark, anthropic: messagesUrl } = await proxied(server.url);
    const client = new Anthropic({ baseURL: messagesUrl, apiKey: "test" });
    const messages: Anthropic.MessageParam[] = [];
    const asked = { model: "claude-sonnet-4-6", max_tokens: 100 };
    for (let turn = 0; turn < 6; turn++) {
      messages.push({ role: "user", content: `My boat is Zephyrine. ${prose(60, turn)}` });
      const { content } = await client.messages.create({ ...asked, messages });
      messages.push({ role: "assistant", content });
    }
    const [before] = await tidemark.history.list();
    messages.push({ role: "user", content: "CRITICAL: Respond with TEXT ONLY. Do NOT call …" });
    const body = { ...asked, messages };
    await client.messages.create(body);
    expect(
      server.requests.find((one) => JSON.stringify(one.body).includes("TEXT ONLY"))!.body,
    ).toEqual(body);
    await tidemark.idle();
    expect((await tidemark.memory.list()).map(({ content }) => content)).toEqual([FACT]);
    const [after, ...others] = await tidemark.history.list();
    expect([after!.messages, others]).toEqual([before!.messages, []]);
    const tooLong = {
      status: 400,
      type: "invalid_request_error",
      message: "prompt is too long: 9",
    };
    server.script({
      fail: ({ messages: sent }) => (Object(sent).length > 12 ? tooLong : undefined),
    });
    await client.messages.create(body);
    expect(server.requests.at(-1)!.body.messages).toEqual(
      expect.arrayContaining([messages.at(-1)]),
    );
  });

  it("is none of OpenAI's either, by either way", async () => {
    const server = await startResponsesServer({ reply: () => [said(DISTILLED)] });
    afterwards(() => server.close());
    const { tidemark, openai: openaiUrl } = await proxied(new URL(server.url).origin);
    const client = new OpenAI({ baseURL: openaiUrl, apiKey: "test", logLevel: "off" });
    const input: OpenAI.Responses.ResponseInput = [];
    const ask = () => client.responses.create({ model: "gpt-6.2", input });
    for (let turn = 0; turn < 6; turn++) {
      input.push({ role: "user", content: `My boat is Zephyrine. ${prose(60, turn)}` });
      input.push(...((await ask()).output as OpenAI.Responses.ResponseInput));
    }
    await client.post("/responses/compact", { body: { model: "gpt-6.2", input } });
    await tidemark.idle();
    expect((await tidemark.memory.list()).map(({ content }) => content)).toEqual([FACT]);
    const { turn } = (await tidemark.stats()).calls;
    input.push({ type: "compaction_trigger" } as never);
    await ask().catch(() => undefined);
    expect(server.requests.at(-1)!.input).toEqual(input);
    expect((await tidemark.stats()).calls.turn).toEqual(turn);
    expect(await tidemark.history.list()).toHaveLength(1);
  });
});

it("streams chat completions byte for byte, without the usage nobody asked for", async () => {
  const server = await startCompletionsServer();
  afterwards(() => server.close());
  const { openai: openaiUrl } = await proxied(new URL(server.url).origin);
  const body = { model: "m", stream: true, messages: [{ role: "user", content: "Hello." }] };
  const texts = [];
  for (const url of [server.url, openaiUrl]) {
    const sent = { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${url}/chat/completions`, sent);
    texts.push((await response.text()).replaceAll(/chatcmpl-\d/g, "id"));
  }
  expect(texts[1]).toBe(texts[0]);
  expect(server.requests[1]).toMatchObject({ stream_options: { include_usage: true } });
});

it("answers only those who know the path it was put below", async () => {
  const { tidemark } = await freshTidemark();
  const handle = createProxy(tidemark, { env: {}, below: "/secret" });
  for (const path of ["/openai/v1/models", "/other/openai/v1/models", "/secret"])
    expect((await handle(new Request(`http://127.0.0.1${path}`))).status).toBe(404);
});

describe("addresses that lead nowhere", () => {
  it.each([
    ["OPENAI_API_BASE", "nonsense", "must be an address such as https://api.openai.com/v1, got"],
    ["ANTHROPIC_BASE_URL", "ftp://x", "must be an address such as https://api.anthropic.com, got"],
    ["ANTHROPIC_BASE_URL", "http://localhost:4747/anthropic", "leads to this proxy itself"],
  ])("are refused: %s=%s", async (name, url, words) => {
    const { tidemark } = await freshTidemark();
    expect(() => createProxy(tidemark, { env: { [name]: url }, port: 4747 })).toThrow(words);
  });
});
