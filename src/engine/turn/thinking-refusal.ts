import { asText, isDict } from "../../base/guards.ts";
import { reasonOf } from "../../model/errors.ts";
import { noteRefused } from "../session/thinking.ts";
import { seeAnew, foldIn, type Sight } from "../session/outgoing.ts";
import { tellUnbound } from "../session/outgoing.ts";

/** What the Messages API says of thinking and summaries that it does not take (SDK 1.11, reference of preserved thinking). */
const OF_THINKING =
  /invalid `(?:signature|data)` in `(?:redacted_)?thinking` block|bound to a different conversation|block_binding/i;
const OF_SUMMARIES =
  /compaction_(?:block_|content_mismatch|signature_invalid|tool_changes_mismatch)|`compaction` block|tag 'compaction'/i;
const OF_BETAS = /anthropic-beta|unexpected value.{0,80}beta/i;

/** Was a request refused for its thinking, for a summary of the provider's own, or for a beta they need. */
export function thinkingRefusal(error: unknown): "thinking" | "summary" | "beta" | undefined {
  if (!isDict(error) || (typeof error.status === "number" && error.status !== 400))
    return undefined;
  const said = `${asText(error.message)}\n${isDict(error.error) ? JSON.stringify(error.error).slice(0, 20_000) : ""}`;
  if (OF_SUMMARIES.test(said)) return "summary";
  if (OF_THINKING.test(said)) return "thinking";
  return OF_BETAS.test(said) ? "beta" : undefined;
}

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
    ...(fold !== undefined && view.signed !== undefined
      ? { fold }
      : placed.session.state.refused?.fold === undefined
        ? {}
        : { fold: placed.session.state.refused.fold }),
  };
  const updated = await core.sessions.update(placed.session.id, { state: { refused } });
  const now = seeAnew(call, { ...placed, ...updated, positions: placed.positions });
  // The same bytes would be refused once more.
  if (JSON.stringify(now.view.request) === JSON.stringify(view.request)) return undefined;
  tellUnbound(now);
  core.emit({
    type: "thinking-refused",
    session: placed.session.id,
    error: reasonOf(error).slice(0, 500),
  });
  return now;
}
