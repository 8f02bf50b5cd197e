import { asDict, asText, defined, type Dict, dictIn } from "../../core/base.ts";
import { asOurs, reasonOf } from "../../core/errors-and-events.ts";
import type { Identity } from "../../core/identity.ts";
import type { Complete } from "../../core/request.ts";
import type { Dialect } from "../../providers/common/dialect.ts";
import { createEventReader } from "../../providers/common/replies.ts";
import { type Internals, internalsFor } from "../../session/options/internals.ts";
import type { Tidemark, Turn } from "../../session/options/tidemark-api.ts";
import { retryOf } from "../../tidemark/turn/begin.ts";

/** Why a call passes that is none of a conversation. */
export const UNREAD = "a body that is no conversation's";

/**
 * What a refused request was refused with, in the shape of the libraries' errors; undefined for all
 * that is no refusal.
 */
export async function refusalOf(response: Response): Promise<object | undefined> {
  if (response.ok || response.status === 429 || response.status >= 500) return undefined;
  const { status } = response;
  const message = (await response.clone().text()).slice(0, 20_000);
  const error = dictIn(message);
  return error ? { status, message: reasonOf(error), error } : { status, message };
}

/** Puts a reply together from the pieces of a stream. */
export interface ReplyReader<Piece> {
  push(piece: Piece): void;
  /** The reply as far as it came; undefined where none began. */
  message(): object | undefined;
  complete(): boolean;
}

/**
 * Hands the pieces of a stream on as they come and reads along. The stream ends for the caller once
 * `end` has taken the reply.
 */
export function readAlong<Piece>(
  stream: ReadableStream<Piece>,
  reply: ReplyReader<Piece>,
  end: (reply: object) => Promise<void>,
): ReadableStream<Piece> {
  const reader = stream.getReader();
  let ended = false;
  const archive = async (): Promise<void> => {
    if (ended) return;
    ended = true;
    const message = reply.message();
    if (message) await end(message);
  };
  return new ReadableStream<Piece>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (value !== undefined) {
          reply.push(value);
          // A reader of the last event may call again at once: the reply must be there by then.
          if (reply.complete()) await archive();
          controller.enqueue(value);
        }
        if (done) {
          await archive();
          controller.close();
        }
      } catch (thrown) {
        await archive();
        controller.error(thrown);
      }
    },
    async cancel(reason) {
      await archive();
      await reader.cancel(reason);
    },
  });
}

/** The response with another body; a made one has no address, and SDKs log it. */
export function remade(response: Response, body: ReadableStream<Uint8Array>): Response {
  const made = new Response(body, response);
  Object.defineProperty(made, "url", { value: response.url });
  return made;
}

export const isStream = ({ ok, headers }: Response): boolean =>
  ok && headers.get("content-type")?.includes("text/event-stream") === true;

/** Puts a reply together from the bytes of a stream, by what is made of its events. */
export function eventsRead({
  take,
  message,
  complete,
}: {
  take(event: Dict): void;
  message(): Dict | undefined;
  complete(): boolean;
}) {
  const events = createEventReader();
  return {
    push: (bytes: Uint8Array): void => events.push(bytes).forEach(take),
    message(): Dict | undefined {
      events.flush().forEach(take);
      return message();
    },
    complete: () => events.ended() || complete(),
  };
}

/**
 * The response with its reply archived before the caller has read to its end, however far it came.
 */
export async function watched(
  response: Response,
  turn: Pick<Turn, "end">,
  reader: () => ReplyReader<Uint8Array>,
): Promise<Response> {
  if (!response.ok) return response;
  const end = (reply: object): Promise<void> => turn.end(reply);
  if (response.body && isStream(response))
    return remade(response, readAlong(response.body, reader(), end));
  const text = await response
    .clone()
    .text()
    .catch(() => "");
  const reply = dictIn(text);
  if (reply) await end(reply);
  return response;
}

/** A provider's answer to a call of ours, as a distiller takes it. Throws where it is no reply. */
export function answerIn(dialect: Dialect, answer: unknown): Awaited<ReturnType<Complete>> {
  const reply = dialect.reply(answer);
  if (reply === undefined) throw new Error("the provider's answer holds no reply");
  const { message, usage, billed, stop } = reply;
  const calls = dialect.calls(message).length > 0;
  const made = { usage: billed ?? usage, stop: calls ? "tool_use" : stop };
  return { text: dialect.text(message), ...defined(made) };
}

/**
 * The same of a response. Throws what the provider says where it refuses, by its status, or its
 * code where that says more: it costs nothing.
 */
export async function answerOf(dialect: Dialect, response: Response) {
  const answer = dictIn(await response.text()) ?? {};
  if (response.ok) return answerIn(dialect, answer);
  const { code, message, details } = asDict(answer.error);
  const said = asText(message).slice(0, 500) || "no reason given";
  const { status } = response;
  const name = asText(code) || asText(asDict(details).error_code) || status;
  const reason = `the provider answered ${name}: ${said}`;
  throw Object.assign(new Error(reason), { status });
}

/** Makes a turn's call; one that is refused for its size once more, smaller. */
export async function madeOnceMore<Made>(
  turn: Turn,
  make: (request: Turn["request"]) => PromiseLike<Made>,
  refusalIn: (thrown: unknown) => unknown = (thrown) => thrown,
): Promise<{ readonly made: Made; readonly turn: Turn }> {
  try {
    return { made: await make(turn.request), turn };
  } catch (thrown) {
    const smaller = await retryOf(turn, refusalIn(thrown));
    if (!smaller) throw thrown;
    return { made: await make(smaller.request), turn: smaller };
  }
}

/** Every adapter asks before a call: is it taken, and in whose name? */
export function doorOf(tidemark: Tidemark, name: string, asks: string) {
  const home = internalsFor(tidemark, name);
  const told = new Set<string>();
  if (!home.off)
    home.expectCalls(`no call came through ${name} before this Tidemark was closed; ${asks}?`);
  /** Tells why calls pass untouched, each reason once. */
  const pass = (reason: string): void => {
    if (!told.has(reason)) home.emit({ type: "passed", reason });
    told.add(reason);
  };
  return {
    home,
    pass,
    /** Does a call go through Tidemark? One that was called off does not. */
    takes(signal?: AbortSignal): boolean {
      if (home.off || signal?.aborted === true) return false;
      const closed = home.closed();
      if (closed === undefined) home.sawCall();
      else pass(`this ${closed} was closed, so its client goes on without it`);
      return closed === undefined;
    },
    /** An identity that cannot be told apart is not answered in another's name. */
    async speaker<R>(
      request: R,
      identity: ((request: R) => Identity | Promise<Identity>) | undefined,
    ): Promise<Internals> {
      if (identity === undefined) return home;
      try {
        return internalsFor(tidemark.as(await identity(request)), name);
      } catch (thrown) {
        throw asOurs(thrown, "config", (why) => `${name}: identity(request) failed: ${why}.`);
      }
    },
  };
}

export type Door = ReturnType<typeof doorOf>;
