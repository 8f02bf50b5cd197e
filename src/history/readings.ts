import { type Dialect } from "../dialect/dialect.ts";
import { type Message } from "../model/request.ts";
import { createSeen } from "../tokens/seen.ts";
import { type Reading } from "./align.ts";

/** Enough of a reply to know its cut form again. */
export const HEAD = 80;

/**
 * Reads messages for placing. A message object that was read before and has not been changed since is not hashed again:
 * comparing leaves is two hundred times cheaper, and callers do change messages in place.
 */
export function createReadings(): (dialect: Dialect, messages: readonly Message[]) => Reading[] {
  const seen = createSeen<Reading>();
  return (dialect, messages) =>
    messages.map((message, index) => {
      const known = seen.get(message);
      if (known) return known;
      const { content, skeleton } = dialect.canon(messages, index);
      const assistant = dialect.speaker(message) === "assistant";
      const reading = { content, skeleton, assistant, head: assistant ? dialect.text(message).slice(0, HEAD) : "" };
      seen.set(message, reading);
      return reading;
    });
}
