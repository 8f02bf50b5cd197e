import { extractive } from "../distil/extractive.ts";
import { thinksByHand } from "../dialect/thinking-mode.ts";
import { reasonOf } from "../model/errors.ts";
import { type Bounds, type Fold } from "../model/history.ts";
import { middleOut, shortened } from "../prompt/shorten.ts";
import { summaryText } from "../prompt/summary.ts";
import { withoutFences } from "../text/fence.ts";
import { lastUser, leastTail, openLoop } from "../window/loop.ts";
import { LANDING } from "../window/limits.ts";
import { planFold, seamBefore, type FoldPlan } from "../window/plan.ts";
import { type Call } from "./core.ts";
import { completeFor, distil, HANG_MS, summaryTokens, taskFor } from "./distilling.ts";
import { renderFrozen } from "./frozen.ts";
import { persist, type Receipt } from "./persist.ts";
import { fixedTokens, foldIn, see, type Sight } from "./sight.ts";
import { type FoldReport } from "./types.ts";
import { type Prepared, type Works } from "./works.ts";

/** Why a request must shrink. All ways lead through `relieve`. */
export type Urgency = "mark" | "brim" | "overflow" | "manual";

export interface Relief {
  readonly sight: Sight;
  readonly folded?: FoldReport & { readonly facts: number };
  readonly refused?: string;
}

/** Undistilled text worth a call of its own, as a share of the limit. */
const WORTH = 0.1;

/** The one function that shrinks a request (design §3.1): distils, stores, then folds; or says why not. */
export async function relieve(sight: Sight, works: Works, urgency: Urgency): Promise<Relief> {
  const { call, placed } = sight;
  const { core } = call;
  const session = placed.session.id;
  const pressed = urgency === "brim" || urgency === "overflow";
  const goal = target(sight);
  const local = completeFor(core, call) === undefined;

  if (goal > placed.session.watermark || goal > (foldIn(placed)?.upTo ?? 0)) {
    const ready = works.prepared(sight);
    const fresh = ready === undefined || weigh(sight, ready.upTo, goal) >= WORTH * call.limit;
    if (fresh) works.start(sight, goal, { eager: urgency === "manual" });
  }
  if (sight.window.mark === "flush" && urgency === "mark") return { sight };
  if (urgency === "mark" && held(call)) return { sight };

  const patience = local || urgency === "manual" ? HANG_MS : core.marks.patience;
  if (!works.prepared(sight) || local) await works.wait(session, patience, { again: pressed || urgency === "manual" });
  // Distilling has moved the watermark; the line itself is this call's.
  const ready = works.prepared(sight);
  if (ready && ready.upTo <= (goal === 0 ? ready.upTo : goal)) {
    const plan = planAt(sight, ready, { pressed: false, manual: urgency === "manual" });
    const done = plan.kind === "fold" ? await commit(sight, works, { plan, ...ready }) : refuse(sight, plan);
    if (done.folded || !pressed) return done;
  }
  if (urgency === "manual") return refuse(sight, { kind: "refuse", reason: goal === 0 ? "there is nothing to fold before the last messages" : "the distiller gave no summary; see the event distil-failed" });
  if (!pressed) return { sight };
  return atTheBrim(sight, works, ready);
}

/** How far a fold would reach now: up to the seam before the last `keepLast` messages, as a position; 0 for nowhere. */
function target({ call, placed }: Sight): number {
  const seam = seamBefore(call.conversation.length - call.core.marks.keepLast, opener(call, placed.positions));
  return seam > 0 ? (placed.positions[seam] ?? 0) : 0;
}

const opener =
  ({ dialect, conversation }: Call, positions: readonly number[]) =>
  (index: number): boolean =>
    (positions[index] ?? -1) >= 0 && dialect.opensTail(conversation, index);

/** Manual thinking in a tool loop, or a reply the provider wants continued: only the brim breaks in. */
function held({ request, dialect, conversation }: Call): boolean {
  const last = conversation.at(-1);
  if (last !== undefined && dialect.speaker(last) === "assistant") return true;
  return thinksByHand(request) && openLoop(dialect, conversation) !== undefined;
}

const sentAt = ({ view }: Sight, index: number) => view.request.messages[view.offset + index - view.replaced];

/** Tokens of the messages whose entries lie in [from, to). */
function weigh(sight: Sight, from: number, to: number): number {
  return sight.placed.positions.reduce((sum, position, index) => (position >= from && position < to ? sum + sizeAt(sight, index) : sum), 0);
}

function sizeAt(sight: Sight, index: number): number {
  const message = sentAt(sight, index);
  return message === undefined || index < sight.view.replaced ? 0 : sight.call.core.measure.message(sight.call.dialect, message) * sight.ratio;
}

/** What would a fold do: with the summary at hand, or from scratch with every concession the brim allows. */
function planAt(sight: Sight, ready: Prepared | undefined, { pressed, manual }: { pressed: boolean; manual: boolean }): FoldPlan {
  const { call, placed, view } = sight;
  const { core, dialect, conversation, limit } = call;
  const sizes = conversation.map((_, index) => sizeAt(sight, index));
  const kept = sizes.reduce((sum, size) => sum + size, 0);
  const fold = foldIn(placed);
  const oldSummary = fold ? core.measure.message(dialect, dialect.userMessage(fold.text)) * sight.ratio : 0;
  const cut = ready ? placed.positions.findIndex((position) => position >= ready.upTo) : -1;
  const plan = planFold({
    sizes,
    opens: opener(call, placed.positions),
    keepLast: cut > 0 ? conversation.length - cut : core.marks.keepLast,
    least: leastTail(dialect, conversation),
    fixed: Math.max(0, sight.window.used - kept - oldSummary),
    summary: (ready ? core.measure.message(dialect, dialect.userMessage(ready.summary)) : summaryTokens(limit)) * sight.ratio,
    limit,
    used: sight.window.used,
    folded: fold ? view.replaced : -1,
    atBrim: pressed,
    brim: core.marks.brim,
    shortened: (index, bound) => {
      const message = sentAt(sight, index);
      return message ? core.measure.message(dialect, shortened(dialect, message, { bound, reference: "" })) * sight.ratio : 0;
    },
    ...(fold && !manual ? { landed: fold.after } : {}),
  });
  // A person who asks for a fold gets one wherever it frees anything worth the summary.
  if (manual && plan.kind === "refuse" && cut > 0) {
    const landing = sight.window.used - sizes.slice(0, cut).reduce((sum, size) => sum + size, 0);
    if (sight.window.used - landing >= LANDING.frees * sight.window.used) return { kind: "fold", cut, landing, shorten: new Map() };
  }
  return plan;
}

/** No more waiting: the extractive distiller makes what is missing, and the model's facts follow from the queue. */
async function atTheBrim(sight: Sight, works: Works, ready: Prepared | undefined): Promise<Relief> {
  const { call, placed } = sight;
  const plan = planAt(sight, undefined, { pressed: true, manual: false });
  if (plan.kind === "refuse") return refuse(sight, plan);
  if (plan.kind === "shorten") return shortenOnly(sight, plan.shorten);
  const upTo = placed.positions[plan.cut] ?? 0;
  if (ready && ready.upTo >= upTo) return commit(sight, works, { plan, ...ready });
  const started = call.core.now();
  const previous = ready ? { summary: ready.summary, upTo: ready.upTo } : undefined;
  const result = await distil(extractive, (signal) => taskFor(sight, { upTo, signal, base: false, ...(previous ? { previous } : {}) }));
  const current = await call.core.sessions.load(placed.session.id);
  const from = current?.session.watermark ?? placed.session.watermark;
  const asked = completeFor(call.core, call) !== undefined && from < upTo;
  const receipt = await persist(call.core, call.who, {
    session: placed.session.id,
    upTo,
    facts: result.facts,
    injected: placed.session.state.frozen?.text ?? "",
    ...(asked ? { jobs: { from, error: "the fold could not wait for the distiller" } } : {}),
  });
  call.core.emit({ type: "distilled", session: placed.session.id, by: "extractive", facts: receipt.facts, ms: call.core.now() - started });
  if (asked) call.core.emit({ type: "queued", session: placed.session.id, messages: upTo - from });
  return commit(sight, works, { plan, upTo, summary: result.summary ?? "", receipt });
}

interface Commit {
  readonly plan: Extract<FoldPlan, { kind: "fold" }>;
  readonly upTo: number;
  readonly summary: string;
  readonly receipt: Receipt;
}

/** Folds, receipt in hand: the new request is put together and weighed before anything is written. */
async function commit(sight: Sight, works: Works, { plan, upTo, summary, receipt }: Commit): Promise<Relief> {
  const { call, placed } = sight;
  const { core } = call;
  const session = placed.session.id;
  if (receipt.session !== session || receipt.upTo < upTo) return refuse(sight, { kind: "refuse", reason: "the facts of these messages are not stored yet" });
  const pins = await core.history.pins(call.who.root, session);
  const id = core.newId();
  const messages = placed.positions.findLastIndex((position) => position >= 0 && position < upTo) + 1;
  const frozen = await renderFrozen(call).catch((thrown: unknown) => {
    core.emit({ type: "degraded", where: "prompt sections", error: reasonOf(thrown) });
    return placed.session.state.frozen;
  });
  const text = summaryText({ id, messages, summary }, { pins, task: taskBefore(call, messages) });
  const fold: Fold = { id, upTo, text, summary, messages, before: sight.window.used, after: 0, at: core.now() };
  const state = { ...(frozen ? { frozen } : {}), shortened: { ...placed.session.state.shortened, ...boundsOf(plan.shorten, placed.positions) } };
  const seen = see(call, placed, { fold, state });
  const freed = sight.window.used - seen.window.used;
  if (freed <= 0) return refuse(sight, { kind: "refuse", reason: "the summary is no smaller than what it would replace" });

  const done: Fold = { ...fold, after: seen.window.used };
  const updated = await core.sessions.update(session, { fold: done, state });
  works.drop(session);
  const next = { ...placed, ...updated, positions: placed.positions };
  const report = { id, messages, before: done.before, after: done.after };
  core.emit({ type: "folded", ...report });
  if (plan.shorten.size > 0) core.emit({ type: "shortened", messages: plan.shorten.size, before: done.before, after: done.after });
  return { sight: see(call, next), folded: { ...report, facts: receipt.facts } };
}

/** Characters of the request under way that a fold keeps word for word. */
const TASK = 4_000;

/** What the user asked last, if the fold takes it away: a loop of a hundred tool calls still works at it. */
function taskBefore({ dialect, conversation }: Call, cut: number): string {
  const index = lastUser(dialect, conversation);
  const message = index >= 0 && index < cut ? conversation[index] : undefined;
  return message ? middleOut(withoutFences(dialect.text(message)).trim(), TASK, "its first message") : "";
}

type Shortening = ReadonlyMap<number, Bounds>;

const boundsOf = (shorten: Shortening, positions: readonly number[]): Record<string, Bounds> =>
  Object.fromEntries([...shorten].flatMap(([index, bound]) => ((positions[index] ?? -1) >= 0 ? [[String(positions[index]), bound]] : [])));

async function shortenOnly(sight: Sight, shorten: Shortening): Promise<Relief> {
  const { call, placed } = sight;
  const state = { shortened: { ...placed.session.state.shortened, ...boundsOf(shorten, placed.positions) } };
  const seen = see(call, placed, { state });
  if (seen.window.used >= sight.window.used) return refuse(sight, { kind: "refuse", reason: "shortening would not make the request smaller" });
  const updated = await call.core.sessions.update(placed.session.id, { state });
  call.core.emit({ type: "shortened", messages: shorten.size, before: sight.window.used, after: seen.window.used });
  return { sight: see(call, { ...placed, ...updated, positions: placed.positions }) };
}

function refuse(sight: Sight, { reason }: { reason?: string; kind: string }): Relief {
  const refused = reason ?? "the last messages are too large to be cut down further";
  sight.call.core.emit({ type: "fold-refused", reason: refused });
  return { sight, refused };
}

/** System and tools alone reach the limit: no fold can help. */
export const hopeless = (sight: Sight): boolean => fixedTokens(sight, sight.call.request) >= sight.call.limit;
