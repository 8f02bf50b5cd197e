import { type Dialect } from "../dialect/dialect.ts";
import { type Message } from "../model/request.ts";

/** The last message in which the user speaks and answers no call; -1 if there is none. */
export function lastUser(dialect: Dialect, messages: readonly Message[]): number {
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message && dialect.speaker(message) === "user" && dialect.results(message).length === 0) return index;
  }
  return -1;
}

/**
 * Where the tool loop under way begins: its first assistant message, when the history ends in results or open calls.
 * Undefined when the user has the word.
 */
export function openLoop(dialect: Dialect, messages: readonly Message[]): number | undefined {
  const last = messages.at(-1);
  if (last === undefined) return undefined;
  const open = dialect.results(last).length > 0 || dialect.calls(last).length > 0;
  return open ? Math.min(messages.length - 1, lastUser(dialect, messages) + 1) : undefined;
}

/**
 * The latest message a tail of fewer than `keepLast` may start at (design §3.4): never behind the last user message, nor
 * inside the tool loop that works at it; `first` where that loop is longer than the tail.
 */
export function leastTail(dialect: Dialect, messages: readonly Message[], first: number): number {
  const asked = lastUser(dialect, messages);
  if (asked >= first) return seamBefore(asked, (index) => dialect.opensTail(messages, index));
  if (openLoop(dialect, messages) !== undefined) return first;
  for (let index = messages.length - 1; index > first; index--) if (dialect.opensTail(messages, index)) return index;
  return first;
}

/** The seam at or before `index`, so that pairs stay whole; 0 when there is none. */
export function seamBefore(index: number, opens: (index: number) => boolean): number {
  let at = Math.max(0, index);
  while (at > 0 && !opens(at)) at--;
  return at;
}
