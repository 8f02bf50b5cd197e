import { asDict, defined, type Dict, dictIn, dicts, isDict, lru } from "../core/base.ts";
import { TidemarkError } from "../core/errors-and-events.ts";
import type { ProviderRequest } from "../core/request.ts";
import "../node-version.ts";
import { createEventReader, tokenCount } from "../providers/common/replies.ts";
import { openaiChat } from "../providers/openai/chat.ts";
import { completionOf } from "../providers/openai/completion.ts";
import { gatherResponse, openaiResponses, saysNothing } from "../providers/responses/responses.ts";
import { internalsFor } from "../session/options/internals.ts";
import type { Tidemark } from "../session/options/tidemark-api.ts";
import { eventsRead, isStream, refusalOf, remade } from "./http/calls.ts";
import {
  attempt,
  callOf,
  type Fetch,
  type FetchApi,
  type FetchCall,
  type FetchOptions,
  fetchThrough,
  placeOf,
  postedTo,
} from "./http/fetch.ts";

export type OpenAIOptions = FetchOptions;

/**
 * `new OpenAI({ fetch: openaiMiddleware(tidemark) })`: chat completions and responses of any client
 * that takes a `fetch` go through Tidemark; all else passes untouched.
 */
export function openaiMiddleware(tidemark: Tidemark, options: OpenAIOptions = {}): Fetch {
  return fetchThrough(tidemark, openaiApi(tidemark, MIDDLEWARE), options);
}

const MIDDLEWARE = { name: "openaiMiddleware", asks: "is it the client's `fetch`" };
const WRAPPED = { name: "wrapOpenAI", asks: "is the client in use that it gave" };

/** The slice of a client in use: `OpenAI`, `AzureOpenAI`, and what is made of them. */
interface Client {
  withOptions(options: { fetch: Fetch }): unknown;
}
interface Inside {
  readonly fetch: Fetch;
  prepareRequest(request: RequestInit, context: { readonly options: object }): Promise<void>;
}

/** Bodies of calls on their way from the client's method to its `fetch`. */
const ON_THEIR_WAY = 16;

/**
 * The client with its conversations through Tidemark, which is handed the caller's own objects:
 * what is written out for the wire need not be read again.
 */
export function wrapOpenAI<C extends Client>(
  client: C,
  tidemark: Tidemark,
  options: OpenAIOptions = {},
): C {
  if (typeof (client as Partial<Client> | undefined)?.withOptions !== "function")
    throw new TidemarkError(
      "config",
      "wrapOpenAI: the first argument must be a client of the openai package (`new OpenAI()`).",
    );
  const bodies = lru<string, Dict>(ON_THEIR_WAY);
  const { fetch: out } = client as unknown as Inside;
  const api = openaiApi(tidemark, WRAPPED, (text) => {
    const body = bodies.get(text);
    bodies.delete(text);
    return body;
  });
  const through = fetchThrough(tidemark, api, { fetch: out, ...options });
  const wrapped = client.withOptions({ fetch: through }) as C & Inside;
  const prepare = wrapped.prepareRequest.bind(wrapped);
  wrapped.prepareRequest = async (request, context) => {
    const { body } = context.options as { body?: unknown };
    if (typeof request.body === "string" && isDict(body)) bodies.set(request.body, body);
    await prepare(request, context);
  };
  return wrapped;
}

const LENSES = [
  { path: /\/chat\/completions$/, dialect: openaiChat, member: "messages" },
  { path: /\/responses$/, dialect: openaiResponses, member: "input" },
] as const;

/** OpenAI's API; `own` knows the object that a body's text was written from. */
function openaiApi(
  tidemark: Tidemark,
  said: Pick<FetchApi, "name" | "asks">,
  own?: (text: string) => Dict | undefined,
): FetchApi {
  return {
    ...said,
    callIn(came, known) {
      const lens = LENSES.find(({ path }) => path.test(postedTo(came)));
      return lens && callOf(came, known, { ...lens, own });
    },
    attempt: attempting(internalsFor(tidemark, said.name).options.mode === "observe"),
    window: retrieveWindow,
    distil,
    reader: ({ dialect }) => (dialect.envelope ? createResponseReader() : createCompletionReader()),
    refusal,
  };
}

type Attempting = NonNullable<FetchApi["attempt"]>;

/** A server that does not know how to stream the usage is not asked for it again. */
function attempting(observes: boolean): Attempting {
  let tells = !observes;
  return async (call, body, send) => {
    if (!tells || !wantsUsage(call)) return sendOnce(call, body, send);
    const asked = {
      ...body,
      stream_options: { ...asDict(body.stream_options), include_usage: true },
    };
    const made = await sendOnce(call, asked, send);
    if (!JSON.stringify(made.refusal ?? "").includes("stream_options"))
      return isStream(made.response) ? { ...made, shown: withoutUsage } : made;
    tells = false;
    return sendOnce(call, body, send);
  };
}

const sendOnce: Attempting = async (call, body, send) => {
  if (!call.dialect.envelope) return attempt(call, body, send);
  const response = await send(call, body);
  return isStream(response) ? heldBack(response) : { response, refusal: await refusalOf(response) };
};

/** Completions are streamed without their usage where the caller does not ask for it. */
const wantsUsage = ({ dialect, body }: FetchCall): boolean =>
  dialect.envelope === undefined &&
  body.stream === true &&
  asDict(body.stream_options).include_usage === undefined;

const refusal: FetchApi["refusal"] = ({ code, message }) => ({
  error: {
    ...{ message, type: "invalid_request_error", param: null },
    code: code === "window" ? "context_length_exceeded" : `tidemark_${code}`,
  },
});

/** Puts a streamed completion together from its bytes. */
function createCompletionReader() {
  const chunks: Dict[] = [];
  return eventsRead({
    take: (chunk) => void chunks.push(chunk),
    message: () => completionOf(chunks),
    complete: () => false,
  });
}

/** Puts a streamed response together from its bytes. */
const createResponseReader = () => eventsRead(gatherResponse());

const END = /\r?\n\r?\n/;

/** Is it the chunk with the usage alone, which comes only to who asked for it? */
function isUsage(event: string): boolean {
  const data = event.startsWith("data:") ? dictIn(event.slice(5)) : undefined;
  return data !== undefined && isDict(data.usage) && dicts(data.choices).length === 0;
}

/** The stream without the chunk that the caller did not ask for; all else byte for byte. */
function withoutUsage(response: Response): Response {
  if (!response.body) return response;
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  let rest = "";
  const filter = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      rest += decoder.decode(bytes, { stream: true });
      for (let end = END.exec(rest); end !== null; end = END.exec(rest)) {
        const event = rest.slice(0, end.index + end[0].length);
        rest = rest.slice(event.length);
        if (!isUsage(event)) controller.enqueue(encoder.encode(event));
      }
    },
    flush: (controller) => controller.enqueue(encoder.encode(rest + decoder.decode())),
  });
  return remade(response, response.body.pipeThrough(filter));
}

/**
 * A streamed response's first events, held back until the model is at work: where it refuses the
 * request for its size, it does so in a stream that began well.
 */
async function heldBack(
  response: Response,
): Promise<{ readonly response: Response; readonly refusal?: object }> {
  if (!response.body) return { response };
  const reader = response.body.getReader();
  const events = createEventReader();
  const held: Uint8Array[] = [];
  let refusal: object | undefined;
  for (let waits = true; waits;) {
    const { done, value } = await reader.read();
    if (value) held.push(value);
    const seen = value ? events.push(value) : [];
    const failed = seen.find(({ type }) => type === "response.failed" || type === "error");
    if (failed) refusal = { status: 400, error: asDict(failed.response).error ?? failed };
    waits = !done && seen.every(saysNothing);
  }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const first = held.shift();
      if (first) return controller.enqueue(first);
      const { done, value } = await reader.read();
      if (value) controller.enqueue(value);
      if (done) controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return { response: remade(response, body), refusal };
}

/** Of the caller's request what decides who answers, at which price, and what of it is cached. */
const ALONG = (
  "model reasoning reasoning_effort service_tier prompt_cache_key prompt_cache_options " +
  "safety_identifier user verbosity"
).split(" ");

/** In the caller's own form. */
const distil: FetchApi["distil"] = ({ body, dialect: { envelope, format } }, ask) => {
  const { system, messages, maxTokens, tools, alone } = ask;
  const model = ask.model ?? body.model;
  const own = Object.fromEntries(ALONG.map((name) => [name, body[name]]));
  const along = model === body.model ? own : {};
  const room =
    format === "openai-responses"
      ? { max_output_tokens: maxTokens, store: false }
      : { [body.max_tokens === undefined ? "max_completion_tokens" : "max_tokens"]: maxTokens };
  const made = defined({
    ...along,
    model,
    ...room,
    messages,
    ...(alone !== true && defined({ system, tools })),
    tool_choice: alone !== true && tools !== undefined ? "none" : undefined,
  }) as ProviderRequest;
  return { body: envelope?.close(body, made) ?? made };
};

/** Servers whose list of models holds no windows. */
const SAY_NOTHING = /^[\w.-]*\b(?:openai|azure)\.com\/|\/openai\/deployments\//;

/**
 * Where servers list their models with what each can read: most beside the calls; LM Studio and
 * Ollama say what is loaded in an API of their own.
 */
const LISTS: readonly ((base: string, origin: string) => string)[] = [
  (base) => `${base}/models`,
  (_, origin) => `${origin}/api/v0/models`,
  (_, origin) => `${origin}/api/ps`,
];

/** OpenRouter and Ollama; Groq; vLLM; LM Studio; llama.cpp. What is loaded before what could be. */
function windowIn(model: Dict): number | undefined {
  const { loaded_context_length, context_window, max_model_len, context_length } = model;
  const said = [loaded_context_length, asDict(model.meta).n_ctx, context_window, max_model_len];
  return [...said, context_length].map(tokenCount).find((tokens) => tokens > 0);
}

const names = ({ id, name, model }: Dict): unknown[] => [id, name, model];

/** What a compatible server says of a model's window. */
const retrieveWindow: FetchApi["window"] = async (name, call, read) => {
  const url = placeOf(call.url);
  if (SAY_NOTHING.test(url.hostname + url.pathname)) return undefined;
  const base = `${url.origin}${url.pathname.replace(/\/(?:chat\/completions|responses)$/, "")}`;
  for (const list of LISTS) {
    const { data, models } = await read(list(base, url.origin));
    const found = [...dicts(data), ...dicts(models)].find((one) => names(one).includes(name));
    const window = found && windowIn(found);
    if (window !== undefined) return window;
  }
  return undefined;
};
