import { TidemarkError } from "../core/errors-and-events.ts";
import { extractive } from "../memory/extracting/extractive.ts";
import { mostTokens } from "../session/options/marks-and-usage.ts";
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
import { place } from "./place-request.ts";
import { distil, taskFor } from "./distilling/distil-task.ts";
import { type Prepared, preparedFor } from "./distilling/prepare-summary.ts";
import { persist } from "./journal/save-facts.ts";
import { queuedNotice, upToDate } from "./journal/watermark.ts";
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
  const plan = planAt(core, outgoing, outlook, { pressed: true });
  if (plan.kind === "refuse") return { outgoing, refused: plan.reason };
  if (plan.kind === "shorten") return shortenOnly(core, outgoing, plan.shorten);
  const made = await withoutModel(core, outgoing, plan.cut);
  if (made === undefined) return { outgoing, refused: OVERTAKEN };
  const relief = await commit(core, outgoing, { plan, ...made, outlook, urgency });
  if (!relief.folded || relief.outgoing.level.used <= outgoing.limit) return relief;
  // The summary came out longer than planned for: what is left may still be shortened.
  const rest = planAt(core, relief.outgoing, outlook, { pressed: true });
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
  given: Outgoing,
  cut: number,
): Promise<Pick<Prepared, "upTo" | "summary" | "receipt"> | undefined> {
  const { scheduler, models } = core;
  const { who } = given;
  const session = given.session.id;
  const upTo = given.positions[cut] ?? 0;
  // A range that the model is still at goes to the queue whole: both ends must not save it.
  await scheduler.halt(session);
  const ready = await preparedFor(core, given);
  if (ready?.upTo === upTo) return ready;
  const started = core.now();
  const outgoing = await upToDate(core, given);
  const model = models.completeFor(who, given.complete) !== undefined;
  const range = {
    upTo,
    known: [],
    previous: ready && ready.upTo < upTo ? ready : undefined,
    base: false,
  };
  const result = await distil(extractive, (signal) =>
    taskFor(core, outgoing, { ...range, signal }),
  );
  const from = outgoing.session.watermark;
  if (!model) models.sayNone();
  const asked = model && from < upTo;
  const receipt = await persist(core, who, {
    of: outgoing,
    from,
    to: upTo,
    facts: result.facts,
    owed: asked ? "the fold could not wait for the distiller" : undefined,
  });
  if (receipt === undefined) return undefined;
  const ms = core.now() - started;
  core.emit({ type: "distilled", session, by: "extractive", facts: receipt.facts, ms });
  if (asked) core.emit(queuedNotice(session, upTo - from));
  return { upTo, summary: result.summary ?? "", receipt };
}
