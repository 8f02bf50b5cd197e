import { defined } from "../../base/guards.ts";
import { type Fold, type SessionState, type Signed } from "../../model/history.ts";
import { recalledFrom } from "../../prompt/recalled.ts";
import { landsWell, type FoldPlan, type Shortening } from "../../window/plan.ts";
import { noteFolded } from "../background/conversation-pages.ts";
import { type Scheduler } from "../background/scheduler.ts";
import { noteEvents } from "../journal/log-events.ts";
import { type Receipt } from "../journal/receipt.ts";
import { type FoldReport } from "../options/types.ts";
import { type Call } from "../session/core.ts";
import { foldIn, see, type Sight, tellUnbound } from "../session/outgoing.ts";
import { foldedAs, foldSpan } from "../runtime/tracing.ts";
import { type Outlook, textOf } from "./outlook.ts";
import { boundsWith, worthAsking } from "./plan.ts";

/** Why a request must shrink. */
export type Urgency = "mark" | "brim" | "overflow" | "manual";

/** What came of trying to make a request smaller. */
export interface Relief {
  readonly sight: Sight;
  readonly folded?: FoldReport & { readonly facts: number };
  readonly refused?: string;
  /** The provider is at its own summary; the conversation goes on until it is there. */
  readonly coming?: true;
}

export function refuse(sight: Sight, reason: string | undefined): Relief {
  const refused = reason ?? "the last messages are too large to be cut down further";
  sight.call.core.emit({ type: "fold-refused", reason: refused });
  return { sight, refused };
}

interface Commit {
  readonly id?: string;
  readonly plan: Extract<FoldPlan, { kind: "fold" }>;
  readonly upTo: number;
  readonly summary: string;
  readonly receipt: Receipt;
  readonly outlook: Outlook;
  readonly urgency: Urgency;
  readonly signed?: Signed;
}

/** A trace shows a fold, and why there was none. */
export const commit = (sight: Sight, scheduler: Scheduler, made: Commit): Promise<Relief> =>
  sight.call.core.spans.run(foldSpan(sight.placed.session.id), async (tell) => {
    const relief = await write(sight, scheduler, made);
    tell(() => foldedAs(relief));
    const { call, placed } = sight;
    if (relief.folded !== undefined) noteFolded(call.core, placed.session.id);
    return relief;
  });

/** Folds, receipt in hand: the new request is put together and weighed before anything is written. */
async function write(sight: Sight, scheduler: Scheduler, made: Commit): Promise<Relief> {
  const { call, placed } = sight;
  const { core } = call;
  const session = placed.session.id;
  const { plan, receipt, upTo } = made;
  if (receipt.session !== session || receipt.upTo < upTo)
    return { sight, refused: "the facts of these messages are not stored yet" };
  const began = core.now();
  const { fold, stateFrom, seen } = await assemble(sight, made);
  const [used, landing] = [sight.window.used, seen.window.used];
  const refused = whyUnworthy(call, { used, landing, urgency: made.urgency });
  if (refused !== undefined) return { sight, refused };
  const on = { fold: foldIn(placed)?.id, chain: placed.entries[upTo - 1]?.chain };
  let asSeen = true;
  const state = (now: SessionState) => {
    asSeen = now === placed.session.state;
    return stateFrom(now);
  };
  const updated = await core.sessions.update(session, { fold, on, state });
  if (updated === undefined) return { sight, refused: GONE };
  scheduler.standsOn(session, updated.folds.at(-1)?.id);
  const now = { ...placed, ...updated, positions: placed.positions };
  // Another process was faster: what it has folded is folded here too, and once is enough.
  if (updated.folds.at(-1)?.id !== fold.id)
    return { sight: seenAgain(sight, now), refused: OVERTAKEN };
  const report = { id: fold.id, messages: fold.messages, before: used, after: landing };
  core.emit({ type: "folded", ...report });
  const event = { what: "fold", id: fold.id } as const;
  noteEvents(
    core,
    call.who.learns,
    { ...event, at: began, did: "began" },
    { ...event, at: core.now(), did: "ended" },
  );
  if (plan.shorten.size > 0)
    core.emit({ type: "shortened", messages: plan.shorten.size, before: used, after: landing });
  return {
    sight: asSeen ? told({ ...seen, placed: now }) : seenAgain(sight, now),
    folded: { ...report, facts: receipt.facts },
  };
}

/** The fold as it would be stored, and the request as it would then stand. */
async function assemble(
  sight: Sight,
  { id = sight.call.core.newId(), plan, upTo, summary: written, outlook, signed }: Commit,
): Promise<{ fold: Fold; stateFrom: (now: SessionState) => Partial<SessionState>; seen: Sight }> {
  const { call, placed } = sight;
  const mask = await call.core.mask();
  const summary = mask(written);
  const { messages, text } = textOf(sight, { id, upTo, summary, outlook, mask });
  const from = foldIn(placed)?.upTo ?? 0;
  // Made anew when it is written: another turn may have been shown something since.
  const stateFrom = (now: SessionState) => ({
    ...defined({ frozen: outlook.frozen }),
    shortened: boundsWith(plan.shorten, knowing(placed, now), upTo),
    ...recalledFrom(now, upTo, from),
  });
  const state = stateFrom(placed.session.state);
  const fold: Fold = {
    id,
    upTo,
    text,
    summary,
    messages,
    before: sight.window.used,
    after: 0,
    at: call.core.now(),
    from,
    length: placed.entries.length,
    shortened: Object.keys(state.shortened).map(Number),
    pins: outlook.pins.map((pin) => pin.id),
    signed,
  };
  const seen = see(call, placed, { fold, state });
  return { fold: { ...fold, after: seen.window.used }, stateFrom, seen };
}

/** Why a fold that would land there is not made; undefined where it is worth its price. */
function whyUnworthy(
  { limit }: Call,
  { used, landing, urgency }: { used: number; landing: number; urgency: Urgency },
): string | undefined {
  if (landing >= used) return "the summary is no smaller than what it would replace";
  if (urgency === "brim" || urgency === "overflow" || landsWell({ used, landing, limit }))
    return undefined;
  if (urgency === "manual" && worthAsking(used, landing)) return undefined;
  return `with its summary the fold would free ${Math.round(((used - landing) / limit) * 100)} % of the limit`;
}

const knowing = (placed: Sight["placed"], state: SessionState): Sight["placed"] => ({
  ...placed,
  session: { ...placed.session, state },
});

const GONE = "the conversation is no longer in the history";
export const OVERTAKEN = "another call of this conversation has folded it meanwhile";

/** The request as it now stands. */
const seenAgain = (sight: Sight, placed: Sight["placed"]): Sight => told(see(sight.call, placed));

/** Thinking that had to be left out is told. */
function told(sight: Sight): Sight {
  tellUnbound(sight);
  return sight;
}

export async function shortenOnly(sight: Sight, shorten: Shortening): Promise<Relief> {
  const { call, placed } = sight;
  const stateFrom = (now: SessionState) => ({
    shortened: boundsWith(shorten, knowing(placed, now)),
  });
  const seen = see(call, placed, { state: stateFrom(placed.session.state) });
  if (seen.window.used >= sight.window.used)
    return { sight, refused: "shortening would not make the request smaller" };
  const updated = await call.core.sessions.update(placed.session.id, { state: stateFrom });
  call.core.emit({
    type: "shortened",
    messages: shorten.size,
    before: sight.window.used,
    after: seen.window.used,
  });
  return { sight: seenAgain(sight, { ...placed, ...updated, positions: placed.positions }) };
}
