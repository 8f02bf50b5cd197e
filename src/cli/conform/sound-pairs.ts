import { isDict } from "../../model/guards.ts";
import { type Message } from "../../model/request.ts";

interface Call {
  readonly id: string;
  /** Of its message, counted from 1. */
  readonly at: number;
}

/** Every call answered at the beginning of the user's next turn, once, and nothing answered that was not called for. Messages of one role in a row are one turn. */
export function pairFault(messages: readonly Message[]): string | undefined {
  const known = new Set<string>();
  let open: Call[] = [];
  let leading = true;
  for (const [index, { role, content }] of messages.entries()) {
    const at = index + 1;
    if (role !== messages[index - 1]?.role) leading = true;
    if (role === "assistant" && open.length > 0 && messages[index - 1]?.role === "user")
      return unanswered(open);
    for (const block of Array.isArray(content) ? content.filter(isDict) : [{ type: "text" }]) {
      const { type, id, tool_use_id: answers } = block as { readonly [key: string]: unknown };
      if (type === "tool_use") {
        if (known.has(String(id)))
          return `message ${at} calls a tool under the id "${String(id)}", which was used before`;
        known.add(String(id));
        open.push({ id: String(id), at });
      } else if (type === "tool_result") {
        const called = open.find((call) => call.id === answers);
        if (called === undefined)
          return `message ${at} answers the call "${String(answers)}", which the message before it does not make`;
        if (!leading)
          return `message ${at} answers the call "${called.id}" behind a text; answers come first`;
        open = open.filter((call) => call !== called);
      } else leading = false;
    }
  }
  return open.length > 0 ? unanswered(open) : undefined;
}

const unanswered = ([first]: readonly Call[]): string =>
  `message ${first?.at ?? 0} calls a tool ("${first?.id ?? ""}") that is not answered in the next one`;
