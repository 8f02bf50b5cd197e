import "../node-version.ts";
import { asDict, type Dict, isDict, lru } from "../core/base.ts";
import { TidemarkError } from "../core/errors-and-events.ts";
import { openaiChat } from "../providers/openai/chat.ts";
import { openaiResponses } from "../providers/responses/responses.ts";
import { internalsFor } from "../session/options/internals.ts";
import type { Tidemark } from "../session/options/tidemark-api.ts";
import { isStream, refusalOf } from "./http/calls.ts";
import {
  attempt,
  callOf,
  type Fetch,
  type FetchApi,
  type FetchCall,
  type FetchOptions,
  fetchThrough,
  postedTo,
} from "./http/fetch.ts";
import { retrieveWindow } from "./openai/ask-window.ts";
import { distil } from "./openai/distil-calls.ts";
import {
  createCompletionReader,
  createResponseReader,
  heldBack,
  withoutUsage,
} from "./openai/streams.ts";

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
