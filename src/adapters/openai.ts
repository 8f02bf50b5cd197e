import "../node-version.ts";
import { asDict, defined, type Dict, dictIn, isDict, lru } from "../core/base.ts";
import { isTidemarkError, TidemarkError } from "../core/errors-and-events.ts";
import type { Identity } from "../core/identity.ts";
import type { ProviderRequest } from "../core/request.ts";
import { callable, check, options as known } from "../core/schema.ts";
import { type Internals, internalsFor } from "../session/options/internals.ts";
import type { Tidemark, Turn } from "../session/options/tidemark-api.ts";
import { retryOf } from "../tidemark/turn/turn.ts";
import { createAsker } from "./http/ask-window.ts";
import { refusalOf, speakerOf, watchedStream } from "./http/calls.ts";
import { createKnownPrompts } from "./http/known-prompts.ts";
import { retrieveWindow } from "./openai/ask-window.ts";
import {
  callIn,
  type Fetch,
  knownAgain,
  type OpenAICall,
  type Send,
  withBody,
} from "./openai/calls.ts";
import { completeThrough } from "./openai/distil-calls.ts";
import {
  createCompletionReader,
  createResponseReader,
  heldBack,
  withoutUsage,
} from "./openai/streams.ts";

export interface OpenAIOptions {
  /** Answers who is speaking in a request; by default the identity Tidemark was opened with. */
  identity?: (request: Dict) => Identity | Promise<Identity>;
  /** Names the conversation a request belongs to, where the host knows it. */
  conversation?: (request: Dict) => string | undefined;
  /** Sends what Tidemark made of a call; by default the platform's `fetch`. */
  fetch?: Fetch;
}

const OPTIONS = known<OpenAIOptions>({
  identity: callable(),
  conversation: callable(),
  fetch: callable(),
});

/** Calls that failed and may be tried again. */
const RETRIED = 32;
const NAME = "openaiMiddleware";

/**
 * `new OpenAI({ fetch: openaiMiddleware(tidemark) })`: chat completions and responses of any client
 * that takes a `fetch` go through Tidemark; all else passes untouched.
 */
export function openaiMiddleware(tidemark: Tidemark, options: OpenAIOptions = {}): Fetch {
  check(OPTIONS, options, NAME, "option ");
  return fetchThrough(tidemark, options);
}

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
  check(OPTIONS, options, "wrapOpenAI", "option ");
  if (typeof (client as Partial<Client> | undefined)?.withOptions !== "function")
    throw new TidemarkError(
      "config",
      "wrapOpenAI: the first argument must be a client of the openai package (`new OpenAI()`).",
    );
  const bodies = lru<string, Dict>(ON_THEIR_WAY);
  const { fetch: out } = client as unknown as Inside;
  const through = fetchThrough(tidemark, { fetch: out, ...options }, (text) => {
    const body = bodies.get(text);
    bodies.delete(text);
    return body;
  });
  const wrapped = client.withOptions({ fetch: through }) as C & Inside;
  const prepare = wrapped.prepareRequest.bind(wrapped);
  wrapped.prepareRequest = async (request, context) => {
    const { body } = context.options as { body?: unknown };
    if (typeof request.body === "string" && isDict(body)) bodies.set(request.body, body);
    await prepare(request, context);
  };
  return wrapped;
}

function fetchThrough(
  tidemark: Tidemark,
  options: OpenAIOptions,
  own?: (text: string) => Dict | undefined,
): Fetch {
  const home = internalsFor(tidemark, NAME);
  const out: Fetch = options.fetch ?? ((url, init) => fetch(url, init));
  const speakerIn = speakers(home, tidemark, options);
  const open = turnOpener(home, out);
  const sent = sender(out, home.options.mode === "observe");
  const failed = lru<string, Turn>(RETRIED);
  const known = createKnownPrompts();
  if (!home.off)
    home.expectCalls(
      `no call came through ${NAME} before this Tidemark was closed; is it the client's \`fetch\`?`,
    );

  return async function tidemarkFetch(url, init) {
    const came = home.off ? undefined : callIn(url, init, own);
    if (came === undefined) return out(url, init);
    const closed = home.closed();
    if (closed !== undefined || came === "unread") {
      const reason = closed ? `this ${closed} was closed` : "a body that is no conversation's";
      home.emit({ type: "passed", reason });
      return out(url, init);
    }
    home.sawCall();
    const call = knownAgain(came, known);
    // The client calls once per attempt, with the same bytes: all attempts are one turn. Two users
    // may say the same.
    let key: string;
    let turn: Turn;
    try {
      const speaking = await speakerIn(call);
      key = JSON.stringify([speaking.named, String(url)]) + call.text;
      turn = failed.get(key) ?? (await open(call, speaking));
    } catch (thrown) {
      return refusedBy(thrown);
    }
    failed.delete(key);
    try {
      const { response, last } = await sent(call, turn);
      if (!response.ok && response.status !== 400) failed.set(key, last);
      return response;
    } catch (thrown) {
      failed.set(key, turn);
      throw thrown;
    }
  };
}

const sending =
  (out: Fetch): Send =>
  (call, body, signal) =>
    out(call.url, withBody(call, body, signal));

interface Speaking {
  readonly speaker: Internals;
  readonly label: string | undefined;
  /** The identity and the conversation as the host named them. */
  readonly named: unknown;
}

/** Who speaks in a call, and in which conversation, as the host says. */
function speakers(
  home: Internals,
  tidemark: Tidemark,
  { identity, conversation }: OpenAIOptions,
): (call: OpenAICall) => Promise<Speaking> {
  return async ({ body }) => {
    const label = conversation?.(body);
    if (identity === undefined) return { speaker: home, label, named: label };
    let who: Identity | undefined;
    const asked = async (given: Dict) => (who = await identity(given));
    const speaker = internalsFor(await speakerOf(tidemark, body, asked, NAME), NAME);
    return { speaker, label, named: [who, label] };
  };
}

/** Opens the turn of a call, with the way in which its own client can be asked beside it. */
function turnOpener(home: Internals, out: Fetch) {
  const ask = createAsker(home);
  const send = sending(out);
  return (call: OpenAICall, { speaker, label }: Speaking): Promise<Turn> => {
    const { model } = call.body;
    return speaker.begin(call.body as ProviderRequest, {
      dialect: call.dialect,
      asked: typeof model === "string" ? ask(model, () => retrieveWindow(model, call, out)) : {},
      complete: completeThrough(call, send, home.distilModel),
      ...defined({
        conversation: label,
        // A caller that hangs up waits no longer.
        signal: call.init.signal ?? undefined,
      }),
    });
  };
}

/**
 * Sends what the turn made of the call; one that is refused for its size once more, smaller. A
 * server that does not know how to stream the usage is not asked for it again.
 */
function sender(out: Fetch, observes: boolean) {
  let tells = !observes;
  return async (call: OpenAICall, turn: Turn) => {
    const send = (of: Turn) => attempt(call, bodyOf(of, asks), out);
    let asks = tells && wantsUsage(call);
    let first = await send(turn);
    if (asks && JSON.stringify(first.refusal ?? "").includes("stream_options")) {
      asks = tells = false;
      first = await send(turn);
    }
    const smaller = first.refusal && (await retryOf(turn, first.refusal));
    const last = smaller ?? turn;
    const { response } = smaller ? await send(smaller) : first;
    return { response: await watched(call, response, { turn: last, asks }), last };
  };
}

/** The provider's answer, and its refusal; the caller's own bytes are sent where none differ. */
async function attempt(
  call: OpenAICall,
  body: Dict,
  out: Fetch,
): Promise<{ readonly response: Response; readonly refusal?: object | undefined }> {
  const response = await (body === call.body ? out(call.url, call.init) : sending(out)(call, body));
  if (call.dialect.envelope && isStream(response)) return heldBack(response);
  return { response, refusal: await refusalOf(response) };
}

const isStream = ({ ok, headers }: Response): boolean =>
  ok && headers.get("content-type")?.includes("text/event-stream") === true;

/** The response with its reply archived before the caller has read to its end. */
async function watched(
  { dialect }: OpenAICall,
  response: Response,
  { turn, asks }: { turn: Turn; asks: boolean },
): Promise<Response> {
  if (!response.ok) return response;
  if (!isStream(response)) {
    const text = await response
      .clone()
      .text()
      .catch(() => "");
    const reply = dictIn(text);
    if (reply) await turn.end(reply);
    return response;
  }
  const reader = dialect.envelope ? createResponseReader() : createCompletionReader();
  const read = watchedStream(response, reader, (reply) => turn.end(reply));
  return asks ? withoutUsage(read) : read;
}

/** Completions are streamed without their usage where the caller does not ask for it. */
const wantsUsage = ({ dialect, body }: OpenAICall): boolean =>
  dialect.envelope === undefined &&
  body.stream === true &&
  asDict(body.stream_options).include_usage === undefined;

const bodyOf = ({ request }: Turn, asks: boolean): Dict =>
  asks
    ? { ...request, stream_options: { ...asDict(request.stream_options), include_usage: true } }
    : request;

/** What Tidemark refuses, as the API would: an error that a `fetch` throws is tried again. */
function refusedBy(thrown: unknown): Response {
  if (!isTidemarkError(thrown)) throw thrown;
  const { code, message } = thrown;
  const error = {
    ...{ message, type: "invalid_request_error", param: null },
    code: code === "window" ? "context_length_exceeded" : `tidemark_${code}`,
  };
  return Response.json({ error }, { status: 400, headers: { "x-should-retry": "false" } });
}
