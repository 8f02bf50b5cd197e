import { isDict } from "../../base/guards.ts";
import { gatherMessage } from "../../dialect/anthropic/events.ts";
import { eventIn } from "../../dialect/stream.ts";
import { type Turn } from "../../engine/options/types.ts";
import { watchedStream } from "../http/watch.ts";

/** The part of the SDK's middleware context in use. */
export interface Context {
  readonly options?: { readonly body?: unknown; readonly timeout?: unknown } | undefined;
  parse<T = unknown>(response: Response): Promise<T>;
}

/** The response with its reply archived before the caller has read to its end, however far it came. */
export async function watched(
  response: Response,
  turn: Pick<Turn, "end">,
  context: Pick<Context, "parse">,
): Promise<Response> {
  if (!response.ok) return response;
  if ((response.headers.get("content-type") ?? "").includes("text/event-stream"))
    return watchedStream(response, createReplyReader(), (reply) => turn.end(reply));
  const reply = await context.parse(response).catch(() => undefined);
  if (isDict(reply) && reply.type === "message") await turn.end(reply);
  return response;
}

/** Puts a Messages reply together from its server-sent events; what was cut off is given as far as it came. */
export function createReplyReader() {
  const decoder = new TextDecoder();
  const { take, message, complete } = gatherMessage();
  let rest = "";

  function push(bytes: Uint8Array): void {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split(/\r?\n\r?\n/);
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const event = eventIn(part);
      if (event !== undefined) take(event);
    }
  }

  return { push, message, complete };
}
