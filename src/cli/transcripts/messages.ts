import { dialectFor } from "../../dialect/detect.ts";
import { isDict, type Dict } from "../../base/guards.ts";
import type { Message, ProviderRequest, Format } from "../../model/request.ts";

const ROLES = new Set(["user", "assistant", "system", "developer", "tool", "function"]);
/** What a stored request may hold beside its messages, and what shapes the request that is played. */
const AROUND = [
  "model",
  "system",
  "tools",
  "max_tokens",
  "max_completion_tokens",
  "thinking",
] as const;

/** Messages as a provider takes them, with what stood around them where the file says so. */
export function fromMessages(given: readonly unknown[], whole: Dict): Conversation {
  if (given.length === 0) throw new NoConversation("no messages");
  given.forEach((message, index) => {
    if (!isDict(message)) throw new NoConversation(`a list whose item ${index} is no message`);
    if (!ROLES.has(String(message.role)))
      throw new NoConversation(
        `a list whose item ${index} has ${message.role === undefined ? "no role" : `the role ${JSON.stringify(message.role)}`}`,
      );
  });
  const messages = given as readonly Message[];
  if (!messages.some(({ role }) => role === "assistant"))
    throw new NoConversation(`${messages.length} messages and no reply of a model among them`);

  const around: Dict = Object.fromEntries(
    AROUND.flatMap((name) =>
      whole[name] === undefined || whole[name] === null || whole[name] === ""
        ? []
        : [[name, whole[name]]],
    ),
  );
  const { format } = dialectFor({ ...around, messages } as ProviderRequest);
  if (format === "anthropic" || around.system === undefined)
    return { format, around, messages, notes: [] };
  const { system, ...rest } = around;
  return {
    format,
    around: rest,
    messages: [{ role: "system", content: system }, ...messages],
    notes: [],
  };
}

/** A conversation to play: what stands around the messages in every request, and the messages. */
export interface Conversation {
  readonly format: Format;
  readonly around: Omit<ProviderRequest, "messages">;
  readonly messages: readonly Message[];
  /** What a person should know about the source. */
  readonly notes: readonly string[];
}

/** Of a file that is not a conversation: what was found, without the file's name. */
export class NoConversation extends Error {}
