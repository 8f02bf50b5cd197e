import { thinksByHand } from "../../dialect/thinking.ts";
import { GROWTH } from "../../window/limits-and-marks.ts";
import { openLoop } from "../../dialect/common/loop.ts";
import { type Prepared, preparedFor } from "../background/prepare-summary.ts";
import type { Scheduler } from "../background/scheduler.ts";
import { completeFor } from "../background/choose-distiller.ts";
import type { Call } from "../session/core.ts";
import { isOnNewest } from "../journal/watermark.ts";
import { foldIn, snapshotOf, keeping, marked, type Outgoing } from "../session/outgoing-request.ts";
import { atTheBrim } from "./brim.ts";
import { commit, refuse, type Relief, type Urgency } from "./commit.ts";
import { foresee, planAt, target, weigh } from "./plan-question.ts";

/**
 * The one function that shrinks a request: distils, stores, then folds; or says why not. Its steps:
 *
 * 1. Estimate: `outgoing` is the request as it would go out, weighed (`outgoingOf`).
 * 2. Decide whether a fold may be made now, and how much may be waited for.
 * 3. Prepare a summary: the one at hand, one that is waited for, or at the brim one made without a
 * model.
 * 4. Plan where the fold cuts and where it lands (`planAt`).
 * 5. Commit it, receipt in hand (`commit`), which assembles the new request first and weighs it.
 */
export async function relieve(
  outgoing: Outgoing,
  scheduler: Scheduler,
  urgency: Urgency,
): Promise<Relief> {
  if (urgency === "mark" && (await heldByUndo(outgoing)))
    return outgoing.level.mark === "compact" ? refuse(outgoing, UNDONE) : { outgoing };
  const decision = decide(outgoing, urgency);
  const goal = target(outgoing);
  // A summary at hand folds first: to distil on beyond it would be done again after the fold.
  const atHand = decision.mayFold ? await preparedFor(outgoing) : undefined;
  const tried = atHand && (await foldWith(outgoing, scheduler, { ready: atHand, decision }));
  if (tried?.folded) return tried;
  await prepare(outgoing, scheduler, { goal, decision });
  if (!decision.mayFold || decision.early) return { outgoing };
  if (!atHand || decision.local || urgency !== "mark") await waitFor(outgoing, scheduler, urgency);
  const ready = await preparedFor(outgoing);
  const made =
    ready?.id === atHand?.id
      ? tried
      : ready && (await foldWith(outgoing, scheduler, { ready, decision }));
  if (made?.folded) return made;
  if (decision.pressed) return atTheBrim(outgoing, scheduler, urgency);
  if (made) return refuse(outgoing, made.refused);
  return urgency === "manual" ? refuse(outgoing, whyNot(outgoing, scheduler, goal)) : { outgoing };
}

type Decision = ReturnType<typeof decide>;

function decide(outgoing: Outgoing, urgency: Urgency) {
  const { mark } = outgoing.level;
  const atMark = urgency === "mark";
  const inLoop = isHeldOpen(outgoing);
  // Below the compact mark, or in a loop that a fold would break: what is not ready is not waited
  // for.
  const patient = mark === "flush" || inLoop;
  // A prefix that the provider has forgotten is written anew either way, and the smaller one is
  // cheaper. It costs a part of one more of the folds to come, which is less
  // (test/engine/fold/cache-long-loops.test.ts).
  const early = atMark && mark === "flush" && !inLoop && isCold(outgoing);
  return {
    urgency,
    /** The request goes out smaller, whatever it takes. */
    pressed: urgency === "brim" || urgency === "overflow",
    /** No model is asked: a summary is made at once. */
    local: completeFor(outgoing.core, outgoing) === undefined,
    patient,
    early,
    mayFold: !atMark || !patient || early,
  };
}

/**
 * Undistilled text worth a call that says once more what was said before, as a share of the limit.
 */
const WORTH = 0.1;

/**
 * Starts a summary up to `goal`, where there is enough new text before the tail for a call of its
 * own.
 */
async function prepare(
  outgoing: Outgoing,
  scheduler: Scheduler,
  { goal, decision: { urgency, patient, local } }: { goal: number; decision: Decision },
): Promise<void> {
  const asked = urgency === "manual";
  const done = (await preparedFor(outgoing))?.upTo ?? foldIn(outgoing)?.upTo ?? 0;
  if (goal <= done) return;
  const least = (done === 0 ? GROWTH : WORTH) * outgoing.limit;
  if (!asked && weigh(outgoing, done, goal) < least) return;
  if (urgency === "mark" && patient && !local) scheduler.startSoon(outgoing, goal);
  else scheduler.start(outgoing, goal, { eager: asked, sent: false });
}

const WAITS: Readonly<Record<Urgency, string>> = {
  mark: "no summary was ready at the compact mark",
  brim: "the request is at the brim and no summary was ready",
  overflow: "the provider refused the request for its size and no summary was ready",
  manual: "a fold was asked for",
};

/** A person who asks for a fold has more patience than a turn. */
async function waitFor(outgoing: Outgoing, scheduler: Scheduler, urgency: Urgency): Promise<void> {
  const { core, patience, session } = outgoing;
  const most = patience.left();
  const work = most > 0 ? scheduler.awaited(session.id, { again: urgency !== "mark" }) : undefined;
  if (work === undefined) return;
  const { ms } = await patience.wait(work, most);
  const text = WAITS[urgency];
  core.emit({ type: "notice", about: "waited", text, session: session.id, ms: Math.round(ms) });
}

/** A fold with the summary at hand, where it lands well. */
async function foldWith(
  outgoing: Outgoing,
  scheduler: Scheduler,
  { ready, decision: { urgency } }: { ready: Prepared; decision: Decision },
): Promise<Relief> {
  const manual = urgency === "manual";
  const outlook = await foresee(outgoing, ready.summary);
  const plan = planAt(outgoing, outlook, { ready, manual });
  if (plan.kind !== "fold") return { outgoing, refused: plan.kind === "refuse" ? plan.reason : "" };
  return commit(outgoing, scheduler, { ...ready, plan, outlook, urgency });
}

/**
 * Manual thinking in a tool loop, or a reply the provider wants continued: only the brim breaks in.
 */
function isHeldOpen({ request, dialect, conversation }: Call): boolean {
  const last = conversation.findLast((message) => dialect.speaker(message) !== "system");
  if (last !== undefined && dialect.speaker(last) === "assistant") return true;
  return thinksByHand(request) && openLoop(dialect, conversation) !== undefined;
}

const UNDONE = "the last fold was undone and the request has hardly grown since";

/**
 * Messages are brought back to be read: below the brim nothing is folded, or distilled for a fold,
 * before the request has grown as much as between any two folds. Measured from the first request
 * after the undo, because only that one shows what came back.
 */
async function heldByUndo(outgoing: Outgoing): Promise<boolean> {
  const { session, limit, level } = outgoing;
  const { undone } = session.state;
  if (undone === undefined || undone.on !== (foldIn(outgoing)?.id ?? "")) return false;
  if (undone.used !== undefined) return level.used - undone.used < GROWTH * limit;
  await keeping(outgoing, { undone: { ...undone, used: level.used } });
  return true;
}

export const CALLED_OFF = "it was called off; what the distiller is at is kept for the next fold";

/**
 * Why a fold that was asked for was not made: there is nothing before `goal` to fold, or no summary
 * of it.
 */
function whyNot(outgoing: Outgoing, scheduler: Scheduler, goal: number): string {
  if (goal === 0) return "there is nothing to fold before the last messages";
  if (goal <= (foldIn(outgoing)?.upTo ?? 0))
    return "all before the last messages is folded already";
  if (outgoing.patience.isCalledOff()) return CALLED_OFF;
  return scheduler.running(outgoing.session.id)
    ? "the distiller has not answered yet; the next fold takes what it says"
    : "the distiller gave no summary; see the event distil-failed";
}

/** ms after which a provider that caches by itself has surely let go. */
const BY_ITSELF = 3_600_000;

/**
 * Has the provider forgotten this conversation since its last reply, so that all of it will be
 * written anew?
 */
function isCold(outgoing: Outgoing): boolean {
  const last = outgoing.entries.findLast(({ reply }) => reply)?.at;
  const { marks } = outgoing.dialect;
  const life = marks === undefined ? BY_ITSELF : marks.lifetime(marked(outgoing));
  return last !== undefined && life !== undefined && outgoing.core.now() - last > life;
}

/**
 * With the end of a turn from the flush mark on, the clock starts: a conversation that stays quiet
 * is distilled as far as it then is, though the rest is less than a call in its course would be
 * made for.
 */
export async function distilWhenQuiet(outgoing: Outgoing, scheduler: Scheduler): Promise<void> {
  const { core, session } = outgoing;
  if (outgoing.level.mark === "below" || core.closed) return;
  // One of two turns at once knows of the fold: it has started the clock, or will.
  if (!(await isOnNewest(outgoing).catch(() => false)) || core.closed) return;
  const kept = snapshotOf(outgoing);
  const read = async (): Promise<void> => {
    const goal = target(kept);
    const done = Math.max((await preparedFor(kept))?.upTo ?? 0, foldIn(kept)?.upTo ?? 0);
    if (goal > done && weigh(kept, done, goal) >= GROWTH * kept.limit) scheduler.start(kept, goal);
  };
  core.idle.touch(session.id, () => core.background.run(read()));
}
