import { defined } from "../../base/defined.ts";
import { reasonOf } from "../../model/errors.ts";
import { type Dict, isDict } from "../../base/guards.ts";
import { type Turn } from "../../engine/options/types.ts";
import { createReplyReader } from "./sse.ts";

interface Parser {
  parse<T = unknown>(response: Response): Promise<T>;
}

/** What a refused request was refused with, in the shape of the SDK's errors; undefined for all that is no refusal. */
export async function refusalOf(response: Response): Promise<object | undefined> {
  if (response.ok || response.status === 429 || response.status >= 500) return undefined;
  const text = (await response.clone().text()).slice(0, 20_000);
  const error = answerIn(text);
  return {
    status: response.status,
    message: error === undefined ? text : reasonOf(error),
    ...defined({ error }),
  };
}

function answerIn(text: string): Dict | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    return isDict(answer) ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** The response with its reply archived before the caller has read to its end, however far it came. */
export async function watched(response: Response, turn: Turn, parser: Parser): Promise<Response> {
  const type = response.headers.get("content-type") ?? "";
  if (!type.includes("text/event-stream")) {
    const reply = await parser.parse(response).catch(() => undefined);
    if (isDict(reply) && reply.type === "message") await turn.end(reply);
    return response;
  }
  return response.body ? passing(response, response.body, turn) : response;
}

/** Hands the bytes on as they come and reads along. The stream ends for the caller once the reply is on disk. */
function passing(response: Response, source: ReadableStream<Uint8Array>, turn: Turn): Response {
  const reader = source.getReader();
  const reply = createReplyReader();
  let ended = false;
  const archive = async (): Promise<void> => {
    if (ended) return;
    ended = true;
    const message = reply.message();
    if (message) await turn.end(message);
  };
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (value) {
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
  const made = new Response(body, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
  // A made response has no address; the SDK logs it.
  Object.defineProperty(made, "url", { value: response.url });
  return made;
}
