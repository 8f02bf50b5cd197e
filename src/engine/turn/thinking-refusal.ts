import { defined } from "../../base/defined.ts";
import { reasonOf } from "../../model/errors.ts";
import { noteRefused } from "../session/thinking.ts";
import { seeAnew, foldIn, type Sight, tellUnbound } from "../session/outgoing.ts";

/**
 * The same request without what it was refused for, and the session told never to send it again. Undefined where it holds
 * nothing of the kind: then something else is wrong, and the caller is to hear of it.
 */
export async function withoutRefused(
  sight: Sight,
  what: "thinking" | "summary" | "beta",
  error: unknown,
): Promise<Sight | undefined> {
  const { call, placed, view } = sight;
  const { core } = call;
  const thinks = view.request.messages.some((message) => call.dialect.thinks(message));
  const ours = view.signed !== undefined || view.request.thinking !== call.request.thinking;
  if (!thinks && !ours) return undefined;
  // Nothing of ours, and no fold or section before it: the caller's own request would be refused as it is.
  if (what !== "thinking" && !ours) return undefined;
  if (what !== "thinking") noteRefused(call);
  const fold = foldIn(placed)?.id;
  const refused = {
    upTo: placed.entries.length,
    ...defined({
      fold: (view.signed && fold) ?? placed.session.state.refused?.fold,
    }),
  };
  const updated = await core.sessions.update(placed.session.id, { state: { refused } });
  const now = seeAnew(call, { ...placed, ...updated, positions: placed.positions });
  // The same bytes would be refused once more.
  if (JSON.stringify(now.view.request) === JSON.stringify(view.request)) return undefined;
  tellUnbound(now);
  core.emit({
    type: "notice",
    about: "thinking-refused",
    text: "The provider refused a request for its thinking; it is sent again without.",
    session: placed.session.id,
    error: reasonOf(error).slice(0, 500),
  });
  return now;
}
