import { createServer, type IncomingMessage } from "node:http";
import type { StrictServer } from "./completions-server.ts";

type Json = Record<string, unknown>;

const FIELDS = new Set(
  "model input prompt instructions tools tool_choice parallel_tool_calls max_output_tokens temperature top_p stream store metadata reasoning include text truncation user service_tier prompt_cache_key safety_identifier previous_response_id conversation background".split(
    " ",
  ),
);
const CALLS = new Set(["function_call", "custom_tool_call"]);
const OUTPUTS = new Set(["function_call_output", "custom_tool_call_output"]);

function refusalOf(body: Json): string | undefined {
  const unknown = Object.keys(body).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) return `Unknown parameter: '${unknown}'.`;
  if (typeof body.input === "string") return body.input === "" ? "Missing input." : undefined;
  if (!Array.isArray(body.input) || body.input.length === 0)
    return "Missing required parameter: 'input'.";
  if (body.instructions !== undefined && typeof body.instructions !== "string")
    return "Invalid type for 'instructions': expected a string.";
  const items = body.input as Json[];
  const open = new Set<unknown>();
  for (const [at, item] of items.entries()) {
    const type = item.type ?? "message";
    if (type === "reasoning") {
      const next = items[at + 1];
      if (next?.role !== "assistant" && !/_call$/.test(String(next?.type)))
        return `Item '${String(item.id)}' of type 'reasoning' was provided without its required following item.`;
    } else if (CALLS.has(String(type))) {
      const bound = item.id !== undefined && THOUGHT.has(String(item.id));
      if (bound && items[at - 1]?.type !== "reasoning" && !CALLS.has(String(items[at - 1]?.type)))
        return `Item '${String(item.id)}' of type '${String(type)}' was provided without its required 'reasoning' item.`;
      open.add(item.call_id);
    } else if (OUTPUTS.has(String(type))) {
      if (!open.delete(item.call_id))
        return `No tool call found for function call output with call_id ${String(item.call_id)}.`;
    } else if (type === "message") {
      const parts = Array.isArray(item.content) ? (item.content as Json[]) : [];
      const wanted = item.role === "assistant" ? /^(?:output_text|refusal)$/ : /^input_/;
      const odd = parts.find((part) => !wanted.test(String(part.type)));
      if (odd) return `Invalid value: '${String(odd.type)}' in 'input[${at}].content'.`;
      if (item.role === "user" && open.size > 0)
        return `No tool output found for function call ${String([...open][0])}.`;
    } else if (type !== "compaction_trigger" || item !== items.at(-1))
      return `Invalid value: '${String(type)}' for 'input[${at}].type'.`;
  }
  return open.size > 0
    ? `No tool output found for function call ${String([...open][0])}.`
    : undefined;
}

/** Ids of calls that were made behind reasoning. */
const THOUGHT = new Set<string>();

/**
 * A server of OpenAI's Responses that refuses what the real one refuses: members and parts it does
 * not know, outputs without their calls, calls without their outputs, reasoning torn from what
 * followed it. A streamed request that is too long begins well and fails in the stream.
 * `reply`: the items a model answers with. `window`: tokens of four characters.
 */
export async function startResponsesServer({
  reply = (body: Json): Json[] => [said(`You said: ${lastWords(body)}`)],
  window = 128_000,
  fails = () => undefined,
}: {
  reply?: (body: Json) => Json[];
  window?: number;
  /** Of requests, counted from 0: a status to refuse it with, or a stream that breaks off. */
  fails?: (count: number) => number | "cut" | undefined;
} = {}): Promise<StrictServer> {
  const [requests, refusals, paths]: [Json[], string[], string[]] = [[], [], []];
  let count = 0;
  const server = createServer((request, response) => {
    void read(request).then((text) => {
      paths.push(request.url ?? "");
      const send = (status: number, body: Json): void => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
      };
      if (!request.url?.endsWith("/responses"))
        return send(200, {
          object: "list",
          data: [{ id: "gpt-6.2", object: "model" }],
          echo: text,
        });
      const failure = fails(count++);
      if (typeof failure === "number")
        return send(failure, {
          error: { message: "Try again.", type: "server_error", code: null },
        });
      const body = JSON.parse(text) as Json;
      requests.push(body);
      const tokens = Math.ceil(
        JSON.stringify([body.instructions, body.input, body.tools]).length / 4,
      );
      const refusal = refusalOf(body);
      if (refusal !== undefined) {
        refusals.push(refusal);
        return send(400, {
          error: { message: refusal, type: "invalid_request_error", code: null },
        });
      }
      const error = {
        code: "context_length_exceeded",
        message:
          "Your input exceeds the context window of this model. Please adjust your input and try again.",
      };
      const isLong = tokens > window;
      if (isLong) refusals.push("too long");
      if (isLong && body.stream !== true)
        return send(400, { error: { ...error, type: "invalid_request_error", param: "input" } });
      const base = {
        id: `resp_${requests.length}`,
        ...{ object: "response", created_at: 1, model: body.model, error: null },
        ...{ incomplete_details: null, instructions: null, metadata: {}, tools: [] },
      };
      const output = isLong
        ? []
        : reply(body).map((item, at) => identified(item, requests.length, at));
      output.forEach((item, at) => {
        if (output[at - 1]?.type === "reasoning" && CALLS.has(String(item.type)))
          THOUGHT.add(String(item.id));
      });
      const usage = {
        input_tokens: tokens,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 20,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: tokens + 20,
      };
      const whole = { ...base, status: "completed", output, usage };
      if (body.stream !== true) return send(200, whole);
      response.writeHead(200, { "content-type": "text/event-stream" });
      const under = { ...base, status: "in_progress", output: [] };
      const events: Json[] = [
        { type: "response.created", response: under },
        { type: "response.in_progress", response: under },
      ];
      if (isLong)
        events.push({
          type: "response.failed",
          response: { ...base, status: "failed", error, output: [] },
        });
      else events.push(...eventsOf(output), { type: "response.completed", response: whole });
      if (failure === "cut") events.splice(6);
      events.forEach((event, sequence_number) =>
        response.write(
          `event: ${String(event.type)}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
        ),
      );
      if (failure === "cut") setTimeout(() => response.destroy(), 20);
      else response.end();
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

export const said = (text: string): Json => ({
  ...{ type: "message", role: "assistant", status: "completed" },
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});

const PREFIX: Record<string, string> = { message: "msg", reasoning: "rs", function_call: "fc" };
const identified = (item: Json, request: number, at: number): Json => ({
  id: `${PREFIX[String(item.type)] ?? "it"}_${request}_${at}_${process.pid}`,
  ...item,
});

export function lastWords({ input }: Json): string {
  if (typeof input === "string") return input;
  const { content, output } = (input as Json[]).at(-1) ?? {};
  const words = content ?? output;
  return typeof words === "string"
    ? words
    : ((words ?? []) as Json[]).map(({ text }) => String(text)).join(" ");
}

function* eventsOf(output: readonly Json[]): Generator<Json> {
  for (const [output_index, item] of output.entries()) {
    const where = { output_index, item_id: item.id };
    yield {
      type: "response.output_item.added",
      output_index,
      item: { ...item, status: "in_progress", content: [] },
    };
    if (item.type === "message") {
      const [{ text }] = item.content as [{ text: string }];
      const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
      yield { type: "response.content_part.added", ...where, content_index: 0, part };
      for (const delta of text.match(/.{1,40}/gs) ?? [])
        yield {
          type: "response.output_text.delta",
          ...where,
          content_index: 0,
          delta,
          logprobs: [],
        };
      yield { type: "response.output_text.done", ...where, content_index: 0, text, logprobs: [] };
    }
    if (item.type === "function_call")
      yield { type: "response.function_call_arguments.done", ...where, arguments: item.arguments };
    yield { type: "response.output_item.done", output_index, item };
  }
}

async function read(request: IncomingMessage): Promise<string> {
  request.setEncoding("utf8");
  let text = "";
  for await (const piece of request) text += String(piece);
  return text;
}
