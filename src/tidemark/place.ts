import { type Placed } from "../history/sessions.ts";
import { TO_NOTHING } from "../prompt/binding.ts";
import { type Call } from "./core.ts";

/** The request laid on its conversation, as that stands now; its new messages are archived. */
export function place({ core, who, can, dialect, request, preamble, conversation }: Call): Promise<Placed> {
  const before = core.binding.before(dialect, request);
  return core.sessions.place({
    dialect,
    messages: conversation,
    root: who.root,
    ...(who.label === undefined ? {} : { label: who.label }),
    prefixBefore: (index) => (can.boundThinking ? before(preamble + index) : TO_NOTHING),
    prefixBehind: (prefix, message) => core.binding.behind(dialect, prefix, message),
  });
}
