import { asDict, type Dict, dictIn, dicts, isDict } from "../../core/base.ts";
import { createEventReader } from "../../providers/common/replies.ts";
import { completionOf } from "../../providers/openai/completion.ts";
import { eventsRead, remade } from "../http/calls.ts";
import { gatherResponse, saysNothing } from "../../providers/responses/events.ts";

/** Puts a streamed completion together from its bytes. */
export function createCompletionReader() {
  const chunks: Dict[] = [];
  return eventsRead({
    take: (chunk) => void chunks.push(chunk),
    message: () => completionOf(chunks),
    complete: () => false,
  });
}

/** Puts a streamed response together from its bytes. */
export const createResponseReader = () => eventsRead(gatherResponse());

const END = /\r?\n\r?\n/;

/** Is it the chunk with the usage alone, which comes only to who asked for it? */
function isUsage(event: string): boolean {
  const data = event.startsWith("data:") ? dictIn(event.slice(5)) : undefined;
  return data !== undefined && isDict(data.usage) && dicts(data.choices).length === 0;
}

/** The stream without the chunk that the caller did not ask for; all else byte for byte. */
export function withoutUsage(response: Response): Response {
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
export async function heldBack(
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
