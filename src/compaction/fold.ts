import { openLoop, thinksByHand } from "../providers/common/seams-and-thinking.ts";
import type { Kept } from "../session/ports.ts";
import { GROWTH } from "../session/options/save-and-fold-marks.ts";
import { foldIn, keeping, marked, type Outgoing, snapshotOf } from "../session/outgoing-request.ts";
import { atTheBrim } from "./brim.ts";
import { commit, type Folding, refuse, type Relief, type Urgency } from "./commit.ts";
import { type Prepared, preparedFor } from "./distilling/prepare-summary.ts";

import { foresee, target, weigh } from "./plan-question.ts";
import { isOnNewest } from "./journal/save-facts.ts";

/**
 * The one function that shrinks a request: distils, stores, then folds; or says why not. It
 * decides, prepares summaries whose facts are persisted, and commits the first fold that lands
 * well.
 */
export async function relieve(
  core: Folding,
  outgoing: Outgoing,
  urgency: Urgency,
): Promise<Relief> {
  if (urgency === "mark" && (await heldByUndo(core, outgoing)))
    return outgoing.level.mark === "compact" ? refuse(core, outgoing, UNDONE) : { outgoing };
  const decision = decide(core, outgoing, urgency);
  const goal = target(core, outgoing);
  let refused: string | undefined;
  for await (const ready of summaries(core, outgoing, { goal, decision })) {
    const outlook = await foresee(core, outgoing, ready.summary);
    const relief = await commit(core, outgoing, { ...ready, outlook, urgency });
    if (relief.folded) return relief;
    refused = relief.refused;
  }
  if (!decision.mayFold || decision.early) return { outgoing };
  if (decision.pressed) return atTheBrim(core, outgoing, urgency);
  if (refused === undefined && urgency === "manual") refused = whyNot(core, outgoing, goal);
  return refused === undefined ? { outgoing } : refuse(core, outgoing, refused);
}

type Decision = ReturnType<typeof decide>;

/**
 * The summary at hand, since to distil on beyond it would be done again after its fold; then, where
 * that did not do, the one that is begun and may be waited for.
 */
async function* summaries(
  core: Folding,
  outgoing: Outgoing,
  asked: { goal: number; decision: Decision },
): AsyncGenerator<Prepared, void> {
  const { mayFold, early, local, urgency } = asked.decision;
  const first = mayFold ? await preparedFor(core, outgoing) : undefined;
  if (first !== undefined) yield first;
  await prepare(core, outgoing, asked);
  if (!mayFold || early) return;
  // A person who asks for a fold has more patience than a turn.
  const most = outgoing.patience.left();
  const again = urgency !== "mark";
  const isAwaited = most > 0 && (first === undefined || local || again);
  const session = outgoing.session.id;
  const work = isAwaited ? core.scheduler.awaited(session, { again }) : undefined;
  if (work !== undefined) {
    const { ms } = await outgoing.patience.wait(work, most);
    outgoing.patience.note(ms);
    const text = WAITS[urgency];
    core.emit({ type: "notice", about: "waited", text, session, ms: Math.round(ms) });
  }
  const next = await preparedFor(core, outgoing);
  if (next !== undefined && next.id !== first?.id) yield next;
}

/** ms after which a provider that caches by itself has surely let go. */
const BY_ITSELF = 3_600_000;

function decide(core: Folding, outgoing: Outgoing, urgency: Urgency) {
  const { level, request, dialect, conversation, entries } = outgoing;
  const { mark } = level;
  const atMark = urgency === "mark";
  // Manual thinking in a tool loop, or a reply to be continued: only the brim breaks in.
  const said = conversation.findLast((message) => dialect.speaker(message) !== "system");
  const inLoop =
    (said !== undefined && dialect.speaker(said) === "assistant") ||
    (thinksByHand(request) && openLoop(dialect, conversation) !== undefined);
  // Below the compact mark, or in a loop that a fold would break: what is not ready is not waited
  // for.
  const patient = mark === "flush" || inLoop;
  // A prefix that the provider has forgotten is written anew either way, and the smaller one is
  // cheaper. It costs a part of one more of the folds to come, which is less
  // (test/compaction/cache-long-loops.test.ts).
  const last = entries.findLast(({ reply }) => reply)?.at;
  const life =
    dialect.marks === undefined ? BY_ITSELF : dialect.marks.lifetime(marked(core, outgoing));
  const isCold = last !== undefined && life !== undefined && core.now() - last > life;
  const early = atMark && mark === "flush" && !inLoop && isCold;
  return {
    urgency,
    /** The request goes out smaller, whatever it takes. */
    pressed: urgency === "brim" || urgency === "overflow",
    /** No model is asked: a summary is made at once. */
    local: core.models.completeFor(outgoing.who, outgoing.complete) === undefined,
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
  core: Folding,
  outgoing: Outgoing,
  { goal, decision: { urgency, patient, local } }: { goal: number; decision: Decision },
): Promise<void> {
  const { scheduler } = core;
  const asked = urgency === "manual";
  const done = (await preparedFor(core, outgoing))?.upTo ?? foldIn(outgoing)?.upTo ?? 0;
  if (goal <= done) return;
  const least = (done === 0 ? GROWTH : WORTH) * outgoing.limit;
  if (!asked && weigh(outgoing, done, goal) < least) return;
  if (urgency === "mark" && patient && !local) scheduler.startSoon(outgoing, { upTo: goal, done });
  else scheduler.start(outgoing, { upTo: goal, done }, { eager: asked, sent: false });
}

const WAITS: Readonly<Record<Urgency, string>> = {
  mark: "no summary was ready at the compact mark",
  brim: "the request is at the brim and no summary was ready",
  overflow: "the provider refused the request for its size and no summary was ready",
  manual: "a fold was asked for",
};

const UNDONE = "the last fold was undone and the request has hardly grown since";

/**
 * Messages are brought back to be read: below the brim nothing is folded, or distilled for a fold,
 * before the request has grown as much as between any two folds. Measured from the first request
 * after the undo, because only that one shows what came back.
 */
async function heldByUndo(core: Kept, outgoing: Outgoing): Promise<boolean> {
  const { session, limit, level } = outgoing;
  const { undone } = session.state;
  if (undone === undefined || undone.on !== (foldIn(outgoing)?.id ?? "")) return false;
  if (undone.used !== undefined) return level.used - undone.used < GROWTH * limit;
  await keeping(core, outgoing, { undone: { ...undone, used: level.used } });
  return true;
}

export const CALLED_OFF = "it was called off; what the distiller is at is kept for the next fold";

/**
 * Why a fold that was asked for was not made: there is nothing before `goal` to fold, or no summary
 * of it.
 */
function whyNot({ scheduler }: Folding, outgoing: Outgoing, goal: number): string {
  if (goal === 0) return "there is nothing to fold before the last messages";
  if (goal <= (foldIn(outgoing)?.upTo ?? 0))
    return "all before the last messages is folded already";
  if (outgoing.patience.isCalledOff()) return CALLED_OFF;
  return scheduler.awaited(outgoing.session.id, { again: true })
    ? "the distiller has not answered yet; the next fold takes what it says"
    : "the distiller gave no summary; see the event distil-failed";
}

/**
 * With the end of a turn from the flush mark on, the clock starts: a conversation that stays quiet
 * is distilled as far as it then is, though the rest is less than a call in its course would be
 * made for.
 */
export async function distilWhenQuiet(core: Folding, outgoing: Outgoing): Promise<void> {
  const { scheduler } = core;
  const { session } = outgoing;
  if (outgoing.level.mark === "below" || core.closed) return;
  // One of two turns at once knows of the fold: it has started the clock, or will.
  if (!(await isOnNewest(core, outgoing).catch(() => false)) || core.closed) return;
  const kept = snapshotOf(outgoing);
  const read = async (): Promise<void> => {
    const goal = target(core, kept);
    const done = Math.max((await preparedFor(core, kept))?.upTo ?? 0, foldIn(kept)?.upTo ?? 0);
    if (goal > done && weigh(kept, done, goal) >= GROWTH * kept.limit)
      scheduler.start(kept, { upTo: goal, done });
  };
  scheduler.quiet.touch(session.id, () => core.background.run(read()));
}
