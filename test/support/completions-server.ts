import { createServer, type IncomingMessage } from "node:http";

type Json = Record<string, unknown>;

/** A server that refuses what the real one refuses. */
export interface StrictServer {
  readonly url: string;
  readonly requests: readonly Json[];
  readonly refusals: readonly string[];
  /** Paths that were asked for. */
  readonly paths: readonly string[];
  close(): Promise<void>;
}

const FIELDS = new Set(
  "model messages tools tool_choice parallel_tool_calls max_tokens max_completion_tokens temperature top_p n stop stream stream_options response_format seed user metadata reasoning_effort logprobs store prompt_cache_key".split(
    " ",
  ),
);
const MEMBERS = new Set(
  "role content name tool_calls tool_call_id refusal annotations audio".split(" "),
);
const ROLES = new Set(["system", "developer", "user", "assistant", "tool"]);

function refusalOf(body: Json, lenient: boolean): string | undefined {
  const unknown = Object.keys(body).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) return `Unrecognized request argument supplied: ${unknown}`;
  if (JSON.stringify(body).includes('"cache_control"'))
    return "Unknown parameter: 'cache_control'.";
  const messages = body.messages as Json[];
  if (!Array.isArray(messages) || messages.length === 0) return "messages must not be empty";
  let open = new Set<unknown>();
  for (const [at, message] of messages.entries()) {
    const odd = Object.keys(message).find((name) => !MEMBERS.has(name));
    if (odd !== undefined) return `Unknown parameter: 'messages[${at}].${odd}'.`;
    if (!ROLES.has(String(message.role))) return `Invalid value: messages[${at}].role`;
    if (at > 0 && (message.role === "system" || message.role === "developer"))
      return "System message must be at the beginning.";
    const before = messages[at - 1]?.role;
    if (!lenient && before === message.role && message.role !== "tool")
      return "Conversation roles must alternate user/assistant/user/assistant/...";
    if (message.role === "tool" && !open.delete(message.tool_call_id))
      return `messages[${at}]: a message with role 'tool' must be a response to a preceding message with 'tool_calls'.`;
    if (message.role !== "tool" && open.size > 0)
      return "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";
    if (message.role === "assistant")
      open = new Set(((message.tool_calls ?? []) as Json[]).map(({ id }) => id));
  }
  return undefined;
}

/**
 * A server of Chat Completions that refuses what OpenAI's refuses (fields it does not know, roles,
 * calls without their results), and what templates of open models refuse: a system message that is
 * not the first, and one voice twice in a row.
 * `reply`: what the model says to a request; default: its last words. `window`: tokens of four characters; beyond it requests are
 * refused. `cuts`: it reads no more tokens than that and says nothing of the rest, as local servers do.
 */
export async function startCompletionsServer({
  lenient = false,
  cuts = Infinity,
  reply = (body: Json) => ({
    content: `You said: ${String((body.messages as Json[]).at(-1)?.content)}`,
  }),
  window = 128_000,
  models = [],
  refuses = () => undefined,
  fails = () => undefined,
}: {
  /** What else it does not take. */
  refuses?: (body: Json) => string | undefined;
  /** Of requests, counted from 0: a status to refuse it with, or a stream that breaks off. */
  fails?: (count: number) => number | "cut" | undefined;
  cuts?: number;
  /** What it lists; by default nothing. */
  models?: readonly Json[];
  reply?: (body: Json) => Json;
  /** Takes one voice twice in a row, as OpenAI does. */
  lenient?: boolean;
  window?: number;
} = {}): Promise<StrictServer> {
  let count = 0;
  const requests: Json[] = [];
  const [refusals, paths]: [string[], string[]] = [[], []];
  const answer = (body: Json): { status: number; body: Json } => {
    requests.push(body);
    const tokens = Math.ceil(JSON.stringify([body.messages, body.tools ?? []]).length / 4);
    const refusal =
      refusalOf(body, lenient) ??
      refuses(body) ??
      (tokens > window
        ? `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens.`
        : undefined);
    if (refusal !== undefined) {
      refusals.push(refusal);
      return {
        status: 400,
        body: {
          error: {
            message: refusal,
            type: "invalid_request_error",
            code: tokens > window ? "context_length_exceeded" : null,
            param: null,
          },
        },
      };
    }
    const message = { role: "assistant", refusal: null, content: null, ...reply(body) };
    const counted = Math.min(tokens, cuts);
    const usage = {
      prompt_tokens: counted,
      completion_tokens: 20,
      total_tokens: counted + 20,
      prompt_tokens_details: { cached_tokens: 0 },
    };
    const finish = "tool_calls" in message ? "tool_calls" : "stop";
    return {
      status: 200,
      body: {
        id: `chatcmpl-${requests.length}`,
        object: "chat.completion",
        created: 1,
        model: body.model,
        choices: [{ index: 0, message, finish_reason: finish, logprobs: null }],
        usage,
      },
    };
  };
  const server = createServer((request, response) => {
    void read(request).then((text) => {
      paths.push(request.url ?? "");
      if (request.method === "GET") {
        response.writeHead(request.url?.endsWith("/v1/models") ? 200 : 404);
        return response.end(JSON.stringify({ object: "list", data: models }));
      }
      const failure = fails(count++);
      if (typeof failure === "number") {
        response.writeHead(failure, { "content-type": "application/json" });
        return response.end('{"error":{"message":"Try again.","type":"server_error"}}');
      }
      const asked = JSON.parse(text) as Json;
      const { status, body } = answer(asked);
      if (status === 200 && asked.stream === true) {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const chunks = chunksOf(body, asked);
        for (const chunk of failure === "cut" ? chunks.slice(0, 3) : chunks)
          response.write(`data: ${JSON.stringify(chunk)}\n\n`);
        if (failure === "cut") return setTimeout(() => response.destroy(), 20);
        return response.end("data: [DONE]\n\n");
      }
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    refusals,
    paths,
    close: () => new Promise((closed) => server.close(() => closed())),
  };
}

/** The completion as it is streamed: the role, words in pieces, calls in pieces, the end, and the usage where it was asked for. */
function chunksOf(body: Json, asked: Json): Json[] {
  const [{ message, finish_reason: finish }] = body.choices as [
    { message: Json; finish_reason: string },
  ];
  const chunk = (delta: Json, end: string | null = null): Json => ({
    id: body.id,
    object: "chat.completion.chunk",
    created: 1,
    model: body.model,
    choices: [{ index: 0, delta, finish_reason: end, logprobs: null }],
  });
  const words =
    typeof message.content === "string" ? (message.content.match(/[\s\S]{1,12}/g) ?? []) : [];
  const calls = (
    (message.tool_calls ?? []) as {
      id: string;
      type: string;
      function: { name: string; arguments: string };
    }[]
  ).flatMap(({ id, type, function: { name, arguments: given } }, index) => [
    chunk({ tool_calls: [{ index, id, type, function: { name, arguments: "" } }] }),
    ...(given.match(/[\s\S]{1,8}/g) ?? []).map((part) =>
      chunk({ tool_calls: [{ index, function: { arguments: part } }] }),
    ),
  ]);
  const usage =
    (asked.stream_options as { include_usage?: boolean } | undefined)?.include_usage === true
      ? [{ ...chunk({}), choices: [], usage: body.usage }]
      : [];
  return [
    chunk({ role: "assistant", content: "" }),
    ...words.map((content) => chunk({ content })),
    ...calls,
    chunk({}, finish),
    ...usage,
  ];
}

async function read(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request) text += String(part);
  return text;
}
