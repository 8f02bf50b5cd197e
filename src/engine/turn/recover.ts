import { reasonOf } from "../../model/errors.ts";
import { learn, mostTokens } from "../../window/calibrate.ts";
import { type Call } from "../session/context.ts";
import { relieve } from "../fold/fold.ts";
import { type Relief } from "../fold/commit.ts";
import { type Overflow } from "../../dialect/refusals.ts";
import { LEAST_WINDOW } from "../runtime/windows.ts";
import { seeAnew, type Sight, foldIn, tellUnbound } from "../session/outgoing.ts";
import { fitting } from "./recall.ts";
import { type Scheduler } from "../background/scheduler.ts";
import { noteRefused } from "../session/thinking.ts";

/** The provider has refused the request for its size: believe its numbers where they can be true, and shrink as at the brim. */
export async function smallerFor(
  sight: Sight,
  scheduler: Scheduler,
  overflow: Overflow,
): Promise<Relief | undefined> {
  const { call, placed } = sight;
  const { core } = call;
  const { window, tokens = 0 } = plausible(overflow, sight);
  // The same request, sent again, is no second witness.
  const request = placed.entries.at(-1)?.chain ?? placed.session.id;
  if (window !== undefined)
    core.windows.refused(call.model, { window, root: call.who.root, request });
  const limit =
    window === undefined
      ? call.limit
      : Math.min(call.limit, Math.max(1, window - (call.window - call.limit)));
  // A refusal without numbers says only that our count was too low.
  const reported = Math.max(tokens, Math.ceil(sight.window.used * 1.02), limit + 1);
  const learnt = learn(placed.session.state, {
    model: call.model,
    reported,
    estimated: sight.estimated,
  });
  const updated = await core.sessions.update(placed.session.id, { state: learnt });
  const smaller: Call = { ...call, limit };
  const relief = await fitting(
    seeAnew(smaller, { ...placed, ...updated, positions: placed.positions }),
    (one) => relieve(one, scheduler, "overflow"),
  );
  if (relief.sight.window.used >= reported) return undefined;
  core.emit({ type: "overflow-recovered", before: reported, after: relief.sight.window.used });
  return relief;
}

/** No window is that small, and no prompt that much larger than by our own count. */
const plausible = ({ tokens = 0, window = 0 }: Overflow, { estimated }: Sight): Overflow => ({
  tokens: tokens > 0 && tokens <= mostTokens(estimated) ? tokens : undefined,
  window: window >= LEAST_WINDOW ? window : undefined,
});

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
    fold: (view.signed && fold) ?? placed.session.state.refused?.fold,
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
