import type { Dialect } from "./dialect.ts";
import type { Message } from "../../model/request.ts";

/** The last message in which the user speaks and answers no call; -1 if there is none. */
export function lastUser(dialect: Dialect, messages: readonly Message[]): number {
  return messages.findLastIndex(
    (message) => dialect.speaker(message) === "user" && dialect.results(message).length === 0,
  );
}

/**
 * Where the tool loop under way begins, as the provider sees it: its first assistant message, when
 * the history ends in results or open calls. Undefined when the user has the word. Anthropic reads
 * messages of the user's in a row as one turn, so words beside or behind results do not close a
 * loop; nor does a system message, which belongs to no turn.
 */
export function openLoop(dialect: Dialect, messages: readonly Message[]): number | undefined {
  const joins = dialect.traits.joinsTurns;
  let start: number | undefined;
  let answers = false;
  let speaks = false;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index] as Message;
    const speaker = dialect.speaker(message);
    if (speaker === "system") continue;
    if (speaker === "assistant") {
      if (
        start === undefined &&
        !answers &&
        dialect.calls(message).length === 0 &&
        dialect.results(message).length === 0
      )
        break;
      if (speaks && !answers) break;
      start = index;
      answers = speaks = false;
    } else if (dialect.results(message).length > 0) answers = true;
    else if (joins) speaks = true;
    else break;
  }
  return start;
}
