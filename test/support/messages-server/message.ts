import type { InputUsage } from "./prompt-cache.ts";
import type { Finished } from "./replies.ts";
import type { Json } from "./wire.ts";

/** The body of an answered request (`Message`, `BetaMessage` of SDK 1.11.0). */
export function messageOf(
  body: Json,
  done: Finished,
  booked: InputUsage,
  { id, beta }: { id: string; beta: boolean },
) {
  return {
    id,
    type: "message",
    role: "assistant",
    model: body.model,
    content: done.content,
    stop_reason: done.stop_reason,
    stop_sequence: done.stop_sequence,
    stop_details: null,
    container: null,
    diagnostics: null,
    ...(beta ? { context_management: null } : {}),
    usage: {
      input_tokens: booked.input,
      cache_creation_input_tokens: booked.write5m + booked.write1h,
      cache_read_input_tokens: booked.read,
      cache_creation: {
        ephemeral_5m_input_tokens: booked.write5m,
        ephemeral_1h_input_tokens: booked.write1h,
      },
      output_tokens: done.outputTokens,
      output_tokens_details: { thinking_tokens: done.thinkingTokens },
      server_tool_use: null,
      service_tier: "standard",
      inference_geo: null,
      speed: null,
      ...(beta ? { iterations: null, fallback_credit: null } : {}),
    },
  };
}
