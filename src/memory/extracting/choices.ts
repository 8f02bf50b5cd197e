import type { Message } from "../../core/request.ts";
import type { Dialect } from "../../providers/common/dialect.ts";

interface Chosen {
  readonly dialect: Dialect;
  readonly messages: readonly Message[];
}

/** Names of tools that ask the user: "AskUserQuestion", "ask_followup_question". */
const ASKS_USER = /^ask(?=[A-Z_]|$)|_ask(?:_|$)|user_?input|clarify/i;

/** A server's tool ("mcp__forms__ask_user") says what it likes, and calls it the user's. */
export const asksUser = (name: string): boolean => ASKS_USER.test(name) && !name.includes("__");

/** Tells of a message that it brings nothing but what the user chose where the agent asked. */
export function choices({ dialect, messages }: Chosen): (message: Message) => boolean {
  const asked = new Set(
    messages.flatMap((message) =>
      dialect.calls(message).flatMap(({ id, name }) => (asksUser(name) ? id : [])),
    ),
  );
  return (message) => {
    const results = asked.size > 0 ? dialect.results(message) : [];
    return results.length > 0 && results.every(({ id, failed }) => asked.has(id) && !failed);
  };
}
