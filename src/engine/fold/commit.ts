import { defined } from "../../base/defined.ts";
import { type Fold, type SessionState, type Signed } from "../../model/history.ts";
import { recalledFrom } from "../../prompt/recalled.ts";
import { landsWell, type FoldPlan, type Shortening } from "../../window/plan.ts";
import { type Works } from "../background/work.ts";
import { type Receipt } from "../journal/receipt.ts";
import { foldIn, see, type Sight, tellUnbound } from "../session/outgoing.ts";
import { foldedAs, foldSpan } from "../runtime/tracing.ts";
import { boundsWith, type Outlook, textOf, worthAsking } from "./plan.ts";
import { type Relief } from "./relief.ts";
import { type Urgency } from "./waiting.ts";

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
export const commit = (sight: Sight, works: Works, made: Commit): Promise<Relief> =>
  sight.call.core.spans.run(foldSpan(sight.placed.session.id), async (tell) => {
    const relief = await write(sight, works, made);
    tell(() => foldedAs(relief));
    return relief;
  });

/** Folds, receipt in hand: the new request is put together and weighed before anything is written. */
async function write(
  sight: Sight,
  works: Works,
  {
    id = sight.call.core.newId(),
    plan,
    upTo,
    summary: written,
    receipt,
    outlook,
    urgency,
    signed,
  }: Commit,
): Promise<Relief> {
  const { call, placed } = sight;
  const { core } = call;
  const session = placed.session.id;
  if (receipt.session !== session || receipt.upTo < upTo)
    return { sight, refused: "the facts of these messages are not stored yet" };
  const mask = await core.mask();
  const summary = mask(written);
  const { messages, text } = textOf(sight, { id, upTo, summary, outlook, mask });
  const { frozen } = outlook;
  // Made anew when it is written: another turn may have been shown something since.
  const stateFrom = (now: SessionState) => ({
    ...defined({ frozen }),
    shortened: boundsWith(plan.shorten, knowing(placed, now), upTo),
    ...recalledFrom(now, upTo, foldIn(placed)?.upTo ?? 0),
  });
  const state = stateFrom(placed.session.state);
  const fold: Fold = {
    ...{ id, upTo, text, summary, messages, before: sight.window.used, after: 0, at: core.now() },
    ...{
      from: foldIn(placed)?.upTo ?? 0,
      length: placed.entries.length,
      shortened: Object.keys(state.shortened).map(Number),
      pins: outlook.pins.map((pin) => pin.id),
      ...defined({ signed }),
    },
  };
  const seen = see(call, placed, { fold, state });
  const [used, landing, limit] = [sight.window.used, seen.window.used, call.limit];
  if (landing >= used)
    return { sight, refused: "the summary is no smaller than what it would replace" };
  const worth =
    urgency === "brim" ||
    urgency === "overflow" ||
    landsWell({ used, landing, limit }) ||
    (urgency === "manual" && worthAsking(used, landing));
  if (!worth)
    return {
      sight,
      refused: `with its summary the fold would free ${Math.round(((used - landing) / limit) * 100)} % of the limit`,
    };

  const done: Fold = { ...fold, after: landing };
  const on = { fold: foldIn(placed)?.id, chain: placed.entries[upTo - 1]?.chain };
  let asSeen = true;
  const stateNow = (now: SessionState) => {
    asSeen = now === placed.session.state;
    return stateFrom(now);
  };
  const updated = await core.sessions.update(session, { fold: done, on, state: stateNow });
  if (updated === undefined) return { sight, refused: GONE };
  works.standsOn(session, updated.folds.at(-1)?.id);
  // Another process was faster: what it has folded is folded here too, and once is enough.
  if (updated.folds.at(-1)?.id !== id)
    return {
      sight: seenAgain(sight, { ...placed, ...updated, positions: placed.positions }),
      refused: OVERTAKEN,
    };
  const report = { id, messages, before: used, after: landing };
  core.emit({ type: "folded", ...report });
  if (plan.shorten.size > 0)
    core.emit({ type: "shortened", messages: plan.shorten.size, before: used, after: landing });
  const now = { ...placed, ...updated, positions: placed.positions };
  return {
    sight: asSeen ? told({ ...seen, placed: now }) : seenAgain(sight, now),
    folded: { ...report, facts: receipt.facts },
  };
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
