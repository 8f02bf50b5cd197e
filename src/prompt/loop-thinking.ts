import { type Dialect } from "../dialect/dialect.ts";
import { leadsWithThinking, thinkingOff, thinksByHand } from "../dialect/thinking-mode.ts";
import { type ProviderRequest } from "../model/request.ts";
import { openLoop } from "../window/loop.ts";

/** A tool loop under way that has lost its thinking is only accepted with manual thinking off. */
export function fitThinking(dialect: Dialect, request: ProviderRequest): ProviderRequest {
  if (!thinksByHand(request)) return request;
  const first = request.messages[openLoop(dialect, request.messages) ?? -1];
  return first === undefined || leadsWithThinking(first) ? request : thinkingOff(request);
}
