import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { asksToCompact, compacted } from "./compaction.ts";
import { type DistilMode, distilAsk, distilReply } from "./distil-replies.ts";
import { errorOf, type Failure, type FailurePlan } from "./failures.ts";
import {
  answer,
  betasOf,
  bodyOf,
  halfAnswer,
  headersMissing,
  junk,
  newRequestId,
  NOT_FOUND,
  refuse,
  TOO_LARGE,
} from "./http.ts";
import { messageOf } from "./message.ts";
import { type ModelInfo, modelAnswer, modelInfo, type ModelOptions, WINDOW } from "./models.ts";
import { type InputUsage, PromptCache } from "./prompt-cache.ts";
import { refusalOf } from "./refusals.ts";
import { bound, echo, finish, type Finished, type Reply, type Script } from "./replies.ts";
import { createSigner } from "./signatures.ts";
import { eventsOf, sendEvents } from "./sse.ts";
import { createThreads } from "./threads.ts";
import { requestTokens } from "./tokens.ts";
import { type Block, invalid, isJson, type Json, type Refusal } from "./wire.ts";

export interface ServerOptions {
  /** Window of every model that `models` does not name otherwise. Default 200,000. */
  readonly window?: number;
  readonly models?: Readonly<Record<string, ModelOptions>>;
  /** Default: says back what it read. */
  readonly reply?: Script;
  /** The answer to a request of Tidemark's own. Default "well". */
  readonly distil?: DistilMode | "fail" | "hang" | Script;
  /** The summary that answers a compaction request. */
  readonly compact?: () => string;
  readonly fail?: FailurePlan;
  /** Lifetimes of cached prefixes are measured with it, in ms. */
  readonly now?: () => number;
  /** The same secret is the same provider: thinking signed before a restart stays valid. */
  readonly secret?: string;
  /** Requests remembered, the newest; for runs of many thousands. Default all. */
  readonly keep?: number;
}

export interface Received {
  readonly index: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Json;
  /** By header, or by query as SDKs before 1.0 say it. */
  readonly beta: boolean;
  /** A request of Tidemark's own. */
  readonly distil: boolean;
  /** The server's own count of the input. */
  readonly tokens: number;
  status?: number;
  reply?: Json;
  usage?: Totals;
}

export interface Totals {
  input: number;
  cacheWrite: number;
  cacheRead: number;
  output: number;
}

export interface MessagesServer {
  readonly url: string;
  readonly requests: readonly Received[];
  readonly refusals: readonly (Refusal & { readonly index: number })[];
  /** Of all answered requests together. */
  readonly usage: Readonly<Totals>;
  /** Changes the scripts for the requests to come. */
  script(changes: Pick<ServerOptions, "reply" | "distil" | "fail">): void;
  /** A thinking block as if the server had answered this request with it. */
  sign(request: Json, thinking?: string): Block;
  signRedacted(request: Json): Block;
  model(id: string): ModelInfo;
  close(): Promise<void>;
}

export async function startMessagesServer(options: ServerOptions = {}): Promise<MessagesServer> {
  const signer = createSigner(options.secret ?? "a provider's secret");
  const cache = new PromptCache();
  const threads = createThreads();
  const requests: Received[] = [];
  const refusals: (Refusal & { index: number })[] = [];
  const usage: Totals = { input: 0, cacheWrite: 0, cacheRead: 0, output: 0 };
  const keep = options.keep ?? Infinity;
  const script = {
    reply: options.reply ?? echo,
    distil: options.distil ?? "well",
    fail: options.fail,
  };
  let received = 0;
  let attempts = 0;
  let planned = 0;
  const told = { reply: 0, distil: 0 };

  const model = (id: string): ModelInfo =>
    modelInfo(id, options.models?.[id], options.window ?? WINDOW);
  const known = (id: string): boolean =>
    id.startsWith("claude-") || options.models?.[id] !== undefined;

  function failureOf(body: Json, distilling: boolean): Failure | undefined {
    const { fail, distil } = script;
    const failure =
      typeof fail === "function" ? fail(body, { index: attempts++ }) : fail?.[planned++];
    if (failure !== undefined || !distilling) return failure;
    return distil === "fail" ? "error" : distil === "hang" ? "hang" : undefined;
  }

  async function replyTo(body: Json): Promise<Reply> {
    const ask = distilAsk(body);
    if (ask === undefined)
      return script.reply === echo
        ? (bound(body) ?? echo(body))
        : script.reply(body, { index: told.reply++ });
    if (typeof script.distil === "function") return script.distil(body, { index: told.distil++ });
    return bound(body) ?? distilReply(body, ask, script.distil as DistilMode);
  }

  async function messages(body: Json, received: Received, response: ServerResponse): Promise<void> {
    const info = model(String(body.model));
    const failure = failureOf(body, received.distil);
    const error = failure === undefined ? undefined : errorOf(failure);
    if (error !== undefined) {
      received.status = error.status;
      return refuse(response, error);
    }
    if (failure === "hang") return;
    if (failure === "disconnect") return void response.destroy();
    received.status = 200;
    if (failure === "junk") return junk(response, body.stream === true);
    const done = asksToCompact(body)
      ? compacted(body, info, { signer, text: options.compact?.() ?? "They talked." })
      : finish(await replyTo(body), { request: body, info, signer, index: received.index });
    const booked = cache.book(body, info, (options.now ?? Date.now)());
    book(received, booked, done);
    const reply = messageOf(body, done, booked, {
      id: `msg_${String(received.index).padStart(24, "0")}`,
      beta: received.beta,
    });
    received.reply = reply;
    threads.answered(received.body, body, reply);
    const cutAfter =
      typeof failure === "object" && "cutAfter" in failure ? failure.cutAfter : undefined;
    if (body.stream === true) {
      response.writeHead(200, {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-cache",
        "request-id": newRequestId(),
      });
      return sendEvents(response, eventsOf(reply), cutAfter);
    }
    return cutAfter === undefined ? answer(response, 200, reply) : halfAnswer(response, reply);
  }

  function book(
    received: Received,
    { input, write5m, write1h, read }: InputUsage,
    { outputTokens }: Finished,
  ): void {
    const spent = { input, cacheWrite: write5m + write1h, cacheRead: read, output: outputTokens };
    received.usage = spent;
    for (const key of ["input", "cacheWrite", "cacheRead", "output"] as const)
      usage[key] += spent[key];
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://local");
    const missing = headersMissing(request.headers);
    if (missing !== undefined) return refuse(response, missing);
    const named = /^\/v1\/models\/([^/]+)$/.exec(url.pathname)?.[1];
    if (request.method === "GET" && named !== undefined) {
      const id = decodeURIComponent(named);
      return known(id)
        ? answer(response, 200, modelAnswer(model(id)))
        : refuse(response, { ...NOT_FOUND, message: `model: ${id}` });
    }
    const counting = url.pathname === "/v1/messages/count_tokens";
    if (request.method !== "POST" || !(counting || url.pathname === "/v1/messages"))
      return refuse(response, NOT_FOUND);
    const text = await bodyOf(request);
    if (text === undefined) return refuse(response, TOO_LARGE);
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      return refuse(response, invalid("The request body is not valid JSON."));
    }
    const betas = betasOf(request.headers);
    const beta = url.searchParams.get("beta") === "true" || betas.length > 0;
    const seen = isJson(body) ? body : {};
    const info = model(String(seen.model));
    const opened = threads.whole(seen, betas);
    const read = "body" in opened ? opened.body : seen;
    const refusal =
      ("refusal" in opened ? opened.refusal : undefined) ??
      refusalOf(isJson(body) ? read : body, info, { betas, beta, counting, signer }) ??
      (known(info.id) ? undefined : { ...NOT_FOUND, message: `model: ${info.id}` });
    const { pathname, search } = url;
    const entry: Received = {
      index: received++,
      path: pathname + search,
      headers: request.headers,
      body: seen,
      beta,
      distil: distilAsk(seen) !== undefined,
      tokens: requestTokens(read),
    };
    requests.push(entry);
    if (requests.length > keep) requests.shift();
    if (refusal !== undefined) {
      entry.status = refusal.status;
      refusals.push({ index: entry.index, ...refusal });
      return refuse(response, refusal);
    }
    if (!counting) return messages(read, entry, response);
    entry.status = 200;
    answer(response, 200, {
      input_tokens: entry.tokens,
      ...(beta ? { context_management: null } : {}),
    });
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else
        refuse(response, {
          status: 500,
          type: "api_error",
          message: `The script of the test server threw: ${String(error)}`,
        });
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error("The messages server has no port.");

  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    refusals,
    usage,
    model,
    script(changes) {
      if (changes.reply !== undefined) script.reply = changes.reply;
      if (changes.distil !== undefined) script.distil = changes.distil;
      if ("fail" in changes) {
        script.fail = changes.fail;
        planned = 0;
        attempts = 0;
      }
    },
    sign: (request, thinking = "Let me think.") =>
      signer.sign(request, model(String(request.model)), [
        { type: "thinking", thinking },
      ])[0] as Block,
    signRedacted: (request) =>
      signer.sign(request, model(String(request.model)), [
        { type: "redacted_thinking" },
      ])[0] as Block,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
