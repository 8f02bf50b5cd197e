import type { Dict } from "../../base/guards.ts";
import { lru } from "../../base/cache.ts";
import { createSeen } from "../../tokens/message-cache.ts";

/** Shorter bodies are written out faster than compared piece by piece. */
const SHORT = 50_000;
/** Conversations whose last body is kept: a megabyte each for a history of 200,000 tokens. */
const KEPT = 8;

/**
 * A body that was the caller's own: its text from the first message on, and how many messages there
 * are.
 */
interface Known {
  readonly text: string;
  readonly count: number;
}

/**
 * Is a text what `JSON.stringify` makes of the caller's own body? To write a long history out with
 * every call takes longer than all else a turn does: messages that have not changed since they
 * stood in such a text are compared with it, and only the rest is written.
 */
export function createOwnBody(short = SHORT): (own: Dict, text: string) => boolean {
  const lengths = createSeen<number>();
  const known = lru<object, Known>(KEPT);

  return (own, text) => {
    const whole = (): boolean => JSON.stringify(own) === text;
    const { messages } = own;
    const frame = frameOf(own);
    if (text.length < short || frame === undefined || !isList(messages)) return whole();
    const [first] = messages;
    if (first === undefined) return whole();
    let fresh = messages.length;
    const sizes = lengths.all(messages, (message, index) => {
      fresh = Math.min(fresh, index);
      return JSON.stringify(message)?.length ?? NaN;
    });
    const before = known.get(first);
    const count = Math.min(fresh, before?.count ?? 0);
    const same = sizes.slice(0, count).reduce((sum, size) => sum + size, Math.max(0, count - 1));
    if (Number.isNaN(same)) return whole();
    const from = frame.head.length;
    const rest = messages.slice(count);
    const isAsBefore =
      text.startsWith(frame.head) &&
      text.slice(from, from + same) === (before?.text.slice(0, same) ?? "") &&
      text.slice(from + same) ===
        (count > 0 && rest.length > 0 ? "," : "") +
          `${JSON.stringify(rest).slice(1, -1)}${frame.tail}`;
    // A message left out moves all that stand behind it.
    const is = isAsBefore || whole();
    if (is) known.set(first, { text: text.slice(from), count: messages.length });
    else known.delete(first);
    return is;
  };
}

const isList = (messages: unknown): messages is readonly object[] =>
  Array.isArray(messages) && messages.every((one) => typeof one === "object" && one !== null);

/**
 * What is written before the messages and behind them; undefined for a body that is not written
 * member by member.
 */
function frameOf(own: Dict): { head: string; tail: string } | undefined {
  if (!Array.isArray(own.messages) || "toJSON" in own || "toJSON" in own.messages) return undefined;
  const entries = Object.entries(own);
  const at = entries.findIndex(([name]) => name === "messages");
  const written = (some: typeof entries): string =>
    JSON.stringify(Object.fromEntries(some)).slice(1, -1);
  const [before, behind] = [written(entries.slice(0, at)), written(entries.slice(at + 1))];
  return {
    head: `{${before}${before === "" ? "" : ","}"messages":[`,
    tail: `]${behind === "" ? "" : ","}${behind}}`,
  };
}
