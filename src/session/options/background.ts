import { unlessAborted, untilAborted } from "../../core/base.ts";

/** Runs `work` after `ms` unless called off. */
export type Timer = (ms: number, work: () => void) => () => void;

/** The process need not wait for it. */
export const unheldTimer: Timer = (ms, work) => {
  const timer = setTimeout(work, ms).unref();
  return () => clearTimeout(timer);
};

/** Work that no call waits for. A failure is the work's own to report; none reaches the process. */
export function createBackground(report: (thrown: unknown) => void) {
  const running = new Set<Promise<unknown>>();
  let ended = 0;
  return {
    run(work: Promise<unknown>): void {
      const watched = work.catch(report).finally(() => {
        ended += 1;
        running.delete(watched);
      });
      running.add(watched);
    },
    /**
     * Until no work is left: as long as some of it ends in each `ms`, and no longer than `most`.
     * True when all was done.
     */
    async settle(ms: number, most = ms): Promise<boolean> {
      const until = performance.now() + most;
      // Work may start work: look again until there is none.
      while (running.size > 0) {
        const before = ended;
        const left = Math.min(ms, until - performance.now());
        const done = await within(Promise.all(running), left);
        if (done === undefined && (ended === before || performance.now() >= until)) return false;
      }
      return true;
    },
  };
}

export type Background = ReturnType<typeof createBackground>;

const heldTimer: Timer = (ms, work) => {
  const running = setTimeout(work, ms);
  return () => clearTimeout(running);
};

/**
 * The work's result if it comes within `ms`, else undefined; the work goes on. By default the timer
 * keeps the process alive: what it guards against may be a promise that nothing else would ever
 * wake.
 */
export async function within<T>(
  work: Promise<T>,
  ms: number,
  timer = heldTimer,
): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const cancel = timer(ms, () => resolve(undefined));
  return Promise.race([work, late]).finally(cancel);
}

/** Longer than any work lasts, and the most a timer takes. */
const ALIVE = 2 ** 31 - 1;

/** The same work, which the process now waits for: its own timers let the process go. */
export function held<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(() => undefined, ALIVE);
  return work.finally(() => clearInterval(timer));
}

/** A quiet session is distilled while the provider's cache of five minutes still holds it. */
export const IDLE_MS = 270_000;
/**
 * Their requests are held until then; sessions beyond that many are read at close or by the next
 * session.
 */
const SESSIONS = 32;

/** Clocks that go off once a session has been quiet for a while. */
export function createIdle(timer: Timer, after: number, most = SESSIONS) {
  /** How to call off what waits; the session touched last stands last. */
  const waiting = new Map<string, () => void>();
  let stopped = false;
  const rest = (session: string): void => {
    waiting.get(session)?.();
    waiting.delete(session);
  };
  return {
    /** From now on. What was to be done for the session before is not. */
    touch(session: string, work: () => void): void {
      if (stopped) return;
      rest(session);
      const callOff = timer(after, () => {
        waiting.delete(session);
        work();
      });
      waiting.set(session, callOff);
      const [oldest = session] = waiting.keys();
      if (waiting.size > most) rest(oldest);
    },
    /** The session speaks again, or is gone. */
    rest,
    /** For good: a turn that ends while all is being closed starts nothing again. */
    stop(): void {
      stopped = true;
      for (const session of [...waiting.keys()]) rest(session);
    },
  };
}

/** Room for a few works at once; the others wait in the order they came. */
export function createSlots(most: number) {
  let left = most;
  const line = new Set<() => void>();
  return {
    /** The work is done when it is its turn; rejects when the signal aborts first. */
    async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
      const { promise: turn, resolve } = Promise.withResolvers<undefined>();
      const enter = (): void => resolve(undefined);
      if (left > 0) enter();
      else line.add(enter);
      left -= 1;
      try {
        await untilAborted(() => turn, signal);
        return await work();
      } finally {
        left += 1;
        // A work that gave up waiting makes no room.
        const [next] = line;
        if (!line.delete(enter) && next !== undefined) {
          line.delete(next);
          next();
        }
      }
    },
  };
}

/**
 * What is left of the ms that a turn waits for others: one sum for all it waits for, however often
 * that is. With `signal` nothing is waited for any longer; the work goes on.
 */
export function createPatience(timer: Timer, most: number, signal?: AbortSignal) {
  const came = performance.now();
  let [left, awaited] = [most, 0];
  const isCalledOff = (): boolean => signal?.aborted === true;
  return {
    isCalledOff,
    /** Counts what a summary was waited for. */
    note: (ms: number): void => void (awaited += ms),
    /** ms since the request came, and what of them was noted. */
    taken: () => ({ ms: performance.now() - came, waited: awaited }),
    /** Nothing once it was called off. */
    left: (): number => (isCalledOff() ? 0 : left),
    /** The work's result if it comes within `ms`. */
    async wait<T>(work: Promise<T>, ms: number): Promise<{ result: T | undefined; ms: number }> {
      const before = performance.now();
      let late = true;
      const watched = work.finally(() => (late = false));
      const result = await within(unlessAborted(watched, signal), ms, timer);
      const waited = Math.max(late && !isCalledOff() ? ms : 0, performance.now() - before);
      left = Math.max(0, left - waited);
      return { result, ms: waited };
    },
  };
}

export type Patience = ReturnType<typeof createPatience>;
