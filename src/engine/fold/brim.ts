import { breathe, createSerial } from "../../base/async.ts";
import { defined } from "../../base/guards.ts";
import { abridged, extractive } from "../../distil/extract/extractive.ts";
import { type Distilled } from "../../distil/task/distiller.ts";
import { TidemarkError } from "../../model/errors.ts";
import { injectedText } from "../../prompt/recalled.ts";
import { mostTokens } from "../../window/calibrate.ts";
import { type FoldPlan } from "../../window/plan.ts";
import { place } from "../background/place.ts";
import { type Prepared } from "../background/prepared.ts";
import { type Scheduler } from "../background/scheduler.ts";
import { completeFor, distil, sayNoModel, taskFor } from "../background/task.ts";
import { queuedNotice } from "../journal/owed.ts";
import { persist } from "../journal/receipt.ts";
import { upToDate } from "../journal/watermark.ts";
import { fixedTokens, see, type Sight } from "../session/outgoing.ts";
import { commit, OVERTAKEN, shortenOnly } from "./commit.ts";
import { foresee, type Outlook } from "./outlook.ts";
import { planAt } from "./plan.ts";
import { refuse, type Relief, type Urgency } from "./outcome.ts";

/** Other calls of one conversation change it so often while this one folds; to lose so often is to meet a program gone wild. */
const LOOKS = 8;

/** No more waiting: the extractive distiller makes what is missing, and the model's facts follow from the queue. */
export async function atTheBrim(
  sight: Sight,
  scheduler: Scheduler,
  { urgency, rehearsed }: { urgency: Urgency; rehearsed?: Rehearsed | undefined },
): Promise<Relief> {
  let seen = sight;
  for (let looks = 1; ; looks += 1) {
    const relief = await lastResort(seen, scheduler, {
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
  scheduler: Scheduler,
  { urgency, rehearsed }: { urgency: Urgency; rehearsed?: Rehearsed },
): Promise<Relief> {
  const outlook = rehearsed?.outlook ?? (await foresee(sight));
  const plan = rehearsed?.plan ?? planAt(sight, outlook, { pressed: true });
  if (plan.kind === "refuse") return { sight, refused: plan.reason };
  if (plan.kind === "shorten") return shortenOnly(sight, plan.shorten);
  const made = await withoutModel(sight, scheduler, { cut: plan.cut, quoted: rehearsed?.quoted });
  if (made === undefined) return { sight, refused: OVERTAKEN };
  const relief = await commit(sight, scheduler, { plan, ...made, outlook, urgency });
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

/** What quoting made of the messages before a cut, and what it was made from. */
interface Quoted {
  readonly of: string;
  readonly result: Distilled;
}

/** From what a quoting at `cut` is made, besides the messages: equal for what would be the same. */
function sourceOf(
  { placed }: Sight,
  scheduler: Scheduler,
  { cut, ready }: { cut: number; ready: Prepared | undefined },
) {
  const session = placed.session.id;
  const upTo = placed.positions[cut] ?? 0;
  const previous =
    ready && ready.upTo < upTo ? { summary: ready.summary, upTo: ready.upTo } : undefined;
  const known = scheduler.storedFacts(session);
  return {
    upTo,
    known,
    ...defined({ previous }),
    of: JSON.stringify([
      upTo,
      placed.entries[upTo - 1]?.chain,
      placed.session.watermark,
      previous ?? null,
      known,
    ]),
  };
}

/** Quotes what stands before `cut`; `sight` knows how far the session is distilled. */
async function quote(sight: Sight, scheduler: Scheduler, cut: number): Promise<Quoted> {
  const { of, ...range } = sourceOf(sight, scheduler, { cut, ready: scheduler.prepared(sight) });
  // All that a model is still asked for need not be read now.
  const asked = completeFor(sight.call.core, sight.call) !== undefined;
  const result = await distil(extractive, async (signal) => {
    const task = await taskFor(sight, { ...range, signal, base: false });
    return asked ? abridged(task) : task;
  });
  return { of, result };
}

/** Summary and receipt for the messages before `cut`: what is at hand, carried on to there by quoting. Undefined: overtaken. */
async function withoutModel(
  given: Sight,
  scheduler: Scheduler,
  { cut, quoted }: { cut: number; quoted?: Quoted | undefined },
): Promise<Pick<Prepared, "upTo" | "summary" | "receipt"> | undefined> {
  const { call } = given;
  const { core } = call;
  const session = given.placed.session.id;
  const upTo = given.placed.positions[cut] ?? 0;
  // What the model is still at goes to the queue whole: it must not be saved from both ends.
  await scheduler.halt(session);
  const ready = scheduler.prepared(given);
  if (ready?.upTo === upTo) return ready;
  const started = core.now();
  const sight = await upToDate(given);
  const { placed } = sight;
  // What was quoted while the turn waited holds only if nothing was stored or made ready since.
  const { result } =
    quoted?.of === sourceOf(sight, scheduler, { cut, ready }).of
      ? quoted
      : await quote(sight, scheduler, cut);
  const from = placed.session.watermark;
  const model = completeFor(core, call) !== undefined;
  if (!model) sayNoModel(core);
  const asked = model && from < upTo;
  const receipt = await persist(core, call.who, {
    of: { session, first: from, last: upTo, chain: placed.entries[upTo - 1]?.chain },
    facts: result.facts,
    injected: injectedText(placed.session.state),
    ...defined({
      owed: asked ? { from, error: "the fold could not wait for the distiller" } : undefined,
    }),
  });
  if (receipt === undefined) return undefined;
  core.emit({
    type: "distilled",
    session,
    by: "extractive",
    facts: receipt.facts,
    ms: core.now() - started,
  });
  if (asked) core.emit(queuedNotice(session, upTo - from));
  return { upTo, summary: result.summary ?? "", receipt };
}

/** A fold at the brim as far as it can be made while a turn still waits for its summary: nothing of it is written. */
export interface Rehearsed {
  readonly outlook: Outlook;
  readonly plan: FoldPlan;
  readonly quoted?: Quoted;
}

/** One at a time, however many wait: to read a history takes milliseconds in which nothing else goes on. */
const oneByOne = createSerial();

/** What is made by the time `over` is asked is of use; nothing more is begun then, and nothing waited for. */
export function rehearse(
  sight: Sight,
  scheduler: Scheduler,
): { readonly over: () => Promise<Rehearsed | undefined> } {
  let made: Rehearsed | undefined;
  let ended = false;
  const work = async (): Promise<void> => {
    // Whatever else is due comes first: others begin, and stop waiting, in between.
    await breathe();
    if (ended) return;
    // What masks secrets is loaded with the first text there is to mask.
    const [outlook, now] = await Promise.all([
      foresee(sight),
      upToDate(sight),
      sight.call.core.mask(),
    ]);
    const plan = planAt(sight, outlook, { pressed: true });
    made = { outlook, plan };
    await breathe();
    if (ended || plan.kind !== "fold") return;
    made = { outlook, plan, quoted: await quote(now, scheduler, plan.cut) };
  };
  // Trouble is met again, and told, where the fold itself is made.
  sight.call.core.background.run(oneByOne(work).catch(() => undefined));
  return {
    over: async () => {
      ended = true;
      await breathe();
      return made;
    },
  };
}
