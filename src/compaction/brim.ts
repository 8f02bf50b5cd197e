import { TidemarkError } from "../core/errors-and-events.ts";
import { mostTokens } from "../session/options/save-and-fold-marks.ts";
import { fixedTokens, type Outgoing, outgoingOf } from "../session/outgoing-request.ts";
import {
  commit,
  type Folding,
  OVERTAKEN,
  refuse,
  type Relief,
  shortenOnly,
  type Urgency,
} from "./commit.ts";
import { place } from "../session/incoming-request.ts";
import { type Prepared, preparedFor, prepareSummary } from "./distilling/prepare-summary.ts";
import { foresee, planAt } from "./plan-question.ts";

/**
 * Other calls of one conversation change it so often while this one folds; to lose so often is to
 * meet a program gone wild.
 */
const LOOKS = 32;

/**
 * No more waiting: the extractive distiller makes what is missing, and the model's facts follow
 * from the queue.
 */
export async function atTheBrim(
  core: Folding,
  outgoing: Outgoing,
  urgency: Urgency,
): Promise<Relief> {
  let seen = outgoing;
  for (let looks = 1; ; looks += 1) {
    const relief = await lastResort(core, seen, urgency);
    if (relief.refused !== OVERTAKEN || looks >= LOOKS) {
      if (relief.refused !== undefined) refuse(core, relief.outgoing, relief.refused);
      const { level, limit, estimated, window } = relief.outgoing;
      // What can be made to fit was made to fit; after a provider's own refusal its error says the
      // rest. Usage added up over calls, as some frameworks report it, must not close a
      // conversation: then the provider judges.
      if (level.used <= limit || urgency === "overflow" || mostTokens(estimated) <= limit)
        return relief;
      const head = Math.ceil(fixedTokens(core, relief.outgoing));
      throw new TidemarkError(
        "window",
        "The request cannot be made to fit: after all that may be folded or shortened it " +
          `takes about ${level.used} tokens, ${head} of them system text and tools, and the ` +
          `limit is ${limit} (window ${window}).`,
      );
    }
    // Another call of the conversation was faster. What it left is looked at afresh: its fold may
    // do, else there is one to make.
    seen = outgoingOf(core, await place(core, seen));
    if (seen.level.mark !== "brim" && urgency === "brim") return { outgoing: seen };
  }
}

async function lastResort(core: Folding, outgoing: Outgoing, urgency: Urgency): Promise<Relief> {
  const outlook = await foresee(core, outgoing);
  const plan = planAt(core, outgoing, outlook);
  if (plan.kind === "refuse") return { outgoing, refused: plan.reason };
  if (plan.kind === "shorten") return shortenOnly(core, outgoing, plan.shorten);
  const made = await withoutModel(core, outgoing, plan.cut);
  if (made === undefined) return { outgoing, refused: OVERTAKEN };
  const relief = await commit(core, outgoing, {
    ...made,
    ...{ shorten: plan.shorten, outlook, urgency },
  });
  if (!relief.folded || relief.outgoing.level.used <= outgoing.limit) return relief;
  // The summary came out longer than planned for: what is left may still be shortened.
  const rest = planAt(core, relief.outgoing, outlook);
  return rest.kind === "shorten"
    ? { ...relief, ...(await shortenOnly(core, relief.outgoing, rest.shorten)) }
    : relief;
}

/**
 * Summary and receipt for the messages before `cut`: what is at hand, carried on to there by
 * quoting. Undefined: overtaken.
 */
async function withoutModel(
  core: Folding,
  outgoing: Outgoing,
  cut: number,
): Promise<Prepared | undefined> {
  const upTo = outgoing.positions[cut] ?? 0;
  // A range that the model is still at goes to the queue whole: both ends must not save it.
  await core.scheduler.halt(outgoing.session.id);
  const ready = await preparedFor(core, outgoing);
  if (ready?.upTo === upTo) return ready;
  const previous = ready && ready.upTo < upTo ? ready : undefined;
  const { signal } = new AbortController();
  await prepareSummary(core, outgoing, { upTo, previous, known: [], signal, byRules: true });
  const made = await preparedFor(core, outgoing);
  return made?.upTo === upTo ? made : undefined;
}
