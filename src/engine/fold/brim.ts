import { defined } from "../../base/defined.ts";
import { TidemarkError } from "../../model/errors.ts";
import { mostTokens } from "../../window/calibrate.ts";
import { type Works } from "../background/work.ts";
import { place } from "../background/place.ts";
import { fixedTokens, see, type Sight } from "../session/outgoing.ts";
import { commit, OVERTAKEN, shortenOnly } from "./commit.ts";
import { planAt } from "./plan.ts";
import { foresee } from "./outlook.ts";
import { refuse, type Relief } from "./relief.ts";
import { type Rehearsed, withoutModel } from "./without-model.ts";
import { type Urgency } from "./waiting.ts";

/** Other calls of one conversation change it so often while this one folds; to lose so often is to meet a program gone wild. */
const LOOKS = 8;

/** No more waiting: the extractive distiller makes what is missing, and the model's facts follow from the queue. */
export async function atTheBrim(
  sight: Sight,
  works: Works,
  { urgency, rehearsed }: { urgency: Urgency; rehearsed?: Rehearsed | undefined },
): Promise<Relief> {
  let seen = sight;
  for (let looks = 1; ; looks += 1) {
    const relief = await lastResort(seen, works, {
      urgency,
      ...defined({ rehearsed: looks === 1 && rehearsed ? rehearsed : undefined }),
    });
    if (relief.refused !== OVERTAKEN || looks >= LOOKS) {
      if (relief.refused !== undefined) refuse(relief.sight, relief.refused);
      return fitting(relief, urgency);
    }
    // Another call of the conversation was faster. What it left is looked at afresh: its fold may do, else there is one to make.
    seen = see(seen.call, await place(seen.call));
    if (seen.window.mark !== "brim" && urgency === "brim") return { sight: seen };
  }
}

async function lastResort(
  sight: Sight,
  works: Works,
  { urgency, rehearsed }: { urgency: Urgency; rehearsed?: Rehearsed },
): Promise<Relief> {
  const outlook = rehearsed?.outlook ?? (await foresee(sight));
  const plan = rehearsed?.plan ?? planAt(sight, outlook, { pressed: true });
  if (plan.kind === "refuse") return { sight, refused: plan.reason };
  if (plan.kind === "shorten") return shortenOnly(sight, plan.shorten);
  const made = await withoutModel(sight, works, { cut: plan.cut, quoted: rehearsed?.quoted });
  if (made === undefined) return { sight, refused: OVERTAKEN };
  const relief = await commit(sight, works, { plan, ...made, outlook, urgency });
  if (!relief.folded || relief.sight.window.used <= relief.sight.call.limit) return relief;
  // The summary came out longer than planned for: what is left may still be shortened.
  const rest = planAt(relief.sight, outlook, { pressed: true });
  return rest.kind === "shorten"
    ? { ...relief, ...(await shortenOnly(relief.sight, rest.shorten)) }
    : relief;
}

/** What can be made to fit was made to fit (design §3.4); after a provider's own refusal its error says the rest. */
function fitting(relief: Relief, urgency: Urgency): Relief {
  const { call, window } = relief.sight;
  if (window.used <= call.limit || urgency === "overflow") return relief;
  // Usage added up over calls, as some frameworks report it, must not close a conversation: let the provider judge.
  if (mostTokens(relief.sight.estimated) <= call.limit) return relief;
  const head = Math.ceil(fixedTokens(relief.sight));
  throw new TidemarkError(
    "window",
    `The request cannot be made to fit: after all that may be folded or shortened it takes about ${window.used} tokens, ${head} of them system text and tools, and the limit is ${call.limit} (window ${call.window}).`,
  );
}
