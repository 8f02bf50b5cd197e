import { type Format, type Message } from "../../model/request.ts";
import { readTokens, type Usage } from "../../model/ports.ts";

/** A stored reply as the provider would have given it, with what the request cost. */
export function replyOf(
  format: Format,
  message: Message,
  { model, usage }: { model: string; usage: Usage },
): unknown {
  if (format === "anthropic")
    return {
      type: "message",
      model,
      role: "assistant",
      content: message.content,
      stop_reason: JSON.stringify(message.content).includes('"tool_use"') ? "tool_use" : "end_turn",
      usage: {
        input_tokens: usage.input,
        cache_creation_input_tokens: usage.cacheWrite,
        cache_read_input_tokens: usage.cacheRead,
        output_tokens: usage.output,
      },
    };
  return {
    object: "chat.completion",
    model,
    choices: [
      {
        index: 0,
        message,
        finish_reason: Array.isArray(message.tool_calls) ? "tool_calls" : "stop",
      },
    ],
    usage: {
      prompt_tokens: readTokens(usage),
      completion_tokens: usage.output,
      total_tokens: readTokens(usage) + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cacheRead },
    },
  };
}
