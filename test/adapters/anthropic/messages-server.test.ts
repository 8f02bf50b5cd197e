import { request as httpRequest } from "node:http";
import { setImmediate } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { afterEach, describe, expect, it } from "vitest";
import {
  type MessagesServer,
  type ServerOptions,
  startMessagesServer,
} from "../../support/messages-server/index.ts";

const MODEL = "claude-sonnet-5-5";
const hello = {
  model: MODEL,
  max_tokens: 400,
  messages: [{ role: "user" as const, content: "Grüße aus 東京 🗼!" }],
};

const running: MessagesServer[] = [];
async function start(
  options: ServerOptions = {},
  retries = 0,
): Promise<{ server: MessagesServer; client: Anthropic }> {
  const server = await startMessagesServer(options);
  running.push(server);
  return {
    server,
    client: new Anthropic({ baseURL: server.url, apiKey: "test", maxRetries: retries }),
  };
}
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

const caught = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("the endpoints, through the real SDK", () => {
  it("answers create with what it read, counted", async () => {
    const { server, client } = await start();
    const reply = await client.messages.create(hello);
    expect(reply).toMatchObject({
      type: "message",
      role: "assistant",
      model: MODEL,
      stop_reason: "end_turn",
    });
    expect(reply.content).toEqual([
      { type: "text", text: "You said: Grüße aus 東京 🗼!", citations: null },
    ]);
    expect(reply.usage.input_tokens).toBe(server.requests[0]!.tokens);
    expect(server.usage).toEqual({
      input: reply.usage.input_tokens,
      cacheWrite: 0,
      cacheRead: 0,
      output: reply.usage.output_tokens,
    });
  });

  it("gives the request id in the header, where the SDK looks for it", async () => {
    const { client } = await start();
    const { request_id } = await client.messages.create(hello).withResponse();
    expect(request_id).toMatch(/^req_/);
  });

  it("streams the same reply as it creates", async () => {
    const blocks = [
      {
        type: "thinking",
        thinking: "Ein längerer Gedanke über 東京, der in mehr als ein Stück geteilt wird 🗼🗼🗼.",
      },
      { type: "text", text: "Viele Grüße zurück — 你好，世界！ ".repeat(12).trim() },
      { type: "tool_use", name: "look", input: { where: "東京", deep: { n: [1, 2, 3] } } },
      { type: "tool_use", name: "look", input: {} },
    ];
    const { client } = await start({ reply: () => blocks });
    const request = {
      ...hello,
      tools: [{ name: "look", input_schema: { type: "object" as const } }],
    };
    const whole = await client.messages.create(request);
    const streamed = await client.messages.stream(request).finalMessage();
    const shape = ({ content, stop_reason, usage }: Anthropic.Message) =>
      JSON.parse(JSON.stringify({ content, stop_reason, usage }).replace(/toolu_\w+/g, "id"));
    expect(shape(streamed)).toEqual(shape(whole));
    expect(whole.stop_reason).toBe("tool_use");
  });

  it("streams every kind of event", async () => {
    const { client } = await start({
      reply: () => [
        { type: "thinking", thinking: "Hm." },
        { type: "tool_use", name: "look", input: { at: "x" } },
      ],
    });
    const seen = new Set<string>();
    const stream = await client.messages.create({
      ...hello,
      stream: true,
      tools: [{ name: "look", input_schema: { type: "object" } }],
    });
    for await (const event of stream)
      seen.add(event.type === "content_block_delta" ? event.delta.type : event.type);
    expect([...seen].sort()).toEqual(
      "content_block_start content_block_stop input_json_delta message_delta message_start message_stop signature_delta thinking_delta".split(
        " ",
      ),
    );
  });

  it("serves the beta client, with the beta's fields", async () => {
    const { server, client } = await start();
    const reply = await client.beta.messages.create({
      ...hello,
      betas: ["context-management-2025-06-27"],
    });
    expect(reply.context_management).toBeNull();
    expect(server.requests[0]).toMatchObject({ path: "/v1/messages", beta: true });
    const streamed = await client.beta.messages.stream(hello).finalMessage();
    expect(streamed.content).toMatchObject(reply.content);
  });

  it("carries a tool runner through parallel calls to the end", async () => {
    const { server, client } = await start({
      reply: (_request, { index }) =>
        index === 0
          ? [
              { type: "tool_use", name: "add", input: { a: 1, b: 2 } },
              { type: "tool_use", name: "add", input: { a: 3, b: 4 } },
            ]
          : "The sums are 3 and 7.",
    });
    const add = betaTool({
      name: "add",
      description: "adds",
      inputSchema: {
        type: "object",
        properties: { a: { type: "number" }, b: { type: "number" } },
        required: ["a", "b"],
      },
      run: ({ a, b }) => String(Number(a) + Number(b)),
    });
    const last = await client.beta.messages.toolRunner({ ...hello, tools: [add], thread: false });
    expect(last.content).toMatchObject([{ type: "text", text: "The sums are 3 and 7." }]);
    expect(server.refusals).toEqual([]);
    expect(server.requests).toHaveLength(2);
  });

  it("counts tokens as create will", async () => {
    const { client } = await start();
    const { max_tokens: _most, ...body } = {
      ...hello,
      system: "Be kind.",
      tools: [{ name: "look", input_schema: { type: "object" as const } }],
    };
    const { input_tokens } = await client.messages.countTokens(body);
    const reply = await client.messages.create({ ...body, max_tokens: 10 });
    expect(reply.usage.input_tokens).toBe(input_tokens);
  });

  it("knows its models, their windows, and no others", async () => {
    const { client } = await start({
      window: 16_000,
      models: { "my-model": { max_input_tokens: 9_000, max_tokens: 500 } },
    });
    expect(await client.models.retrieve(MODEL)).toMatchObject({
      id: MODEL,
      max_input_tokens: 16_000,
      line: "sonnet",
    });
    expect(await client.models.retrieve("my-model")).toMatchObject({
      max_input_tokens: 9_000,
      max_tokens: 500,
    });
    expect(await caught(client.models.retrieve("gpt-9"))).toMatchObject({
      status: 404,
      type: "not_found_error",
    });
    expect(await caught(client.messages.create({ ...hello, model: "gpt-9" }))).toMatchObject({
      status: 404,
      apiMessage: "model: gpt-9",
    });
  });

  it("reads a body whose chunks end in the middle of a character", async () => {
    const { server } = await start();
    const bytes = Buffer.from(JSON.stringify(hello));
    const middle = bytes.findIndex((byte) => byte >= 0xf0) + 2;
    const headers = {
      "x-api-key": "k",
      "anthropic-version": "2023-06-01",
      "content-type": "application/json",
    };
    const answered = new Promise<number>((resolve, reject) => {
      const post = httpRequest(
        `${server.url}/v1/messages`,
        { method: "POST", headers },
        (response) => {
          response.resume();
          response.on("end", () => resolve(response.statusCode ?? 0));
        },
      );
      post.on("error", reject);
      post.write(
        bytes.subarray(0, middle),
        () => void setImmediate().then(() => post.end(bytes.subarray(middle))),
      );
    });
    expect(await answered).toBe(200);
    expect(server.requests[0]!.body).toEqual(hello);
  });

  it("refuses in the API's own form", async () => {
    const { server, client } = await start();
    const error = await caught(client.messages.create({ ...hello, messages: [] }));
    expect(error).toBeInstanceOf(Anthropic.BadRequestError);
    expect(error).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      error: {
        type: "error",
        error: {
          type: "invalid_request_error",
          message: "messages: at least one message is required",
        },
      },
    });
    expect((error as { error: { request_id: string } }).error.request_id).toBe(
      (error as { requestID: string }).requestID,
    );
    expect(server.refusals).toMatchObject([
      { index: 0, message: "messages: at least one message is required" },
    ]);
  });

  it("wants a key, a version and JSON", async () => {
    const { server } = await start();
    const post = async (headers: Record<string, string>, body: string) => {
      const response = await fetch(`${server.url}/v1/messages`, { method: "POST", headers, body });
      return [response.status, ((await response.json()) as { error: { type: string } }).error.type];
    };
    expect(await post({}, "{}")).toEqual([401, "authentication_error"]);
    expect(await post({ "x-api-key": "k" }, "{}")).toEqual([400, "invalid_request_error"]);
    expect(await post({ "x-api-key": "k", "anthropic-version": "2023-06-01" }, "{oops")).toEqual([
      400,
      "invalid_request_error",
    ]);
    expect(
      await caught(new Anthropic({ baseURL: server.url, apiKey: "k" }).get("/v1/nothing")),
    ).toMatchObject({ status: 404 });
  });
});

describe("replies", () => {
  it("stops at max_tokens and at a stop sequence", async () => {
    const { client } = await start({
      reply: () => "one two three four five six seven eight nine ten ".repeat(20),
    });
    const cut = await client.messages.create({ ...hello, max_tokens: 20 });
    expect(cut.stop_reason).toBe("max_tokens");
    expect(cut.usage.output_tokens).toBeLessThanOrEqual(20);
    const stopped = await client.messages.create({ ...hello, stop_sequences: [" four"] });
    expect(stopped).toMatchObject({
      stop_reason: "stop_sequence",
      stop_sequence: " four",
      content: [{ text: "one two three" }],
    });
  });

  it("answers in the tool or the form the request binds it to", async () => {
    const { client } = await start();
    const tools = [{ name: "look", input_schema: { type: "object" as const } }];
    const forced = await client.messages.create({ ...hello, tools, tool_choice: { type: "any" } });
    expect(forced).toMatchObject({
      stop_reason: "tool_use",
      content: [{ type: "tool_use", name: "look" }],
    });
    const formed = await client.messages.create({
      ...hello,
      output_config: { format: { type: "json_schema", schema: { type: "object" } } },
    });
    expect(formed.content).toMatchObject([{ text: "{}" }]);
  });

  it("gives each call an id of its own, also after it was started anew", async () => {
    const reply = () => [{ type: "tool_use", name: "look", input: {} }];
    const ids = new Set<unknown>();
    for (const said of ["one", "two"]) {
      const { client } = await start({ reply });
      const tools = [{ name: "look", input_schema: { type: "object" as const } }];
      const answer = await client.messages.create({
        ...hello,
        tools,
        messages: [{ role: "user", content: said }],
      });
      ids.add((answer.content[0] as { id: string }).id);
    }
    expect(ids.size).toBe(2);
  });

  it("keeps only the newest requests where it was told to", async () => {
    const { server, client } = await start({ keep: 2 });
    for (let i = 0; i < 4; i += 1) await client.messages.create(hello);
    expect(server.requests.map(({ index }) => index)).toEqual([2, 3]);
  });
});

describe("failures", () => {
  it.each([
    ["rate-limit", 429, "rate_limit_error"],
    ["overloaded", 529, "overloaded_error"],
    ["error", 500, "api_error"],
  ] as const)("plays %s, and the SDK's retry gets through", async (failure, status, type) => {
    const { client } = await start({ fail: [failure] });
    expect(await caught(client.messages.create(hello))).toMatchObject({ status, type });
    const patient = await start({ fail: [failure, undefined] }, 2);
    expect((await patient.client.messages.create(hello)).stop_reason).toBe("end_turn");
    expect(patient.server.requests.map((request) => request.status)).toEqual([status, 200]);
  });

  it("hangs until the client gives up", async () => {
    const controller = new AbortController();
    const { client } = await start({
      fail: (_request, { index }) => {
        if (index > 0) return undefined;
        controller.abort();
        return "hang";
      },
    });
    const work = caught(client.messages.create(hello, { signal: controller.signal }));
    expect(await work).toBeInstanceOf(Anthropic.APIUserAbortError);
    expect((await client.messages.create(hello)).stop_reason).toBe("end_turn");
  });

  it("cuts the line before the answer", async () => {
    const { client } = await start({ fail: ["disconnect"] });
    expect(await caught(client.messages.create(hello))).toBeInstanceOf(
      Anthropic.APIConnectionError,
    );
  });

  it("cuts a stream after so many events, and what came before has arrived", async () => {
    const { client } = await start({ fail: [{ cutAfter: 5 }], reply: () => "word ".repeat(100) });
    const stream = client.messages.stream(hello);
    let text = "";
    stream.on("text", (delta) => (text += delta));
    expect(await caught(stream.finalMessage())).toBeInstanceOf(Error);
    // message_start, content_block_start, ping and two deltas of 48 characters.
    expect(text).toBe("word ".repeat(100).slice(0, 96));
  });

  it("cuts an answer in the middle", async () => {
    const { client } = await start({ fail: [{ cutAfter: 0 }] });
    expect(await caught(client.messages.create(hello))).toBeInstanceOf(Error);
  });

  it("answers junk, streamed or not", async () => {
    const { client } = await start({ fail: ["junk", "junk"] });
    expect(await caught(client.messages.create(hello))).toBeInstanceOf(Error);
    expect(await caught(client.messages.stream(hello).finalMessage())).toBeInstanceOf(Error);
  });

  it("fails by choice, and otherwise from now on when told", async () => {
    const { server, client } = await start({
      fail: (_request, { index }) => (index === 1 ? "error" : undefined),
    });
    const seen = [];
    for (let i = 0; i < 3; i += 1)
      seen.push((await caught(client.messages.create(hello))) === undefined);
    expect(seen).toEqual([true, false, true]);
    server.script({ fail: undefined, reply: () => "Changed." });
    expect((await client.messages.create(hello)).content).toMatchObject([{ text: "Changed." }]);
  });
});
