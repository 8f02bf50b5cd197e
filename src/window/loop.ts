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

/** The least that must stay: the last message, with the calls it answers. */
export function leastTail(dialect: Dialect, messages: readonly Message[]): number {
  for (let index = messages.length - 1; index > 0; index--) if (dialect.opensTail(messages, index)) return index;
  return 0;
}
