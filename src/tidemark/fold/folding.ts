import { thinksByHand } from "../../dialect/thinking-mode.ts";
import { TidemarkError, troubleOf } from "../../model/errors.ts";
import { type Fold, type Signed } from "../../model/history.ts";
import { mostTokens } from "../../window/calibrate.ts";
import { GROWTH } from "../../window/limits.ts";
import { openLoop } from "../../window/loop.ts";
import { landsWell, type FoldPlan, type Shortening } from "../../window/plan.ts";
import { isCold } from "../behind/cold.ts";
import { signedFor, signingDone } from "./compaction.ts";
import { type Call } from "../core.ts";
import { completeFor } from "../behind/distilling.ts";
import { boundsWith, foldText, type Outlook, outlookOf, planAt, target, weigh, worthAsking } from "./fold-plan.ts";
import { type Urgency, waitFor } from "./waiting.ts";
import { type Receipt } from "../keep/persist.ts";
import { place } from "../place.ts";
import { fixedTokens, foldIn, ownTokens, see, type Sight } from "../sight.ts";
import { foldedAs, foldSpan } from "../span-names.ts";
import { type FoldReport } from "../types.ts";
import { heldByUndo, UNDONE } from "./undo-hold.ts";
import { tellUnbound } from "./unbound.ts";
import { withoutModel } from "./without-model.ts";
import { whyNot } from "./why-not.ts";
import { type Prepared, type Works } from "../behind/works.ts";
import { recalledFrom } from "../../prompt/recalled.ts";

export interface Relief {
  readonly sight: Sight;
  readonly folded?: FoldReport & { readonly facts: number };
  readonly refused?: string;
  /** The provider is at its own summary; the conversation goes on until it is there. */
  readonly coming?: true;
}

/** Undistilled text worth a call that says once more what was said before, as a share of the limit. */
const WORTH = 0.1;

/** The one function that shrinks a request (design §3.1): distils, stores, then folds; or says why not. */
export async function relieve(sight: Sight, works: Works, urgency: Urgency): Promise<Relief> {
  const { call } = sight;
  const { core } = call;
  const pressed = urgency === "brim" || urgency === "overflow";
  const manual = urgency === "manual";
  if (urgency === "mark" && (await heldByUndo(sight))) return sight.window.mark === "compact" ? refuse(sight, UNDONE) : { sight };
  const patient = sight.window.mark === "flush" || held(call);
  // What the provider has forgotten is written anew either way, and the smaller request is cheaper to write: a fold that
  // would come soon comes now. Of the folds to come this costs a part of one more, which is less (test/cache-long-loops.test.ts).
  const early = urgency === "mark" && core.marks.foldWhenCold && sight.window.mark === "flush" && !held(call) && isCold(sight);
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
    else works.start(sight, goal, { eager: manual });
  }
  if (!mayFold || early) return { sight };

  if (!before || local || urgency !== "mark") await waitFor(sight, works, urgency);
  const after = works.prepared(sight);
  const made = after === before ? tried : after && (await foldWith(sight, works, { ready: after, urgency, hurried }));
  if (made?.folded || made?.coming) return made;
  if (pressed) return atTheBrim(sight, works, urgency);
  if (made) return refuse(sight, made.refused);
  return manual ? refuse(sight, whyNot(sight, works, goal)) : { sight };
}

/** A fold with the summary at hand, where it lands well. */
async function foldWith(sight: Sight, works: Works, { ready, urgency, hurried }: { ready: Prepared; urgency: Urgency; hurried: boolean }): Promise<Relief> {
  const manual = urgency === "manual";
  const outlook = await foresee(sight);
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
    const relief = await commit(sight, works, { plan: asSigned, ...ready, outlook: unchanged(sight), urgency, signed });
    if (relief.folded) return relief;
  }
  return commit(sight, works, { plan, ...ready, outlook, urgency });
}

/** Behind the provider's own summary nothing else may change: the sections stay as they are, and there are no pins. */
const unchanged = ({ placed }: Sight): Outlook => ({ pins: [], frozen: placed.session.state.frozen });

/** Is there enough new text before the tail for a call of its own? */
function worthDistilling(sight: Sight, works: Works, { goal, asked }: { goal: number; asked: boolean }): boolean {
  const done = works.prepared(sight)?.upTo ?? foldIn(sight.placed)?.upTo ?? 0;
  if (goal <= done) return false;
  return asked || weigh(sight, done, goal) >= (done === 0 ? GROWTH : WORTH) * sight.call.limit;
}

/** Without its files a prompt keeps the sections it has. */
async function foresee(sight: Sight): Promise<Outlook> {
  const { call, placed } = sight;
  try {
    return await outlookOf(sight);
  } catch (thrown) {
    call.core.emit({ type: "degraded", where: "prompt sections", ...troubleOf(thrown) });
    return { pins: await call.core.history.pins(call.who.root, placed.session.id), frozen: placed.session.state.frozen };
  }
}

/** Manual thinking in a tool loop, or a reply the provider wants continued: only the brim breaks in. */
function held({ request, dialect, conversation }: Call): boolean {
  const last = conversation.at(-1);
  if (last !== undefined && dialect.speaker(last) === "assistant") return true;
  return thinksByHand(request) && openLoop(dialect, conversation) !== undefined;
}

/** Other calls of one conversation change it so often while this one folds; who lost so often has met a program gone wild. */
const LOOKS = 8;

/** No more waiting: the extractive distiller makes what is missing, and the model's facts follow from the queue. */
async function atTheBrim(sight: Sight, works: Works, urgency: Urgency): Promise<Relief> {
  let seen = sight;
  for (let looks = 1; ; looks += 1) {
    const relief = await lastResort(seen, works, urgency);
    if (relief.refused !== OVERTAKEN || looks >= LOOKS) {
      if (relief.refused !== undefined) refuse(relief.sight, relief.refused);
      return fitting(relief, urgency);
    }
    // Another call of the conversation was faster. What it left is looked at afresh: its fold may do, else there is one to make.
    seen = see(seen.call, await place(seen.call));
    if (seen.window.mark !== "brim" && urgency === "brim") return { sight: seen };
  }
}

async function lastResort(sight: Sight, works: Works, urgency: Urgency): Promise<Relief> {
  const outlook = await foresee(sight);
  const plan = planAt(sight, outlook, { pressed: true });
  if (plan.kind === "refuse") return { sight, refused: plan.reason };
  if (plan.kind === "shorten") return shortenOnly(sight, plan.shorten);
  const made = await withoutModel(sight, works, plan.cut);
  if (made === undefined) return { sight, refused: OVERTAKEN };
  const relief = await commit(sight, works, { plan, ...made, outlook, urgency });
  if (!relief.folded || relief.sight.window.used <= relief.sight.call.limit) return relief;
  // The summary came out longer than planned for: what is left may still be shortened.
  const rest = planAt(relief.sight, outlook, { pressed: true });
  return rest.kind === "shorten" ? { ...relief, ...(await shortenOnly(relief.sight, rest.shorten)) } : relief;
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

interface Commit {
  readonly plan: Extract<FoldPlan, { kind: "fold" }>;
  readonly upTo: number;
  readonly summary: string;
  readonly receipt: Receipt;
  readonly outlook: Outlook;
  readonly urgency: Urgency;
  readonly signed?: Signed;
}

/** A trace shows a fold, and why there was none. */
const commit = (sight: Sight, works: Works, made: Commit): Promise<Relief> =>
  sight.call.core.spans.run(foldSpan(sight.placed.session.id), async (tell) => {
    const relief = await write(sight, works, made);
    tell(() => foldedAs(relief));
    return relief;
  });

/** Folds, receipt in hand: the new request is put together and weighed before anything is written. */
async function write(sight: Sight, works: Works, { plan, upTo, summary: written, receipt, outlook, urgency, signed }: Commit): Promise<Relief> {
  const { call, placed } = sight;
  const { core } = call;
  const session = placed.session.id;
  if (receipt.session !== session || receipt.upTo < upTo) return { sight, refused: "the facts of these messages are not stored yet" };
  const id = core.newId();
  const mask = await core.mask();
  const summary = mask(written);
  const messages = placed.positions.findLastIndex((position) => position >= 0 && position < upTo) + 1;
  const text = foldText(call, { id, messages, summary, outlook }, mask);
  const { frozen } = outlook;
  const shortened = boundsWith(plan.shorten, placed, upTo);
  const state = { ...(frozen ? { frozen } : {}), shortened, ...recalledFrom(placed.session.state, upTo) };
  const fold: Fold = {
    ...{ id, upTo, text, summary, messages, before: sight.window.used, after: 0, at: core.now() },
    ...{ from: foldIn(placed)?.upTo ?? 0, length: placed.entries.length, shortened: Object.keys(shortened).map(Number), ...(signed ? { signed } : {}) },
  };
  const seen = see(call, placed, { fold, state });
  const [used, landing, limit] = [sight.window.used, seen.window.used, call.limit];
  if (landing >= used) return { sight, refused: "the summary is no smaller than what it would replace" };
  const worth = urgency === "brim" || urgency === "overflow" || landsWell({ used, landing, limit }) || (urgency === "manual" && worthAsking(used, landing));
  if (!worth) return { sight, refused: `with its summary the fold would free ${Math.round(((used - landing) / limit) * 100)} % of the limit` };

  const done: Fold = { ...fold, after: landing };
  const on = { fold: foldIn(placed)?.id, chain: placed.entries[upTo - 1]?.chain };
  const updated = await core.sessions.update(session, { fold: done, on, state });
  works.drop(session);
  // Another process was faster: what it has folded is folded here too, and once is enough.
  if (updated && updated.folds.at(-1)?.id !== id) return { sight: seenAgain(sight, { ...placed, ...updated, positions: placed.positions }), refused: OVERTAKEN };
  const report = { id, messages, before: used, after: landing };
  core.emit({ type: "folded", ...report });
  if (plan.shorten.size > 0) core.emit({ type: "shortened", messages: plan.shorten.size, before: used, after: landing });
  return { sight: seenAgain(sight, { ...placed, ...updated, positions: placed.positions }), folded: { ...report, facts: receipt.facts } };
}

const OVERTAKEN = "another call of this conversation has folded it meanwhile";

/** The request as it now stands; thinking it had to leave out is told. */
function seenAgain(sight: Sight, placed: Sight["placed"]): Sight {
  const now = see(sight.call, placed);
  tellUnbound(now);
  return now;
}

async function shortenOnly(sight: Sight, shorten: Shortening): Promise<Relief> {
  const { call, placed } = sight;
  const state = { shortened: boundsWith(shorten, placed) };
  const seen = see(call, placed, { state });
  if (seen.window.used >= sight.window.used) return { sight, refused: "shortening would not make the request smaller" };
  const updated = await call.core.sessions.update(placed.session.id, { state });
  call.core.emit({ type: "shortened", messages: shorten.size, before: sight.window.used, after: seen.window.used });
  return { sight: seenAgain(sight, { ...placed, ...updated, positions: placed.positions }) };
}

function refuse(sight: Sight, reason: string | undefined): Relief {
  const refused = reason ?? "the last messages are too large to be cut down further";
  sight.call.core.emit({ type: "fold-refused", reason: refused });
  return { sight, refused };
}

/** System and tools alone reach the limit: no fold can help. */
export const hopeless = (sight: Sight): boolean => ownTokens(sight) >= sight.call.limit;
