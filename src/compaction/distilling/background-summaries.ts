import { lru } from "../../core/base.ts";
import { troubleOf } from "../../core/errors-and-events.ts";
import type { Ports } from "../../session/ports.ts";
import { createIdle, IDLE_MS } from "../../session/options/background.ts";
import { inSharedTurn } from "../../session/own-calls.ts";
import { foldIn, type Outgoing, snapshotOf } from "../../session/outgoing-request.ts";
import {
  preparedFor,
  prepareSummary,
  type Preparing,
  type SummaryWork,
} from "./prepare-summary.ts";

/** How far the entries are to be distilled, and how far they are. */
interface Ahead {
  readonly upTo: number;
  readonly done: number;
}

/** A work under way. */
interface Running {
  readonly done: Promise<void>;
  /** The fold it goes on from. */
  readonly fold: string | undefined;
  readonly abort: AbortController;
  /** A turn has waited for it once; none waits again below the brim. */
  waited: boolean;
}

/** Turns that never end hold their requests; more than this many are not held. */
const WAITING = 32;

/**
 * Distilling behind the conversation. A session's work waits for the end of a turn, runs, and
 * leaves a summary ready for a fold.
 */
export function createScheduler(core: Preparing & Ports) {
  const states = createStates();
  const { waiting, running, pauses } = states;

  /**
   * Starts distilling the entries before `upTo`, unless that is under way or has just failed. They
   * are as far as `done`; a process that has gone on from there was faster. `sent`: the provider
   * has had this request.
   */
  function start(
    outgoing: Outgoing,
    { upTo, done }: Ahead,
    { eager = false, sent = true } = {},
  ): void {
    const session = outgoing.session.id;
    waiting.delete(session);
    if (running.has(session) || core.closed) return;
    if (!eager && isPaused(pauses.get(session), core.now())) return;
    const abort = new AbortController();
    const asking = { upTo, done, signal: abort.signal, sent };
    const work: Running = {
      fold: foldIn(outgoing)?.id,
      abort,
      waited: false,
      done: carryOut(core, snapshotOf(outgoing), { pauses, ...asking }).finally(() => {
        if (running.get(session) === work) running.delete(session);
      }),
    };
    running.set(session, work);
    core.background.run(work.done);
  }

  function startWaiting(session: string): void {
    const found = waiting.get(session);
    if (found) start(found.outgoing, found);
  }

  return {
    start,
    /**
     * Starts with the end of this turn: by then the provider has cached its request, and the
     * conversation's own call had the line for itself. A turn whose end is never told has the next
     * one start it.
     */
    startSoon: (outgoing: Outgoing, stretch: Ahead): void => {
      const session = outgoing.session.id;
      if (running.has(session)) return;
      if (waiting.has(session)) return start(outgoing, stretch, { sent: false });
      waiting.set(session, { outgoing: snapshotOf(outgoing), ...stretch });
      const oldest = waiting.size > WAITING ? waiting.keys().next().value : undefined;
      if (oldest !== undefined) startWaiting(oldest);
    },
    /** A turn of this session has ended; by default those of all have. */
    startWaiting: (session?: string): void =>
      (session === undefined ? [...waiting.keys()] : [session]).forEach(startWaiting),
    /** Goes off once a session has been quiet for a while. */
    quiet: createIdle(core.timer, IDLE_MS),
    ...endingsOf(states),
  };
}

/** Prepares a summary; a failure is told of, and makes a pause. */
async function carryOut(
  core: Preparing & Ports,
  outgoing: Outgoing,
  { pauses, done, ...asking }: SummaryWork & Ahead & Pick<States, "pauses">,
): Promise<void> {
  const session = outgoing.session.id;
  try {
    const place = { name: `distilling ${session}`, most: 1, signal: asking.signal };
    await inSharedTurn(core, place, async (signal) => {
      if (((await preparedFor(core, outgoing))?.upTo ?? 0) > done) return;
      if (await prepareSummary(core, outgoing, { ...asking, signal })) pauses.delete(session);
    });
  } catch (thrown) {
    if (asking.signal.aborted) return;
    pauses.set(session, { failures: (pauses.get(session)?.failures ?? 0) + 1, at: core.now() });
    core.emit({ type: "distil-failed", session, ...troubleOf(thrown) });
  }
}

export type Scheduler = ReturnType<typeof createScheduler>;

const createStates = () => ({
  waiting: new Map<string, Ahead & { outgoing: Outgoing }>(),
  running: new Map<string, Running>(),
  /** How often sessions failed in a row, and when they did last. */
  pauses: lru<string, Failed>(1_024),
});
type States = ReturnType<typeof createStates>;

/** How a work ends before it is done, or is waited for. */
const endingsOf = ({ waiting, running }: States) => ({
  /** A session's work, for a turn to wait for: only once below the brim. */
  awaited: (session: string, { again = false } = {}): Promise<void> | undefined => {
    const busy = running.get(session);
    if (!busy || (busy.waited && !again)) return undefined;
    busy.waited = true;
    return busy.done;
  },
  /** Gives up a session's work; what it has begun to store is stored when this resolves. */
  halt: async (session: string): Promise<void> => {
    waiting.delete(session);
    const busy = running.get(session);
    busy?.abort.abort();
    await busy?.done;
  },
  /** Only this fold stands now: what goes on from another is given up. */
  standsOn: (session: string, fold: string | undefined): void => {
    const next = waiting.get(session);
    if (next && foldIn(next.outgoing)?.id !== fold) waiting.delete(session);
    const busy = running.get(session);
    if (busy && busy.fold !== fold) {
      busy.abort.abort();
      running.delete(session);
    }
  },
  stop: (): void => {
    waiting.clear();
    for (const { abort } of running.values()) abort.abort();
    running.clear();
  },
});

/** After a failure, tries are at least this far apart; the distance doubles. */
const PAUSE_MS = 15_000;

interface Failed {
  readonly failures: number;
  readonly at: number;
}

/** A failure noted later than now was noted by a clock that has been set back since. */
const isPaused = (last: Failed | undefined, now: number): boolean =>
  last !== undefined &&
  last.at <= now &&
  now < last.at + PAUSE_MS * 2 ** Math.min(8, last.failures - 1);
