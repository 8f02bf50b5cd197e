import { type Dialect } from "../dialect/common/dialect.ts";
import {
  leadsWithThinking,
  thinkingOff,
  thinksByHand,
} from "../dialect/anthropic/thinking-mode.ts";
import { type ProviderRequest } from "../model/request.ts";
import { openLoop } from "../window/loop.ts";

/** A tool loop under way that has lost its thinking is only accepted with manual thinking off. */
export function fitThinking(dialect: Dialect, request: ProviderRequest): ProviderRequest {
  if (!thinksByHand(request)) return request;
  const first = request.messages[openLoop(dialect, request.messages) ?? -1];
  return first === undefined || leadsWithThinking(first)
    ? request
    : withoutLast(dialect, thinkingOff(request));
}

/** A reply that is gone on with, a paused one say, may hold no thoughts where thinking is off. */
function withoutLast(dialect: Dialect, request: ProviderRequest): ProviderRequest {
  const last = request.messages.at(-1);
  if (last === undefined || dialect.speaker(last) !== "assistant" || !dialect.thinks(last))
    return request;
  return {
    ...request,
    messages: [...request.messages.slice(0, -1), dialect.withoutThinking(last)],
  };
}
