import { bindsThinking } from "../dialect/thinking-mode.ts";
import { type Placed } from "../history/sessions.ts";
import { TO_NOTHING } from "../prompt/binding.ts";
import { type Call } from "./core.ts";

/** The request laid on its conversation, as that stands now; its new messages are archived. */
export function place({ core, who, dialect, request, preamble, conversation }: Call): Promise<Placed> {
  const before = core.binding.before(dialect, request);
  const binds = bindsThinking(request, core.options.models);
  return core.sessions.place({
    dialect,
    messages: conversation,
    root: who.root,
    ...(who.label === undefined ? {} : { label: who.label }),
    prefixBefore: (index) => (binds ? before(preamble + index) : TO_NOTHING),
    prefixBehind: (prefix, message) => core.binding.behind(dialect, prefix, message),
  });
}
