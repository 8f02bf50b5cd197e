/** Puts a reply together from the bytes of a stream. */
interface ReplyReader {
  push(bytes: Uint8Array): void;
  /** The reply as far as it came; undefined where none began. */
  message(): object | undefined;
  complete(): boolean;
}

/** Hands the bytes of a stream on as they come and reads along. The stream ends for the caller once `end` has taken the reply. */
export function watchedStream(
  response: Response,
  reply: ReplyReader,
  end: (reply: object) => Promise<void>,
): Response {
  if (!response.body) return response;
  const reader = response.body.getReader();
  let ended = false;
  const archive = async (): Promise<void> => {
    if (ended) return;
    ended = true;
    const message = reply.message();
    if (message) await end(message);
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
