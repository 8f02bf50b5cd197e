import { type Dialect } from "../dialect/dialect.ts";
import { leadsWithThinking, thinkingOff, thinksByHand } from "../dialect/thinking-mode.ts";
import { type Message, type ProviderRequest } from "../model/request.ts";
import { openLoop } from "../window/loop.ts";

/** A tool loop under way that has lost its thinking is only accepted with manual thinking off. */
export function fitThinking(dialect: Dialect, request: ProviderRequest, conversation: readonly Message[]): ProviderRequest {
  if (!thinksByHand(request)) return request;
  const start = openLoop(dialect, conversation);
  const first = start === undefined ? undefined : conversation.slice(start).find((message) => dialect.speaker(message) === "assistant");
  return first === undefined || leadsWithThinking(first) ? request : thinkingOff(request);
}
