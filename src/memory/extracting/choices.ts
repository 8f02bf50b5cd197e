import type { Message } from "../../core/request.ts";
import type { Dialect } from "../../providers/common/dialect.ts";

interface Chosen {
  readonly dialect: Dialect;
  readonly messages: readonly Message[];
}

/**
 * Names of tools that hand the agent's question to the user, no other's that answer: "ask_docs"
 * says what a page says, and a server's tool ("mcp__forms__ask_user") what it likes.
 */
const ASKS_USER = new RegExp(
  "^(?:ask_?(?:the_?)?(?:user|human)(?:_?(?:questions?|input))?|ask_?followup_?questions?" +
    "|(?:request|get)_?(?:user|human)_?input)$",
  "i",
);

export const asksUser = (name: string): boolean => ASKS_USER.test(name);

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
