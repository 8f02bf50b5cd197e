import type { Folding, Relief } from "../../compaction/commit.ts";
import { relieve } from "../../compaction/fold.ts";
import { reasonOf } from "../../core/errors-and-events.ts";
import type { Overflow } from "../../providers/usage-and-overflow.ts";
import { learn, mostTokens } from "../../session/options/save-and-fold-marks.ts";
import { keeping, type Outgoing, outgoingAnew } from "../../session/outgoing-request.ts";
import { SMALLEST_WINDOW } from "../../session/count-tokens.ts";
import { fitting, type Recalling } from "./recall.ts";

type Recovering = Folding & Recalling;

/**
 * The provider has refused the request for its size: believe its numbers where they can be true,
 * and shrink as at the brim.
 */
export async function smallerFor(
  core: Recovering,
  outgoing: Outgoing,
  overflow: Overflow,
): Promise<Relief | undefined> {
  const { model, session, estimated } = outgoing;
  // No window is larger than is known, and no prompt that much larger than by our own count.
  const { tokens: counted = 0, window: read = 0 } = overflow;
  const tokens = counted <= mostTokens(estimated) ? counted : 0;
  const window = read >= SMALLEST_WINDOW && read <= outgoing.window ? read : undefined;
  if (window !== undefined) core.windows.refused(model, window);
  const limit =
    window === undefined
      ? outgoing.limit
      : Math.min(outgoing.limit, Math.max(1, window - (outgoing.window - outgoing.limit)));
  // A refusal without numbers says only that our count was too low.
  const reported = Math.max(tokens, Math.ceil(outgoing.level.used * 1.02), limit + 1);
  const learnt = learn(session.state, { model, reported, estimated });
  const smaller = outgoingAnew(core, { ...(await keeping(core, outgoing, learnt)), limit });
  const relief = await fitting(core, smaller, (one) => relieve(core, one, "overflow"));
  if (relief.outgoing.level.used >= reported) return undefined;
  core.emit({ type: "overflow-recovered", before: reported, after: relief.outgoing.level.used });
  return relief;
}

/**
 * The same request without the thinking it was refused for, and the session told never to send it
 * again. Undefined where it holds none: then something else is wrong, and the caller is to hear of
 * it.
 */
export async function withoutRefused(
  core: Recovering,
  outgoing: Outgoing,
  error: unknown,
): Promise<Relief | undefined> {
  const { dialect, session, view } = outgoing;
  if (!view.request.messages.some((message) => dialect.thinks(message))) return undefined;
  const refused = { upTo: outgoing.entries.length };
  const now = outgoingAnew(core, await keeping(core, outgoing, { refused }));
  // The same bytes would be refused once more.
  if (JSON.stringify(now.view.request) === JSON.stringify(view.request)) return undefined;
  core.tellUnbound(now);
  core.emit({
    type: "notice",
    about: "thinking-refused",
    text: "The provider refused a request for its thinking; it is sent again without.",
    session: session.id,
    error: reasonOf(error).slice(0, 500),
  });
  return { outgoing: now };
}
