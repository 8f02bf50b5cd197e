import "../node-version.ts";
import { asDict, type Dict, dictIn, lru } from "../core/base.ts";
import { isTidemarkError } from "../core/errors-and-events.ts";
import type { Identity } from "../core/identity.ts";
import type { ProviderRequest } from "../core/request.ts";
import { callable, check, options as known } from "../core/schema.ts";
import { hashOf } from "../providers/common/pieces.ts";
import { internalsFor } from "../session/options/internals.ts";
import type { Tidemark, Turn } from "../session/options/tidemark-api.ts";
import { isOwnCall } from "../session/own-calls.ts";
import { retryOf } from "../tidemark/turn/turn.ts";
import { refusalOf, speakerOf, watchedStream } from "./http/calls.ts";
import { callIn, type Fetch, type OpenAICall, type Send, withBody } from "./openai/calls.ts";
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

/** Calls under way that failed and may be tried again. */
const RETRIED = 256;

/**
 * `new OpenAI({ fetch: openaiMiddleware(tidemark) })`: chat completions and responses of any client
 * that takes a `fetch` go through Tidemark; all else passes untouched.
 */
export function openaiMiddleware(tidemark: Tidemark, options: OpenAIOptions = {}): Fetch {
  check(OPTIONS, options, "openaiMiddleware", "option ");
  const home = internalsFor(tidemark, "openaiMiddleware");
  const out: Fetch = options.fetch ?? ((url, init) => fetch(url, init));
  const failed = lru<string, Turn>(RETRIED);
  const observes = home.options.mode === "observe";
  if (!home.off)
    home.expectCalls(
      "no call came through openaiMiddleware before this Tidemark was closed; is it the client's " +
        "`fetch`?",
    );
  const send: Send = (call, body, signal) => out(call.url, withBody(call, body, signal));

  async function begin(call: OpenAICall): Promise<Turn> {
    const speaker = options.identity
      ? internalsFor(
          await speakerOf(tidemark, call.body, options.identity, "openaiMiddleware"),
          "openaiMiddleware",
        )
      : home;
    const conversation = options.conversation?.(call.body);
    return speaker.begin(call.body as ProviderRequest, {
      dialect: call.dialect,
      complete: completeThrough(call, send, home.distilModel),
      ...(conversation !== undefined && { conversation }),
      ...(call.init.signal && { signal: call.init.signal }),
    });
  }

  /** One attempt: the caller's own bytes where nothing of them differs. */
  async function attempt(call: OpenAICall, turn: Turn) {
    const request = turn.request as Dict;
    const asks = !observes && wantsUsage(call);
    const body = asks ? { ...request, stream_options: usageToo(request) } : request;
    const response = body === call.body ? await out(call.url, call.init) : await send(call, body);
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
    const refusal = await refusalOf(response);
    if (refusal || !isStream) return { response, refusal, isStream, asks };
    const first = call.dialect.envelope ? await heldBack(response) : { response };
    return { ...first, isStream, asks };
  }

  return async function tidemarkFetch(url, init) {
    const call = home.off ? undefined : callIn(url, init);
    if (call === undefined) return out(url, init);
    if (home.closed() !== undefined || call === "unread") {
      const reason =
        call === "unread"
          ? "its body is of no form known here"
          : `this ${home.closed()} was closed`;
      home.emit({ type: "passed", reason });
      return out(url, init);
    }
    home.sawCall();
    const { dialect, body } = call;
    const opened = dialect.envelope?.open(body) ?? (body as ProviderRequest);
    if (isOwnCall(opened.messages.at(-1), dialect)) return out(url, init);
    const key = hashOf(`${String(url)}\n${call.text}`);
    let turn: Turn;
    try {
      turn = failed.get(key) ?? (await begin(call));
    } catch (thrown) {
      return refusedBy(thrown);
    }
    failed.set(key, turn);
    let done = await attempt(call, turn);
    const smaller = done.refusal && (await retryOf(turn, done.refusal));
    if (smaller) {
      turn = smaller;
      done = await attempt(call, smaller);
    }
    const { response, isStream, asks } = done;
    if (response.ok || response.status === 400) failed.delete(key);
    if (!response.ok) return response;
    if (!isStream) {
      const reply = dictIn(
        await response
          .clone()
          .text()
          .catch(() => ""),
      );
      if (reply) await turn.end(reply);
      return response;
    }
    const reader = dialect.envelope ? createResponseReader() : createCompletionReader();
    const read = watchedStream(response, reader, (reply) => turn.end(reply));
    return asks ? withoutUsage(read) : read;
  };
}

const usageToo = ({ stream_options: given }: Dict): Dict => ({
  ...asDict(given),
  include_usage: true,
});

/** Completions are streamed without their usage where the caller does not ask for it. */
const wantsUsage = ({ dialect, body }: OpenAICall): boolean =>
  dialect.envelope === undefined &&
  body.stream === true &&
  asDict(body.stream_options).include_usage === undefined;

/** What Tidemark refuses, as the API would: an error that a `fetch` throws is tried again. */
function refusedBy(thrown: unknown): Response {
  if (!isTidemarkError(thrown)) throw thrown;
  const { code, message } = thrown;
  const error = {
    message,
    type: "invalid_request_error",
    param: null,
    code: code === "window" ? "context_length_exceeded" : `tidemark_${code}`,
  };
  return Response.json({ error }, { status: 400, headers: { "x-should-retry": "false" } });
}
