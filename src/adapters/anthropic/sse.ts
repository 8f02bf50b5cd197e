import { gatherMessage } from "../../dialect/anthropic/events.ts";
import { eventIn } from "../../dialect/stream.ts";

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
