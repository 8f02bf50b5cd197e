import { asText, defined, dicts } from "../base/guards.ts";
import type { Capabilities, Format, Message, ProviderRequest } from "../model/request.ts";
import { itemsOf } from "./common/reading.ts";
import { isInstruction, roleOf } from "./openai/parts.ts";

/**
 * How words of ours stand with a turn of the user's: as a system message behind it, as one that is shown until the user
 * speaks again, or as a last text of that turn.
 */
export type Beside = "system" | "cleared" | "text";

/** Bedrock and Vertex name models so, and take no system message among the others (SDK 1.11, `SystemMessageParam`). */
const ELSEWHERE = /(?:^|[./])anthropic\.|@/;
/** Their chat templates refuse a system message that is not the first, or any. */
const FIRST_ONLY = /qwen|llama|mi[sx]tral|gemma|phi-|deepseek|o1-(?:mini|preview)/;

/** The best way a request's model takes. `sends`: does a header name this beta, or can one be made to. */
export function besideOf(
  format: Format,
  request: ProviderRequest,
  {
    can,
    sends,
  }: {
    can: Pick<Capabilities, "midConversationSystem" | "clearAt">;
    sends: (beta: string) => boolean;
  },
): Beside {
  const model = asText(request.model).toLowerCase();
  if (format === "openai-chat") return FIRST_ONLY.test(model) ? "text" : "system";
  if (format !== "anthropic" || !can.midConversationSystem || ELSEWHERE.test(model)) return "text";
  // A tool's result is the user's message too: in a loop such a one would be gone after the first step.
  const loops = dicts(request.tools).length > 0;
  return can.clearAt !== undefined && sends(can.clearAt) && !loops ? "cleared" : "system";
}

/** What was sent in one way must go as the request's model takes it now. */
export const takes = (best: Beside, kept: Beside): Beside => {
  if (best === "text") return "text";
  return kept === "cleared" ? best : kept;
};

/** The words as a message of their own, in the voice the request's instructions have. */
export function besideMessage(
  format: Format,
  { messages }: ProviderRequest,
  { text, as }: { text: string; as: Exclude<Beside, "text"> },
): Message {
  if (format === "openai-chat") {
    const first = messages[0];
    return {
      role: isInstruction(first) ? roleOf(first) : "system",
      content: text,
    };
  }
  return {
    role: "system",
    content: text,
    ...defined({ clear_at: as === "cleared" ? "next_user_message" : undefined }),
  };
}

/** Anthropic takes a system message behind the user's only where the assistant answers it; OpenAI none between results of tools. */
export const mayStandBefore = (format: Format, next: Message | undefined): boolean =>
  next === undefined || (format === "anthropic" ? next.role === "assistant" : next.role !== "tool");

/** The message with a text behind all it holds. */
export function withTextBehind(format: Format, message: Message, text: string): Message {
  const { content } = message;
  if (typeof content === "string" && format === "openai-chat")
    return { ...message, content: `${content}\n\n${text}` };
  return { ...message, content: [...itemsOf(content), { type: "text", text }] };
}
