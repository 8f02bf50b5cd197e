import Anthropic from "@anthropic-ai/sdk";
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
