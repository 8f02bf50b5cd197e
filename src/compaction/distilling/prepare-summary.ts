import { defined } from "../../core/base.ts";
import { reasonOf, TidemarkError } from "../../core/errors-and-events.ts";
import type { ReadySummary } from "../../core/history.ts";
import { mask } from "../../core/secrets/mask.ts";
import { extractive } from "../../memory/extracting/extractive.ts";
import type { Distilled, Distiller } from "../../memory/extracting/task.ts";
import type { Ground, Kept } from "../../session/ports.ts";
import { foldIn, type Outgoing } from "../../session/outgoing-request.ts";
import { isBudgetSpent } from "../../session/own-calls.ts";
import { isOnNewest, persist, type Receipt, receiptOf, upToDate } from "../journal/save-facts.ts";
import { queuedNotice } from "../journal/queue.ts";
import { distil, type DistilRange, type TaskCore, taskFor } from "./distil-task.ts";

/** A summary that is ready, with the proof that it may take the place of what it stands for. */
export interface Prepared extends ReadySummary {
  readonly receipt: Receipt;
}

/** The summary at hand, if the session still begins as it did. */
export async function preparedFor(
  { sessions }: Kept,
  outgoing: Outgoing,
): Promise<Prepared | undefined> {
  const { entries } = outgoing;
  // One that was made since the request was placed counts, too.
  const session = (await sessions.load(outgoing.session.id))?.session ?? outgoing.session;
  const { ready } = session.state;
  if (ready === undefined || entries[ready.upTo - 1]?.chain !== ready.chain) return undefined;
  if (ready.fold !== (foldIn(outgoing)?.id ?? "")) return undefined;
  const receipt = receiptOf(session, ready);
  return receipt && { ...ready, receipt };
}

export type Preparing = Ground & TaskCore;

export interface SummaryWork extends Omit<DistilRange, "base"> {
  /** No model is waited for: it is left to the queue. */
  readonly byRules?: boolean;
}

/**
 * Distils the entries before `upTo`, stores their facts, and keeps the summary for the fold to
 * come, unless another process, an edit or a fold has taken over meanwhile. True: facts and summary
 * came in whole. Rejects with what the distiller or the store rejects with.
 */
export async function prepareSummary(
  core: Preparing,
  given: Outgoing,
  asking: SummaryWork,
): Promise<boolean> {
  const session = given.session.id;
  const started = core.now();
  if (!(await isOnNewest(core, given))) return false;
  const outgoing = await upToDate(core, given);
  const answer = await distilled(core, outgoing, asking);
  const { result, owed } = answer;
  const receipt = await store(core, outgoing, asking, answer);
  // Another process has stored the half of it: what is left is asked for by itself.
  if (receipt === undefined) return false;
  if (result.summary === undefined)
    throw new TidemarkError(
      "distil",
      "The distiller's reply was cut off, or its summary no shorter than what it stands " +
        "for: its facts are kept, the summary is not.",
    );
  core.emit({
    type: "distilled",
    session,
    by: result.by,
    facts: receipt.facts,
    ms: core.now() - started,
  });
  const messages = Math.max(0, asking.upTo - outgoing.session.watermark);
  core.emit({ type: "flushed", session, messages, facts: receipt.facts });
  if (owed && messages > 0) core.emit(queuedNotice(session, messages));
  return true;
}

/** Stores an answer, if the messages it was made from are still there. */
async function store(
  core: Preparing,
  outgoing: Outgoing,
  { upTo, signal }: SummaryWork,
  { result, owed }: Awaited<ReturnType<typeof distilled>>,
): Promise<Receipt | undefined> {
  const { who, session, entries } = outgoing;
  // Given up while the answer came in: the work that gave it up has taken over.
  signal.throwIfAborted();
  const chain = entries[upTo - 1]?.chain;
  // The line it was made from is gone: what stands there now is distilled for itself.
  if ((await core.sessions.load(session.id))?.entries[upTo - 1]?.chain !== chain) return undefined;
  const from = session.watermark;
  const fold = foldIn(outgoing)?.id;
  const id = core.newId();
  const summary = result.summary && mask(result.summary);
  return persist(core, who, {
    of: outgoing,
    from,
    to: upTo,
    // Messages that a broken reply did not reach are distilled again.
    partly: result.summary === undefined,
    facts: result.facts,
    by: result.by,
    owed: from < upTo ? owed : undefined,
    // Folded meanwhile by another process: the summary would say twice what that fold's says.
    ready: ({ folds }, facts) =>
      summary === undefined || folds.at(-1)?.id !== fold || signal.aborted
        ? undefined
        : { id, upTo, chain: chain ?? "", fold: fold ?? "", summary, facts },
  });
}

/**
 * By the model, when it is its turn among all sessions; without one where there is none, or where
 * its budget is spent.
 */
async function distilled(
  core: Preparing,
  outgoing: Outgoing,
  { signal, byRules = false, ...range }: SummaryWork,
): Promise<{ result: Distilled; owed?: string }> {
  const { models } = core;
  const { session, who } = outgoing;
  const complete = models.completeFor(who, outgoing.complete);
  const ask = (distiller: Distiller, base: boolean): Promise<Distilled> =>
    distil(
      distiller,
      (inner) => taskFor(core, outgoing, { ...range, signal: inner, base }),
      signal,
    );
  if (!complete || byRules) {
    if (!complete) models.sayNone();
    const owed = complete && "the fold could not wait for the distiller";
    return { result: await ask(extractive, false), ...defined({ owed }) };
  }
  const { dialect, model, window, limit } = outgoing;
  const about = { session: session.id, dialect, model, window, limit };
  // A cheaper model of the host's choosing has no warm cache to read: it is asked with the
  // conversation written out.
  const sharesPrefix = core.distil.model === undefined;
  return models.inTurn(signal, async () => {
    try {
      return { result: await ask(models.distillerFor(complete, about), sharesPrefix) };
    } catch (thrown) {
      if (!isBudgetSpent(thrown)) throw thrown;
      return { result: await ask(extractive, false), owed: reasonOf(thrown) };
    }
  });
}
