import { thinksByHand } from "../../dialect/thinking.ts";
import { GROWTH } from "../../window/limits.ts";
import { openLoop } from "../../dialect/common/loop.ts";
import { isCold } from "./trigger.ts";
import { completeFor } from "../background/task.ts";
import { type Prepared, type Works } from "../background/work.ts";
import { type Call } from "../session/context.ts";
import { foldIn, ownTokens, type Sight } from "../session/outgoing.ts";
import { atTheBrim } from "./brim.ts";
import { commit } from "./commit.ts";
import { signedFor, signingDone } from "./signed.ts";
import { type Outlook, planAt, target, weigh } from "./plan.ts";
import { foresee } from "./outlook.ts";
import { refuse, type Relief } from "./relief.ts";
import { type Urgency, waitFor } from "./waiting.ts";

/** Undistilled text worth a call that says once more what was said before, as a share of the limit. */
const WORTH = 0.1;

/** The one function that shrinks a request (design §3.1): distils, stores, then folds; or says why not. */
export async function relieve(sight: Sight, works: Works, urgency: Urgency): Promise<Relief> {
  const { call } = sight;
  const { core } = call;
  const pressed = urgency === "brim" || urgency === "overflow";
  const manual = urgency === "manual";
  if (urgency === "mark" && (await heldByUndo(sight)))
    return sight.window.mark === "compact" ? refuse(sight, UNDONE) : { sight };
  const patient = sight.window.mark === "flush" || held(call);
  // What the provider has forgotten is written anew either way, and the smaller request is cheaper to write: a fold that
  // would come soon comes now. Of the folds to come this costs a part of one more, which is less (test/engine/fold/cache-long-loops.test.ts).
  const early = urgency === "mark" && sight.window.mark === "flush" && !held(call) && isCold(sight);
  const mayFold = urgency !== "mark" || !patient || early;

  const goal = target(sight);
  await works.adopt(sight, goal);
  // What is at hand folds first: to distil on beyond it would be done again after the fold.
  const before = mayFold ? works.prepared(sight) : undefined;
  // To have the provider write a summary of what it has forgotten would be paid in full.
  const hurried = pressed || early;
  const tried = before && (await foldWith(sight, works, { ready: before, urgency, hurried }));
  if (tried?.folded || tried?.coming) return tried;

  const local = completeFor(core, call) === undefined;
  if (worthDistilling(sight, works, { goal, asked: manual })) {
    if (urgency === "mark" && patient && !local) works.startSoon(sight, goal);
    else works.start(sight, goal, { eager: manual, sent: false });
  }
  if (!mayFold || early) return { sight };

  const waited =
    !before || local || urgency !== "mark"
      ? await waitFor(sight, works, { urgency, rehearses: pressed && !local })
      : undefined;
  const behind = async (): Promise<Relief> => {
    const after = works.prepared(sight);
    const made =
      after === before
        ? tried
        : after && (await foldWith(sight, works, { ready: after, urgency, hurried }));
    if (made?.folded || made?.coming) return made;
    if (pressed) return atTheBrim(sight, works, { urgency, rehearsed: waited?.rehearsed });
    if (made) return refuse(sight, made.refused);
    return manual ? refuse(sight, whyNot(sight, works, goal)) : { sight };
  };
  return waited?.rehearsed ? core.process.endings.timed(behind) : behind();
}

/** A fold with the summary at hand, where it lands well. */
async function foldWith(
  sight: Sight,
  works: Works,
  { ready, urgency, hurried }: { ready: Prepared; urgency: Urgency; hurried: boolean },
): Promise<Relief> {
  const manual = urgency === "manual";
  const outlook = await foresee(sight, ready.summary);
  const plan = planAt(sight, outlook, { ready, manual });
  if (plan.kind !== "fold") return { sight, refused: plan.kind === "refuse" ? plan.reason : "" };
  let signed = signedFor(sight, ready, { urgent: hurried });
  if (signed === "coming" && manual) {
    await sight.call.patience.wait(signingDone(sight), sight.call.patience.left());
    signed = signedFor(sight, ready, { urgent: true });
  }
  if (signed === "coming") return { sight, coming: true };
  const asSigned = signed && planAt(sight, unchanged(sight), { ready, signed, manual });
  if (signed && asSigned?.kind === "fold") {
    const relief = await commit(sight, works, {
      plan: asSigned,
      ...ready,
      outlook: unchanged(sight),
      urgency,
      signed,
    });
    if (relief.folded) return relief;
  }
  return commit(sight, works, { plan, ...ready, outlook, urgency });
}

/** Behind the provider's own summary nothing else may change: the sections stay as they are, and there are no pins. */
const unchanged = ({ placed }: Sight): Outlook => ({
  pins: [],
  frozen: placed.session.state.frozen,
});

/** Is there enough new text before the tail for a call of its own? */
function worthDistilling(
  sight: Sight,
  works: Works,
  { goal, asked }: { goal: number; asked: boolean },
): boolean {
  const done = works.prepared(sight)?.upTo ?? foldIn(sight.placed)?.upTo ?? 0;
  if (goal <= done) return false;
  return asked || weigh(sight, done, goal) >= (done === 0 ? GROWTH : WORTH) * sight.call.limit;
}

/** Manual thinking in a tool loop, or a reply the provider wants continued: only the brim breaks in. */
function held({ request, dialect, conversation }: Call): boolean {
  const last = conversation.findLast((message) => dialect.speaker(message) !== "system");
  if (last !== undefined && dialect.speaker(last) === "assistant") return true;
  return thinksByHand(request) && openLoop(dialect, conversation) !== undefined;
}

/** System and tools alone reach the limit: no fold can help. */
export const hopeless = (sight: Sight): boolean => ownTokens(sight) >= sight.call.limit;

const UNDONE = "the last fold was undone and the request has hardly grown since";

/**
 * Messages are brought back to be read: below the brim nothing is folded, or distilled for a fold, before the request
 * has grown as much as between any two folds. Measured from the first request after the undo, because only that one shows
 * what came back.
 */
async function heldByUndo(sight: Sight): Promise<boolean> {
  const { call, placed, window } = sight;
  const { undone } = placed.session.state;
  if (undone === undefined || undone.on !== (foldIn(placed)?.id ?? "")) return false;
  if (undone.used !== undefined) return window.used - undone.used < GROWTH * call.limit;
  await call.core.sessions.update(placed.session.id, {
    state: { undone: { ...undone, used: window.used } },
  });
  return true;
}

export const CALLED_OFF = "it was called off; what the distiller is at is kept for the next fold";

/** Why a fold that was asked for was not made: there is nothing before `goal` to fold, or no summary of it. */
function whyNot({ call, placed }: Sight, works: Works, goal: number): string {
  if (goal === 0) return "there is nothing to fold before the last messages";
  if (goal <= (foldIn(placed)?.upTo ?? 0)) return "all before the last messages is folded already";
  if (call.patience.calledOff) return CALLED_OFF;
  return works.running(placed.session.id)
    ? "the distiller has not answered yet; the next fold takes what it says"
    : "the distiller gave no summary; see the event distil-failed";
}
