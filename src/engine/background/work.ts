import { defined } from "../../base/defined.ts";
import { queuedNotice } from "../journal/owed.ts";
import { refusedFor } from "../../distil/check/gate.ts";
import { type Distilled } from "../../distil/task/distiller.ts";
import { extractive } from "../../distil/extract/extractive.ts";
import { lru } from "../../base/cache.ts";
import { reasonOf, TidemarkError, troubleOf } from "../../model/errors.ts";
import { type Complete, type ReportedUsage } from "../../model/ports.ts";
import { isBudgetSpent } from "../runtime/budget.ts";
import { unlessAborted } from "../runtime/background.ts";
import { type Core } from "../session/context.ts";
import { completeFor, distil, distillerFor, type Range, sayNoModel, taskFor } from "./task.ts";
import { held, foldIn, type Sight } from "../session/outgoing.ts";
import { createHeard } from "./stored-facts.ts";
import { isOnNewest, upToDate } from "../journal/watermark.ts";
import { persist, type Receipt } from "../journal/receipt.ts";
import { injectedText } from "../../prompt/recalled.ts";

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

interface Work {
  readonly done: Promise<void>;
  /** The fold it goes on from. */
  readonly fold: string | undefined;
  readonly abort: AbortController;
  /** Aborted: what is in hand is the answer, nothing is asked for again. */
  readonly hurry: AbortController;
  /** The first answer is in hand. */
  answered: boolean;
  /** A turn has waited for it once; none waits again below the brim. */
  waited: boolean;
}

interface Trouble {
  readonly failures: number;
  readonly at: number;
  readonly pause: number;
}

/** What is to come by the clock was noted before that was set back. */
const isPausing = (trouble: Trouble | undefined, now: number): boolean =>
  trouble !== undefined && trouble.at <= now && now < trouble.at + trouble.pause;

/** After a failure, tries are at least this far apart; the distance doubles. */
const PAUSE_MS = 15_000;

/** So far below the mark, as a share of the limit, a turn of usual size may reach it. */
const NEAR = 0.04;

/** Turns that never end hold their requests; more than this many are not held. */
const SOON = 32;

/** Distilling behind the conversation: one work a session, its result kept until a fold takes it. `made` is told of each, when the waiting turn has gone on. */
export function createWorks(
  made: (sight: Sight, ready: Prepared) => Promise<unknown> = () => Promise.resolve(),
) {
  const running = new Map<string, Work>();
  const soon = new Map<string, { sight: Sight; upTo: number }>();
  const ready = new Map<string, Prepared>();
  const trouble = lru<string, Trouble>(1_024);
  const heard = createHeard();

  /** The summary at hand, if the session still begins as it did. */
  function prepared({ placed }: Sight): Prepared | undefined {
    const found = ready.get(placed.session.id);
    if (!found) return undefined;
    if (placed.entries[found.upTo - 1]?.chain === found.chain && foldIn(placed)?.id === found.fold)
      return found;
    if (placed.session.revision >= found.revision) ready.delete(placed.session.id);
    return undefined;
  }

  async function work(
    given: Sight,
    upTo: number,
    { signal, ...asking }: Pick<Range, "hurry" | "answered" | "sent"> & { signal: AbortSignal },
  ): Promise<void> {
    const { call } = given;
    const { now, emit } = call.core;
    const session = given.placed.session.id;
    const started = now();
    try {
      if (!(await isOnNewest(given))) return;
      const sight = await upToDate(given);
      const { placed } = sight;
      const { result, owed } = await distilled(
        sight,
        { upTo, ...asking, known: heard.of(session) },
        signal,
      );
      // A turn that waits for this does not wait for its embedder.
      await unlessAborted(
        call.who.memories.ready(result.facts),
        AbortSignal.any([signal, ...(asking.hurry ? [asking.hurry] : [])]),
      );
      // Given up while the answer came in: the work that gave it up has taken over.
      signal.throwIfAborted();
      const chain = placed.entries[upTo - 1]?.chain;
      // The line it was made from is gone: what stands there now is distilled for itself.
      if ((await call.core.sessions.load(session))?.entries[upTo - 1]?.chain !== chain) return;
      const from = placed.session.watermark;
      const receipt = await persist(call.core, call.who, {
        of: { session, first: from, last: upTo, chain },
        // What a broken reply did not reach is distilled again.
        partly: result.summary === undefined,
        facts: result.facts,
        by: result.by,
        injected: injectedText(placed.session.state),
        ...defined({ owed: owed && from < upTo ? { from, error: owed } : undefined }),
      });
      // Another process has stored the half of it: what is left is asked for by itself.
      if (receipt === undefined) return;
      heard.add(session, result.facts);
      if (result.summary === undefined)
        throw new TidemarkError(
          "distil",
          "The distiller's reply was cut off, or its summary no shorter than what it stands for: its facts are kept, the summary is not.",
        );
      trouble.delete(session);
      emit({
        type: "distilled",
        session,
        by: result.by,
        facts: receipt.facts,
        ms: now() - started,
        ...refusedFor(result),
      });
      emit({ type: "flushed", session, messages: upTo - from, facts: receipt.facts });
      if (owed && from < upTo) emit(queuedNotice(session, upTo - from));
      // Folded meanwhile by another process: the facts are stored, and the summary would say twice what that fold's says.
      if (!(await isOnNewest(sight)) || signal.aborted) return;
      const done: Prepared = {
        id: call.core.newId(),
        upTo,
        chain: chain ?? "",
        fold: foldIn(placed)?.id,
        revision: placed.session.revision,
        summary: result.summary,
        receipt,
      };
      keep(session, done);
      tell(sight, done);
    } catch (thrown) {
      if (signal.aborted) return;
      const failures = (trouble.get(session)?.failures ?? 0) + 1;
      trouble.set(session, {
        failures,
        at: now(),
        pause: PAUSE_MS * 2 ** Math.min(8, failures - 1),
      });
      emit({ type: "distil-failed", session, ...troubleOf(thrown) });
    }
  }

  const tell = (sight: Sight, one: Prepared): void => {
    const { core } = sight.call;
    core.background.run(
      new Promise((resolve) => setImmediate(resolve)).then(() =>
        core.closed ? undefined : made(sight, one),
      ),
    );
  };

  function keep(session: string, result: Prepared): void {
    ready.delete(session);
    ready.set(session, result);
    // A summary that no turn came back for is made again when one does.
    const oldest = ready.size > 256 ? ready.keys().next().value : undefined;
    if (oldest !== undefined) ready.delete(oldest);
  }

  /** Starts distilling the entries before `upTo`, unless the session is at it or has just failed. `sent`: the provider has had this request. */
  function start(sight: Sight, upTo: number, { eager = false, sent = true } = {}): void {
    const session = sight.placed.session.id;
    soon.delete(session);
    if (running.has(session) || sight.call.core.closed) return;
    const { now, background } = sight.call.core;
    if (!eager && isPausing(trouble.get(session), now())) return;
    const [abort, hurry] = [new AbortController(), new AbortController()];
    const answered = (): void => {
      const busy = running.get(session);
      if (busy?.abort === abort) busy.answered = true;
    };
    const done = work(held(sight), upTo, {
      signal: abort.signal,
      hurry: hurry.signal,
      answered,
      sent,
    }).finally(() => {
      if (running.get(session)?.abort === abort) running.delete(session);
    });
    running.set(session, {
      done,
      fold: foldIn(sight.placed)?.id,
      abort,
      hurry,
      answered: false,
      waited: false,
    });
    background.run(done);
  }

  function startWaiting(session: string): void {
    const found = soon.get(session);
    if (found) start(found.sight, found.upTo);
  }

  return {
    prepared,
    /** A branch goes on with the summary that was made of what it shares with the conversation it left, up to `most`. */
    adopt: async (sight: Sight, most: number): Promise<void> => {
      const { call, placed } = sight;
      const session = placed.session.id;
      if (ready.has(session)) return;
      const shared = ({ upTo, chain, fold }: Prepared): boolean =>
        upTo <= most && placed.entries[upTo - 1]?.chain === chain && foldIn(placed)?.id === fold;
      const found = [...ready.values()].findLast(shared);
      const receipt =
        found &&
        (await persist(call.core, call.who, {
          of: { session, first: 0, last: found.upTo, chain: found.chain },
          facts: [],
          injected: "",
        }));
      if (receipt)
        keep(session, {
          ...found,
          id: call.core.newId(),
          revision: placed.session.revision,
          receipt,
        });
    },
    start,
    /**
     * Starts with the end of this turn: by then the provider has cached its request, and the conversation's own call had
     * the line for itself. A turn whose end is never told has the next one start it.
     */
    startSoon: (sight: Sight, upTo: number): void => {
      const session = sight.placed.session.id;
      if (running.has(session)) return;
      if (soon.has(session)) return start(sight, upTo, { sent: false });
      soon.set(session, { sight: held(sight), upTo });
      const oldest = soon.size > SOON ? soon.keys().next().value : undefined;
      if (oldest !== undefined) startWaiting(oldest);
    },
    /** What waited for the end of this turn starts; where the next may fold, what was made is told once more: files and facts have changed since. */
    turnEnded: (sight: Sight): void => {
      startWaiting(sight.placed.session.id);
      const found =
        sight.window.level >= sight.call.core.marks.compact - NEAR ? prepared(sight) : undefined;
      if (found) tell(held(sight), found);
    },
    startAll: (): void => [...soon.keys()].forEach(startWaiting),
    running: (session: string): boolean => running.has(session),
    /** A session's work, for a turn to wait for: only once below the brim. What is in hand then is the answer. */
    awaited: (session: string, { again = false } = {}): Promise<void> | undefined => {
      const busy = running.get(session);
      if (!busy || (busy.waited && !again)) return undefined;
      busy.waited = true;
      if (busy.answered) busy.hurry.abort();
      return busy.done;
    },
    heard: heard.of,
    /** Gives up a session's work, or only its second try where the answer is in hand; what it has begun to store is stored when this resolves. */
    halt: async (session: string): Promise<void> => {
      soon.delete(session);
      const busy = running.get(session);
      (busy?.answered === true ? busy.hurry : busy?.abort)?.abort();
      await busy?.done;
    },
    /** Only this fold stands now: what goes on from another is given up. */
    standsOn: (session: string, fold: string | undefined): void => {
      const waiting = soon.get(session);
      if (waiting && foldIn(waiting.sight.placed)?.id !== fold) soon.delete(session);
      const busy = running.get(session);
      if (busy && busy.fold !== fold) {
        busy.abort.abort();
        running.delete(session);
      }
      if (ready.get(session)?.fold !== fold) ready.delete(session);
    },
    stop: (): void => {
      soon.clear();
      for (const { abort } of running.values()) abort.abort();
      running.clear();
    },
  };
}

export type Works = ReturnType<typeof createWorks>;

/** By the model, when it is its turn among all sessions; without one where there is none, or where its budget is spent. */
async function distilled(
  sight: Sight,
  range: Omit<Range, "base" | "signal">,
  signal: AbortSignal,
): Promise<{ result: Distilled; owed?: string }> {
  const { call, placed } = sight;
  const { core } = call;
  const complete = asSent(completeFor(core, call), sight);
  const quote = () =>
    distil(extractive, (inner) => taskFor(sight, { ...range, signal: inner, base: false }), signal);
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
        (inner) => taskFor(sight, { ...range, signal: inner, base: sharesPrefix(core) }),
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
  { call, view }: Sight,
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
const sharesPrefix = ({ options: { distil } }: Core): boolean =>
  !(typeof distil === "object" && distil.model !== undefined);
