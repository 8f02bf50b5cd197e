import { defined } from "../core/base.ts";
import type { Bounds, Fold, SessionState } from "../core/history.ts";
import { mask } from "../core/secrets/mask.ts";
import type { Ground, Ports, Weighing } from "../session/ports.ts";
import type { FoldReport } from "../session/options/tidemark-api.ts";
import {
  foldIn,
  keeping,
  type Outgoing,
  outgoingOf,
  type PlacedCall,
} from "../session/outgoing-request.ts";
import { recalledFrom } from "../session/recalled-text.ts";
import type { Models } from "./distilling/choose-distiller.ts";
import type { Prepared } from "./distilling/prepare-summary.ts";
import type { Scheduler } from "./distilling/background-summaries.ts";
import type { ConversationPages, EventLog } from "./journal/log-and-conversation-pages.ts";
import { foldText, type Outlook } from "./plan-question.ts";
import type { Shortening } from "./plan-at-brim.ts";
import { whyUnworthy } from "../session/options/save-and-fold-marks.ts";

/** The parts that a fold sets going, or is told of by. */
interface FoldParts {
  readonly models: Models;
  readonly scheduler: Scheduler;
  readonly pages: ConversationPages;
  readonly log: EventLog;
}
export type Folding = Ports & Weighing & FoldParts;

/** Why a request must shrink. */
export type Urgency = "mark" | "brim" | "overflow" | "manual";

export interface Relief {
  readonly outgoing: Outgoing;
  readonly folded?: FoldReport;
  readonly facts?: number;
  readonly refused?: string;
}

export function refuse({ emit }: Ground, outgoing: Outgoing, reason: string | undefined): Relief {
  const refused = reason ?? "the last messages are too large to be cut down further";
  emit({ type: "fold-refused", reason: refused });
  return { outgoing, refused };
}

/** A fold goes as far as its receipt. */
interface Commit extends Pick<Prepared, "id" | "summary" | "receipt"> {
  /** A fold that is the last resort shortens what stays, too. */
  readonly shorten?: Shortening;
  readonly outlook: Outlook;
  readonly urgency: Urgency;
}

/** A trace shows a fold, and why there was none. */
export function commit(core: Folding, outgoing: Outgoing, made: Commit): Promise<Relief> {
  const session = outgoing.session.id;
  return core.spans.run("tidemark.fold", { "gen_ai.conversation.id": session }, async (tell) => {
    const relief = await write(core, outgoing, made);
    tell({ "tidemark.fold.id": relief.folded?.id, "tidemark.fold.refused": relief.refused });
    if (relief.folded !== undefined) core.pages.folded(session);
    return relief;
  });
}

/**
 * Folds, receipt in hand: the new request is put together and weighed before anything is written.
 */
async function write(core: Folding, outgoing: Outgoing, made: Commit): Promise<Relief> {
  const { level, limit, conversation, entries, view } = outgoing;
  const session = outgoing.session.id;
  const { shorten = new Map(), receipt, urgency } = made;
  const { fold, stateFrom, seen } = await assemble(core, outgoing, { ...made, shorten });
  const [{ used }, landing] = [level, seen.level.used];
  if (fold.messages <= view.replaced) {
    const kept = conversation.length - fold.messages;
    return { outgoing, refused: `the last ${kept} messages are all there is to keep` };
  }
  if (landing >= used)
    return { outgoing, refused: "the summary is no smaller than what it would replace" };
  const worth = { used, landing, limit, landed: foldIn(outgoing)?.after };
  const refused = made.shorten ? undefined : whyUnworthy(worth, urgency === "manual");
  if (refused !== undefined) return { outgoing, refused };
  const on = { fold: foldIn(outgoing)?.id, chain: entries[receipt.upTo - 1]?.chain };
  const updated = await core.sessions.update(session, { fold, on, state: stateFrom });
  if (updated === undefined) return { outgoing, refused: GONE };
  core.scheduler.standsOn(session, updated.folds.at(-1)?.id);
  const now = seenAgain(core, { ...outgoing, ...updated });
  // Another process was faster: what it has folded is folded here too, and once is enough.
  if (updated.isOver || foldIn(now)?.id !== fold.id) return { outgoing: now, refused: OVERTAKEN };
  const report = { id: fold.id, messages: fold.messages, before: used, after: landing };
  core.emit({ type: "folded", ...report }, fold.summary);
  core.log.note(outgoing.who.home, { at: fold.at, what: "fold", id: fold.id, did: "ended" });
  if (shorten.size > 0)
    core.emit({ type: "shortened", messages: shorten.size, before: used, after: landing });
  return { outgoing: now, folded: report, facts: receipt.facts };
}

/** The fold as it would be stored, and the request as it would then stand. */
async function assemble(
  core: Folding,
  outgoing: Outgoing,
  { id, shorten, receipt: { upTo }, summary: written, outlook }: Commit & { shorten: Shortening },
) {
  const { positions, session } = outgoing;
  const summary = mask(written);
  const messages = positions.findLastIndex((position) => position >= 0 && position < upTo) + 1;
  const text = foldText(core, outgoing, { id, messages, summary, outlook });
  const from = foldIn(outgoing)?.upTo ?? 0;
  // Made anew when it is written: another turn may have been shown something since.
  const stateFrom = (now: SessionState) => ({
    ...defined({ frozen: outlook.frozen }),
    shortened: boundsWith(shorten, positions, { known: now.shortened, folded: upTo }),
    ...recalledFrom(now, upTo, from),
  });
  const state = stateFrom(session.state);
  const fold: Fold = {
    id,
    upTo,
    text,
    summary,
    messages,
    before: outgoing.level.used,
    after: 0,
    at: core.now(),
    from,
    length: outgoing.entries.length,
    shortened: Object.keys(state.shortened).map(Number),
    pins: outlook.pins.map((pin) => pin.id),
  };
  const seen = outgoingOf(core, outgoing, { fold, state });
  return { fold: { ...fold, after: seen.level.used }, stateFrom, seen };
}

const GONE = "the conversation is no longer in the history";
export const OVERTAKEN = "another call of this conversation has folded it meanwhile";

/** The request as it now stands; thinking that had to be left out is told. */
function seenAgain(core: Folding, call: PlacedCall): Outgoing {
  const outgoing = outgoingOf(core, call);
  core.tellUnbound(outgoing);
  return outgoing;
}

export async function shortenOnly(
  core: Folding,
  outgoing: Outgoing,
  shorten: Shortening,
): Promise<Relief> {
  const { positions, session } = outgoing;
  const stateFrom = (now: SessionState) => ({
    shortened: boundsWith(shorten, positions, { known: now.shortened }),
  });
  const seen = outgoingOf(core, outgoing, { state: stateFrom(session.state) });
  if (seen.level.used >= outgoing.level.used)
    return { outgoing, refused: "shortening would not make the request smaller" };
  const kept = await keeping(core, outgoing, stateFrom);
  core.emit({
    type: "shortened",
    messages: shorten.size,
    before: outgoing.level.used,
    after: seen.level.used,
  });
  return { outgoing: seenAgain(core, kept) };
}

/**
 * The session's bounds with a plan's: each message keeps to the narrower; what is folded needs
 * none.
 */
export function boundsWith(
  shorten: Shortening,
  positions: readonly number[],
  { known = {}, folded = 0 }: { known: SessionState["shortened"]; folded?: number },
): NonNullable<SessionState["shortened"]> {
  const bounds = Object.fromEntries(
    Object.entries(known).filter(([position]) => Number(position) >= folded),
  );
  for (const [index, bound] of shorten) {
    const position = positions[index] ?? -1;
    if (position >= 0) bounds[position] = narrower(bounds[position] ?? {}, bound);
  }
  return bounds;
}

function narrower(one: Bounds, other: Bounds): Bounds {
  const parts = ["results", "texts", "inputs", "media"] as const;
  return Object.fromEntries(
    parts
      .map((part) => [part, Math.min(one[part] ?? Infinity, other[part] ?? Infinity)] as const)
      .filter(([, bound]) => bound < Infinity),
  );
}
