import { defined, type Dict, lru } from "../../core/base.ts";
import { isTidemarkError, type TidemarkError } from "../../core/errors-and-events.ts";
import type { Identity } from "../../core/identity.ts";
import type { Capabilities, Complete, ProviderRequest } from "../../core/request.ts";
import { callable, options as known } from "../../core/schema.ts";
import type { Dialect } from "../../providers/common/dialect.ts";
import type { Internals } from "../../session/options/internals.ts";
import type { Tidemark, Turn } from "../../session/options/tidemark-api.ts";
import { retryOf } from "../../tidemark/turn/turn.ts";
import { createAsker } from "./ask-window.ts";
import { type Door, doorOf, refusalOf, type ReplyReader, watched } from "./calls.ts";
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

export const FETCH_OPTIONS = known<FetchOptions>({
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

/** A provider's API over the `fetch` that its client takes. */
export interface FetchApi {
  readonly name: string;
  /** The option of its client, for one whose calls never come. */
  readonly hook: string;
  /**
   * A client's `fetch` as the call of a conversation, its messages those of last time wherever they
   * are the same; undefined for all that is none: embeddings, models, files. A text: the reason why
   * one passes untouched.
   */
  callIn(
    url: string | URL | Request,
    init: RequestInit | undefined,
    known: KnownPrompts,
  ): FetchCall | string | undefined;
  /** The body as it goes out. */
  attempt(call: FetchCall, body: Dict, send: Send): Promise<Attempt>;
  readonly window: (model: string, call: FetchCall, out: Fetch) => Promise<Partial<Capabilities>>;
  complete(call: FetchCall, send: Send, model: string | undefined): Complete;
  /** Puts a streamed reply together. */
  reader(call: FetchCall): ReplyReader<Uint8Array>;
  /** The body of a refusal of Tidemark's own, as the API would write it. */
  refusal(error: TidemarkError): object;
}

/** Calls that failed and may be tried again. */
const RETRIED = 32;

/** A `fetch` that takes an API's conversations through Tidemark, and all else as it is. */
export function fetchThrough(
  tidemark: Tidemark,
  api: FetchApi,
  { fetch: out = (url, init) => fetch(url, init), ...options }: FetchOptions,
): Fetch {
  const door = doorOf(tidemark, api.name, `is it the client's ${api.hook}`);
  const open = turnOpener(door.home, api, out);
  const failed = lru<string, Turn>(RETRIED);
  const known = createKnownPrompts();

  return async function tidemarkFetch(url, init) {
    const call = door.home.off ? undefined : api.callIn(url, init, known);
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
      turn = failed.get(key) ?? (await open(call, speaking));
    } catch (thrown) {
      // A client tries again after an error that a `fetch` throws.
      if (!isTidemarkError(thrown)) throw thrown;
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

/** A request's body as text; undefined where it is none. */
export function bodyText({ body }: RequestInit): string | undefined {
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  return typeof body === "string" ? body : undefined;
}

/** The same call with another body; the caller's own bytes are sent where none differ. */
const sending =
  (out: Fetch): Send =>
  (call, body, signal) => {
    if (body === call.body) return out(call.url, call.init);
    const headers = new Headers(call.init.headers);
    headers.delete("content-length");
    return out(call.url, {
      ...call.init,
      headers,
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  };

/** Opens the turn of a call, with the way in which its own client can be asked beside it. */
function turnOpener(home: Internals, api: FetchApi, out: Fetch) {
  const ask = createAsker(home);
  const send = sending(out);
  return (call: FetchCall, { speaker, label }: Speaking): Promise<Turn> => {
    const { model } = call.body;
    return speaker.begin(call.body as ProviderRequest, {
      dialect: call.dialect,
      asked: typeof model === "string" ? ask(model, () => api.window(model, call, out)) : {},
      complete: api.complete(call, send, home.distilModel),
      ...defined({
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
  const send = sending(out);
  const first = await api.attempt(call, turn.request, send);
  const smaller = first.refusal && (await retryOf(turn, first.refusal));
  const last = smaller ?? turn;
  const { response, shown } = smaller ? await api.attempt(call, smaller.request, send) : first;
  const read = await watched(response, last, () => api.reader(call));
  return { response: shown?.(read) ?? read, last };
}

/** An attempt of an API that refuses before it streams. */
export async function attempt(call: FetchCall, body: Dict, send: Send): Promise<Attempt> {
  const response = await send(call, body);
  return { response, refusal: await refusalOf(response) };
}
