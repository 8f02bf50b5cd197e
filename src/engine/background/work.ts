import { distilOptions } from "../options/options.ts";
import { lru } from "../../base/cache.ts";
import { queuedNotice, isOnNewest, upToDate } from "../journal/watermark.ts";
import { refusedFor } from "../../distil/check/gate.ts";
import { type Distilled, type Fact } from "../../distil/task/distiller.ts";
import { extractive } from "../../distil/extract/extractive.ts";
import { reasonOf, TidemarkError } from "../../model/errors.ts";
import { type Complete, type ReportedUsage } from "../../model/ports.ts";
import { isBudgetSpent } from "../runtime/budget.ts";
import { unlessAborted } from "../runtime/background.ts";
import { type Core } from "../session/core.ts";
import { completeFor, distillerFor, sayNoModel } from "./choose-distiller.ts";
import { distil, type Range, taskFor } from "./distil-task.ts";
import { foldIn, type Outgoing } from "../session/outgoing.ts";
import { persist, type Receipt } from "../journal/receipt.ts";

/** A summary that is ready to take the place of the entries before `upTo`, with the proof that it may. */
export interface Prepared {
  /** Of the fold to come: it stands in its text, which is measured beforehand. */
  readonly id: string;
  readonly upTo: number;
  /** The chain at `upTo - 1`: the summary holds only for exactly this beginning. */
  readonly chain: string;
  /** The fold it was made on: after another one it says twice what that one says. */
  readonly fold: string | undefined;
  /** Of the session, when it was looked at for this: an earlier look cannot tell whether it still holds. */
  readonly revision: number;
  readonly summary: string;
  readonly receipt: Receipt;
}

/** Summaries that no turn came back for are made again when one does. */
const SUMMARIES = 256;

/** The summaries at hand, one a session, each kept until a fold takes it. */
export function createPrepared() {
  const bySession = lru<string, Prepared>(SUMMARIES);

  /** The session's summary, if the session still begins as it did. */
  function of({ placed }: Outgoing): Prepared | undefined {
    const found = bySession.get(placed.session.id);
    if (!found) return undefined;
    if (placed.entries[found.upTo - 1]?.chain === found.chain && foldIn(placed)?.id === found.fold)
      return found;
    if (placed.session.revision >= found.revision) bySession.delete(placed.session.id);
    return undefined;
  }

  return {
    of,
    keep: (session: string, one: Prepared): void => bySession.set(session, one),
    /** Only this fold stands now: a summary made on another is dropped. */
    standsOn: (session: string, fold: string | undefined): void => {
      if (bySession.get(session)?.fold !== fold) bySession.delete(session);
    },
  };
}

/** Beyond these a thing may be saved a second time in other words, which costs a line. */
const FACTS = 300;
const SESSIONS = 256;

/** What a session's distilling has stored of late, by its words: a later summary need not say it again. */
export function createStoredFacts() {
  const bySession = lru<string, readonly string[]>(SESSIONS);
  const of = (session: string): readonly string[] => bySession.get(session) ?? [];
  return {
    of,
    add: (session: string, facts: readonly Fact[]): void =>
      bySession.set(
        session,
        [...of(session), ...facts.map(({ content }) => content)].slice(-FACTS),
      ),
  };
}
type StoredFacts = ReturnType<typeof createStoredFacts>;

type Asking = Pick<Range, "hurry" | "answered" | "sent">;

interface Work extends Asking {
  readonly upTo: number;
  readonly signal: AbortSignal;
  readonly facts: StoredFacts;
  /** Facts and summary came in whole, whether the summary is still of use or not. */
  readonly succeeded: () => void;
}

/**
 * Distils the entries before `upTo` and stores their facts. Answers the summary and what it was made on; undefined where another
 * process, an edit or a fold has taken over meanwhile. Rejects with what the distiller or the store rejects with.
 */
export async function prepareSummary(
  given: Outgoing,
  { upTo, signal, facts, succeeded, ...asking }: Work,
): Promise<Prepared | undefined> {
  const { core } = given.call;
  const session = given.placed.session.id;
  const started = core.now();
  if (!(await isOnNewest(given))) return undefined;
  const outgoing = await upToDate(given);
  const { placed } = outgoing;
  const known = facts.of(session);
  const { result, owed } = await distilled(outgoing, { upTo, ...asking, known }, signal);
  const stored = await store(outgoing, { upTo, signal, hurry: asking.hurry, result, owed });
  // Another process has stored the half of it: what is left is asked for by itself.
  if (stored === undefined) return undefined;
  const { receipt, chain } = stored;
  facts.add(session, result.facts);
  if (result.summary === undefined)
    throw new TidemarkError(
      "distil",
      "The distiller's reply was cut off, or its summary no shorter than what it stands for: its facts are kept, the summary is not.",
    );
  succeeded();
  const from = placed.session.watermark;
  core.emit({
    type: "distilled",
    session,
    by: result.by,
    facts: receipt.facts,
    ms: core.now() - started,
    ...refusedFor(result),
  });
  core.emit({ type: "flushed", session, messages: upTo - from, facts: receipt.facts });
  if (owed && from < upTo) core.emit(queuedNotice(session, upTo - from));
  // Folded meanwhile by another process: the facts are stored, and the summary would say twice what that fold's says.
  if (!(await isOnNewest(outgoing)) || signal.aborted) return undefined;
  return {
    id: core.newId(),
    upTo,
    chain: chain ?? "",
    fold: foldIn(placed)?.id,
    revision: placed.session.revision,
    summary: result.summary,
    receipt,
  };
}

interface Answer extends Pick<Work, "upTo" | "signal" | "hurry"> {
  readonly result: Distilled;
  readonly owed: string | undefined;
}

/** Stores the facts of an answer, if the messages it was made from are still there. */
async function store(
  { call, placed }: Outgoing,
  { upTo, signal, hurry, result, owed }: Answer,
): Promise<{ receipt: Receipt; chain: string | undefined } | undefined> {
  const session = placed.session.id;
  // A turn that waits for this does not wait for its embedder.
  await unlessAborted(
    call.who.memories.ready(result.facts),
    AbortSignal.any([signal, ...(hurry ? [hurry] : [])]),
  );
  // Given up while the answer came in: the work that gave it up has taken over.
  signal.throwIfAborted();
  const chain = placed.entries[upTo - 1]?.chain;
  // The line it was made from is gone: what stands there now is distilled for itself.
  if ((await call.core.sessions.load(session))?.entries[upTo - 1]?.chain !== chain)
    return undefined;
  const from = placed.session.watermark;
  const receipt = await persist(call.core, call.who, {
    of: placed,
    first: from,
    last: upTo,
    // What a broken reply did not reach is distilled again.
    partly: result.summary === undefined,
    facts: result.facts,
    by: result.by,
    owed: owed && from < upTo ? { from, error: owed } : undefined,
  });
  return receipt && { receipt, chain };
}

/** By the model, when it is its turn among all sessions; without one where there is none, or where its budget is spent. */
async function distilled(
  outgoing: Outgoing,
  range: Omit<Range, "base" | "signal">,
  signal: AbortSignal,
): Promise<{ result: Distilled; owed?: string }> {
  const { call, placed } = outgoing;
  const { core } = call;
  const complete = asSent(completeFor(core, call), outgoing);
  const quote = () =>
    distil(
      extractive,
      (inner) => taskFor(outgoing, { ...range, signal: inner, base: false }),
      signal,
    );
  if (!complete) {
    sayNoModel(core);
    return { result: await quote() };
  }
  const leave = await core.slots.take(signal, placed.session.id);
  try {
    const distiller = distillerFor(core, {
      complete,
      session: placed.session.id,
      dialect: call.dialect,
      model: call.model,
      window: call.window,
      limit: call.limit,
    });
    return {
      result: await distil(
        distiller,
        (inner) => taskFor(outgoing, { ...range, signal: inner, base: sharesPrefix(core) }),
        signal,
      ),
    };
  } catch (thrown) {
    if (!isBudgetSpent(thrown)) throw thrown;
    return { result: await quote(), owed: reasonOf(thrown) };
  } finally {
    leave();
  }
}

/** What goes on with the last request goes under the same rule for its thinking. */
function asSent(
  complete: Complete<ReportedUsage> | undefined,
  { call, view }: Outgoing,
): Complete<ReportedUsage> | undefined {
  const { thinking } = view.request;
  if (complete === undefined || thinking === undefined || thinking === call.request.thinking)
    return complete;
  return (request) => {
    const asked = { ...request, thinking };
    return complete(asked);
  };
}

/** A cheaper model of the host's choosing has no warm cache to read: it is asked with the conversation written out. */
const sharesPrefix = ({ options }: Core): boolean => distilOptions(options).model === undefined;
