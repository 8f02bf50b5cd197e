import { dicts, isDict } from "../model/guards.ts";
import { type Message, type ProviderRequest } from "../model/request.ts";
import { isThinking } from "./anthropic-blocks.ts";

/** Manual thinking: the provider wants a tool loop under way to begin with the thinking that led to it. */
export const thinksByHand = (request: ProviderRequest): boolean => isDict(request.thinking) && request.thinking.type === "enabled";

/** Generations 3 and 4 check a thought's signature and nothing before it; of a model we do not know the worst is assumed. */
const FREE = /claude-(?:3|(?:opus|sonnet|haiku)-4)(?!\d)/;

/** Is thinking held to the system text, the tools and the messages it was made behind. */
export const bindsThinking = ({ model }: ProviderRequest): boolean => typeof model !== "string" || !FREE.test(model);

export const leadsWithThinking = (message: Message): boolean => {
  const [first] = dicts(message.content);
  return first !== undefined && isThinking(first);
};

/** The request with thinking switched off: a loop whose thinking is lost is refused otherwise. */
export function thinkingOff(request: ProviderRequest): ProviderRequest {
  const { thinking: _thinking, ...rest } = request;
  return rest as ProviderRequest;
}
