import { reasonOf, TidemarkError } from "../model/errors.ts";
import { within } from "./background.ts";
import { type Core } from "./core.ts";
import { completeFor, distil, distillerFor, taskFor } from "./distilling.ts";
import { persist, type Receipt } from "./persist.ts";
import { foldIn, type Sight } from "./sight.ts";

/** A summary that is ready to take the place of the entries before `upTo`, with the proof that it may. */
export interface Prepared {
  readonly upTo: number;
  /** The chain at `upTo - 1`: the summary holds only for exactly this beginning. */
  readonly chain: string;
  /** The fold it was made on: after another one it says twice what that one says. */
  readonly fold: string | undefined;
  readonly summary: string;
  readonly receipt: Receipt;
}

interface Work {
  readonly upTo: number;
  readonly done: Promise<void>;
  readonly abort: AbortController;
  /** A turn has waited for it once; none waits again below the brim. */
  waited: boolean;
}

interface Trouble {
  readonly failures: number;
  readonly notBefore: number;
}

/** After a failure, tries are at least this far apart; the distance doubles. */
const PAUSE_MS = 15_000;

/** Distilling behind the conversation: one work a session, its result kept until a fold takes it. */
export function createWorks() {
  const running = new Map<string, Work>();
  const ready = new Map<string, Prepared>();
  const trouble = new Map<string, Trouble>();

  /** The summary at hand, if the session still begins as it did. */
  function prepared({ placed }: Sight): Prepared | undefined {
    const found = ready.get(placed.session.id);
    if (!found) return undefined;
    if (placed.entries[found.upTo - 1]?.chain === found.chain && foldIn(placed)?.id === found.fold) return found;
    ready.delete(placed.session.id);
    return undefined;
  }

  async function work(sight: Sight, upTo: number, signal: AbortSignal): Promise<void> {
    const { call, placed } = sight;
    const { now, emit } = call.core;
    const session = placed.session.id;
    const started = now();
    try {
      const complete = completeFor(call.core, call);
      const result = await distil(distillerFor(call.core, { complete, window: call.window, limit: call.limit }), (inner) => taskFor(sight, { upTo, signal: inner, base: sharesPrefix(call.core) }), signal);
      // Given up while the answer came in: whoever gave it up has taken over.
      signal.throwIfAborted();
      const whole = result.summary !== undefined;
      const receipt = await persist(call.core, call.who, {
        session,
        // A broken reply gives what it has; what it did not reach is distilled again.
        upTo: whole ? upTo : placed.session.watermark,
        facts: result.facts,
        injected: placed.session.state.frozen?.text ?? "",
      });
      if (result.summary === undefined) throw new TidemarkError("distil", "The distiller's reply was cut off, or its summary no shorter than what it stands for: its facts are kept, the summary is not.");
      trouble.delete(session);
      emit({ type: "distilled", session, by: result.by, facts: receipt.facts, ms: now() - started });
      emit({ type: "flushed", session, messages: upTo - placed.session.watermark, facts: receipt.facts });
      keep(session, { upTo, chain: placed.entries[upTo - 1]?.chain ?? "", fold: foldIn(placed)?.id, summary: result.summary, receipt });
    } catch (thrown) {
      if (signal.aborted) return;
      const failures = (trouble.get(session)?.failures ?? 0) + 1;
      trouble.set(session, { failures, notBefore: now() + PAUSE_MS * 2 ** Math.min(8, failures - 1) });
      emit({ type: "distil-failed", session, error: reasonOf(thrown) });
    }
  }

  function keep(session: string, result: Prepared): void {
    ready.delete(session);
    ready.set(session, result);
    // A summary nobody came back for is made again when somebody does.
    const oldest = ready.size > 256 ? ready.keys().next().value : undefined;
    if (oldest !== undefined) ready.delete(oldest);
  }

  /** Starts distilling the entries before `upTo`, unless the session is at it or has just failed. */
  function start(sight: Sight, upTo: number, { eager = false } = {}): Work | undefined {
    const session = sight.placed.session.id;
    const busy = running.get(session);
    if (busy) return busy;
    const { now, background } = sight.call.core;
    if (!eager && now() < (trouble.get(session)?.notBefore ?? 0)) return undefined;
    const abort = new AbortController();
    const done = work(sight, upTo, abort.signal).finally(() => {
      if (running.get(session)?.abort === abort) running.delete(session);
    });
    const made: Work = { upTo, done, abort, waited: false };
    running.set(session, made);
    background.run(done);
    return made;
  }

  return {
    prepared,
    start,
    running: (session: string): Work | undefined => running.get(session),
    /** Waits for a session's work at most `ms`, and only once below the brim. */
    wait: async (session: string, ms: number, { again = false } = {}): Promise<void> => {
      const busy = running.get(session);
      if (!busy || (busy.waited && !again)) return;
      busy.waited = true;
      await within(busy.done, ms);
    },
    /** Gives up a session's work; what it has begun to store is stored when this resolves. */
    halt: async (session: string): Promise<void> => {
      const busy = running.get(session);
      busy?.abort.abort();
      await busy?.done;
    },
    /** The session's line has changed, or a fold took what was made: start afresh. */
    drop: (session: string): void => {
      running.get(session)?.abort.abort();
      running.delete(session);
      ready.delete(session);
    },
    stop: (): void => {
      for (const { abort } of running.values()) abort.abort();
      running.clear();
    },
  };
}

export type Works = ReturnType<typeof createWorks>;

/** A cheaper model of the host's choosing has no warm cache to read: it is asked with the conversation written out. */
const sharesPrefix = ({ options: { distil } }: Core): boolean => !(typeof distil === "object" && distil.model !== undefined);
