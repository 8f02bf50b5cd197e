import { bindsThinking } from "../../dialect/thinking-mode.ts";
import { type Message, type ProviderRequest } from "../../model/request.ts";
import { type Call } from "../core.ts";
import { type Sight } from "../sight.ts";

/**
 * The sight for later. A request that nothing was changed in has the caller's own messages, and the caller goes on with them: what it
 * has added by the time a distiller is asked is not part of what was sent.
 */
export function held(sight: Sight): Sight {
  const { call, view } = sight;
  if (sight.held?.request === view.request) return sight;
  const copied = (one: ProviderRequest): ProviderRequest => ({
    ...one,
    messages: [...one.messages],
  });
  const given = copied(call.request);
  const request = view.request === call.request ? given : copied(view.request);
  // Of what nobody thought behind, a change costs a warm cache and no more.
  const bound = thinksBound(call, request.messages)
    ? { bound: call.core.binding.whole(call.dialect, request) }
    : {};
  return {
    ...sight,
    call: { ...call, request: given },
    view: { ...view, request },
    held: { request, ...bound },
  };
}

/** Its messages say what they said: where thinking is bound to them, it would be refused behind others. */
export const isAsHeld = ({ call: { core, dialect }, held }: Sight): boolean =>
  held?.bound === undefined || core.binding.whole(dialect, held.request) === held.bound;

const thinksBound = ({ core, dialect, request }: Call, messages: readonly Message[]): boolean =>
  bindsThinking(request, core.options.models) &&
  messages.some((message) => dialect.thinks(message));
