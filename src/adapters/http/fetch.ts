import { asText, defined, type Dict, dictIn, lru } from "../../core/base.ts";
import { isTidemarkError, type TidemarkError } from "../../core/errors-and-events.ts";
import type { Identity } from "../../core/identity.ts";
import type { Complete, ProviderRequest } from "../../core/request.ts";
import { callable, check, options as known } from "../../core/schema.ts";
import type { Dialect } from "../../providers/common/dialect.ts";
import type { Internals } from "../../session/options/internals.ts";
import type { Tidemark, Turn } from "../../session/options/tidemark-api.ts";
import { retryOf } from "../../tidemark/turn/begin.ts";
import { asking, createAsker } from "./ask-window.ts";
import {
  answerOf,
  type Door,
  doorOf,
  refusalOf,
  type ReplyReader,
  UNREAD,
  watched,
} from "./calls.ts";
import { createKnownPrompts, type KnownPrompts } from "./known-prompts.ts";

/** As every client library takes one. */
export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** One HTTP call of a conversation. */
export interface FetchCall {
  readonly url: string | URL | Request;
  readonly init: RequestInit;
  readonly dialect: Dialect;
  /** As it came. */
  readonly text: string;
  readonly body: Dict;
}

type Send = (call: FetchCall, body: Dict, signal?: AbortSignal) => Promise<Response>;

export interface FetchOptions {
  /** Answers who is speaking in a request; by default the identity Tidemark was opened with. */
  identity?: (request: Dict) => Identity | Promise<Identity>;
  /** Names the conversation a request belongs to, where the host knows it. */
  conversation?: (request: Dict) => string | undefined;
  /** Sends what Tidemark made of a call; by default the platform's `fetch`. */
  fetch?: Fetch;
}

const FETCH_OPTIONS = known<FetchOptions>({
  identity: callable(),
  conversation: callable(),
  fetch: callable(),
});

/** A provider answered so to a body. */
interface Attempt {
  readonly response: Response;
  readonly refusal?: object | undefined;
  /** The response as its caller would have had it, where more was asked for. */
  readonly shown?: ((read: Response) => Response) | undefined;
}

type Read = (url: string | URL) => Promise<Dict>;
/** A distilling as it is asked for; the model where that is not the caller's. */
export type DistilAsk = Omit<Parameters<Complete>[0], "signal" | "model"> & {
  readonly model: string | undefined;
};

/** A provider's API over the `fetch` that its client takes. */
export interface FetchApi {
  readonly name: string;
  /** What its user may have forgotten where no call ever comes. */
  readonly asks: string;
  /** It names in the headers the betas that a body needs. */
  readonly addsBetas?: true;
  /**
   * A client's `fetch` as the call of a conversation; undefined for all that is none: embeddings,
   * models, files. A text: the reason why one passes untouched.
   */
  callIn(came: Came, known: KnownPrompts): FetchCall | string | undefined;
  /** A body that is not the caller's, as it goes out; its headers may gain what it needs. */
  written?(body: Dict, headers: Headers): Dict;
  /** Sends a body, by default as it is. */
  attempt?(call: FetchCall, body: Dict, send: Send): Promise<Attempt>;
  /** Tokens that the provider says a model reads; `read` answers what stands at an address. */
  window(model: string, call: FetchCall, read: Read): Promise<unknown>;
  /** The caller's call turned into one to distil, and its address where that is another. */
  distil(call: FetchCall, ask: DistilAsk): { readonly body: Dict; readonly url?: string };
  /** Puts a streamed reply together. */
  reader(call: FetchCall): ReplyReader<Uint8Array>;
  /**
   * The body of a refusal of Tidemark's own, as the API would write it; left out where the client
   * throws on what is thrown.
   */
  refusal?(error: TidemarkError): object;
}

/** Calls that failed and may be tried again. */
const RETRIED = 32;

/** A `fetch` that takes an API's conversations through Tidemark, and all else as it is. */
export function fetchThrough(tidemark: Tidemark, api: FetchApi, given: FetchOptions): Fetch {
  check(FETCH_OPTIONS, given, api.name, "option ");
  const { fetch: out = (url, init) => fetch(url, init), ...options } = given;
  const through = callsThrough(tidemark, api, options);
  return async function tidemarkFetch(url, init) {
    return through({ url, init }, { out });
  };
}

/** As a client's call came. */
interface Came {
  readonly url: FetchCall["url"];
  readonly init: RequestInit | undefined;
  /** The object its body was written from, where that is at hand. */
  readonly own?: unknown;
}

/** The ways to send a call on, and what is asked beside it. */
interface Ways {
  readonly out: Fetch;
  readonly aside?: Fetch;
}

/** The same for each call with a way of its own to be sent on. */
export function callsThrough(
  tidemark: Tidemark,
  api: FetchApi,
  options: Omit<FetchOptions, "fetch">,
): (came: Came, ways: Ways) => Promise<Response> {
  const door = doorOf(tidemark, api.name, api.asks);
  const open = turnOpener(door.home, api);
  const failed = lru<string, Turn>(RETRIED);
  const known = createKnownPrompts();

  return async (came, { out, aside = out }) => {
    const { url, init } = came;
    const call = door.home.off ? undefined : api.callIn(came, known);
    if (call === undefined || !door.takes(init?.signal ?? undefined)) return out(url, init);
    if (typeof call === "string") {
      door.pass(call);
      return out(url, init);
    }
    // The client calls once per attempt, with the same bytes: all attempts are one turn. Two users
    // may say the same.
    let key: string;
    let turn: Turn;
    try {
      const speaking = await speakingIn(call, door, options);
      key = JSON.stringify([speaking.named, String(url)]) + call.text;
      turn = failed.get(key) ?? (await open(call, speaking, aside));
    } catch (thrown) {
      // A client tries again after an error that a `fetch` throws.
      if (!isTidemarkError(thrown) || api.refusal === undefined) throw thrown;
      const headers = { "x-should-retry": "false" };
      return Response.json(api.refusal(thrown), { status: 400, headers });
    }
    failed.delete(key);
    try {
      const { response, last } = await sent(api, { call, turn, out });
      if (!response.ok && response.status !== 400) failed.set(key, last);
      return response;
    } catch (thrown) {
      failed.set(key, turn);
      throw thrown;
    }
  };
}

interface Speaking {
  readonly speaker: Internals;
  readonly label: string | undefined;
  /** The identity and the conversation as the host named them. */
  readonly named: unknown;
}

/** The host says who speaks in a call, and in which conversation. */
async function speakingIn(
  { body }: FetchCall,
  door: Door,
  { identity, conversation }: FetchOptions,
): Promise<Speaking> {
  const label = conversation?.(body);
  let who: Identity | undefined;
  const asked = identity && (async (given: Dict) => (who = await identity(given)));
  const speaker = await door.speaker(body, asked);
  return { speaker, label, named: [who, label] };
}

export const placeOf = (url: FetchCall["url"]): URL =>
  new URL(url instanceof Request ? url.url : url, "http://localhost");

/** Where a POST goes; "" for any other call. */
export function postedTo({ url, init }: Came): string {
  const method = init?.method ?? (url instanceof Request ? url.method : "GET");
  return method.toUpperCase() === "POST" ? placeOf(url).pathname : "";
}

/**
 * The call of a conversation whose messages stand in a member of its body, as those of last time
 * wherever they are the same. `own`: the object that its text was written from.
 */
export function callOf(
  { url, init = {} }: Came,
  known: KnownPrompts,
  { dialect, member, own }: CalledAs,
): FetchCall | string {
  const sent: unknown = init.body;
  const text = sent instanceof Uint8Array ? new TextDecoder().decode(sent) : asText(sent);
  const body = own?.(text) ?? dictIn(text);
  const said = body?.[member];
  const isText = member === "input" && typeof said === "string";
  if (!isText && !Array.isArray(said)) return UNREAD;
  return { url, init, dialect, text, body: { ...body, [member]: known(said) } };
}

interface CalledAs {
  readonly dialect: Dialect;
  readonly member: "messages" | "input" | "contents";
  readonly own?: ((text: string) => Dict | undefined) | undefined;
}

/** The same call with another body; the caller's own bytes are sent where none differ. */
const sending =
  (out: Fetch, api: FetchApi): Send =>
  (call, body, signal) => {
    if (body === call.body) return out(call.url, call.init);
    const headers = new Headers(call.init.headers);
    headers.delete("content-length");
    return out(call.url, {
      ...call.init,
      headers,
      body: JSON.stringify(api.written?.(body, headers) ?? body),
      ...(signal && { signal }),
    });
  };

/** Headers of one call alone. */
const OF_ONE_CALL = ["x-stainless-retry-count", "x-stainless-helper-method", "idempotency-key"];

/** Opens the turn of a call, with the way in which its own client can be asked beside it. */
function turnOpener(home: Internals, api: FetchApi) {
  const ask = createAsker(home);
  return (call: FetchCall, { speaker, label }: Speaking, out: Fetch): Promise<Turn> => {
    const { body: given, init, dialect } = call;
    const { model } = given;
    const read: Read = async (url) =>
      dictIn(await (await out(url, asking(init.headers))).text()) ?? {};
    return speaker.begin(given as ProviderRequest, {
      dialect,
      asked: typeof model === "string" ? ask(model, () => api.window(model, call, read)) : {},
      // It goes below the middleware, so nothing it does starts anything.
      async complete({ signal, model: other = home.distilModel, ...asked }) {
        const { body, ...to } = api.distil(call, { ...asked, model: other });
        const headers = new Headers(init.headers);
        for (const name of OF_ONE_CALL) headers.delete(name);
        headers.set("accept", "application/json");
        const made = { ...call, init: { ...init, headers }, ...to };
        return answerOf(dialect, await sending(out, api)(made, body, signal));
      },
      ...defined({
        addsBetas: api.addsBetas,
        conversation: label,
        // A caller that hangs up waits no longer.
        signal: call.init.signal ?? undefined,
      }),
    });
  };
}

/** Sends what the turn made of the call; one that is refused for its size once more, smaller. */
async function sent(
  api: FetchApi,
  { call, turn, out }: { call: FetchCall; turn: Turn; out: Fetch },
): Promise<{ response: Response; last: Turn }> {
  const send = sending(out, api);
  const { attempt: makes = attempt } = api;
  const first = await makes(call, turn.request, send);
  const smaller = first.refusal && (await retryOf(turn, first.refusal));
  const last = smaller ?? turn;
  const { response, shown } = smaller ? await makes(call, smaller.request, send) : first;
  const read = await watched(response, last, () => api.reader(call));
  return { response: shown?.(read) ?? read, last };
}

/** An attempt of an API that refuses before it streams. */
export async function attempt(call: FetchCall, body: Dict, send: Send): Promise<Attempt> {
  const response = await send(call, body);
  return { response, refusal: await refusalOf(response) };
}
