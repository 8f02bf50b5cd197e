import { dicts, isDict } from "../model/guards.ts";
import { type Message, type ProviderRequest } from "../model/request.ts";
import { isThinking } from "./anthropic-blocks.ts";

/** Manual thinking: the provider wants a tool loop under way to begin with the thinking that led to it. */
export const thinksByHand = (request: ProviderRequest): boolean => isDict(request.thinking) && request.thinking.type === "enabled";

export const leadsWithThinking = (message: Message): boolean => {
  const [first] = dicts(message.content);
  return first !== undefined && isThinking(first);
};

/** The request with thinking switched off: a loop whose thinking is lost is refused otherwise. */
export function thinkingOff(request: ProviderRequest): ProviderRequest {
  const { thinking: _thinking, ...rest } = request;
  return rest as ProviderRequest;
}
