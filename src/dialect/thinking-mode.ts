import { asText, dicts, isDict } from "../model/guards.ts";
import { type Message, type ProviderRequest } from "../model/request.ts";
import { isThinking } from "./anthropic-blocks.ts";
import { capabilitiesOf, type ModelOverrides } from "./capabilities.ts";

/** Manual thinking: the provider wants a tool loop under way to begin with the thinking that led to it. */
export const thinksByHand = (request: ProviderRequest): boolean => isDict(request.thinking) && request.thinking.type === "enabled";

/** Is thinking held to the system text, the tools and the messages it was made behind. Of a stranger the worst is assumed. */
export const bindsThinking = ({ model }: ProviderRequest, own?: ModelOverrides): boolean => capabilitiesOf(asText(model), own).boundThinking;

export const leadsWithThinking = (message: Message): boolean => {
  const [first] = dicts(message.content);
  return first !== undefined && isThinking(first);
};

/** The request with thinking switched off: a loop whose thinking is lost is refused otherwise. */
export function thinkingOff(request: ProviderRequest): ProviderRequest {
  const { thinking: _thinking, ...rest } = request;
  return rest as ProviderRequest;
}
