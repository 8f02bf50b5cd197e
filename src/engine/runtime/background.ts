/** Runs `work` after `ms` unless called off. */
export type Timer = (ms: number, work: () => void) => () => void;

/** The process need not wait for it. */
export const unheldTimer: Timer = (ms, work) => {
  const timer = setTimeout(work, ms).unref();
  return () => clearTimeout(timer);
};

/** Work that no call waits for. A failure is the work's own to report; none reaches the process. */
export interface Background {
  run(work: Promise<unknown>): void;
  /** Until no work is left: as long as some of it ends in each `ms`, and no longer than `most`. True when all was done. */
  settle(ms: number, most?: number): Promise<boolean>;
}

export function createBackground(report: (thrown: unknown) => void): Background {
  const running = new Set<Promise<unknown>>();
  let ended = 0;
  return {
    run: (work) => {
      const watched = work.catch(report).finally(() => {
        ended += 1;
        running.delete(watched);
      });
      running.add(watched);
    },
    settle: async (ms, most = ms) => {
      const until = performance.now() + most;
      // Work may start work: look again until there is none.
      while (running.size > 0) {
        const before = ended;
        const end = deadline(Math.min(ms, until - performance.now()));
        const first = await Promise.race([Promise.all(running), end.passed]);
        end.cancel();
        if (first === LATE && (ended === before || performance.now() >= until)) return false;
      }
      return true;
    },
  };
}

const LATE = Symbol("late");

const heldTimer: Timer = (ms, work) => {
  const running = setTimeout(work, ms);
  return () => clearTimeout(running);
};

/**
 * Passes after `ms`, unless cancelled. By default it keeps the process alive where a call waits for it: what it guards against may
 * be a promise that nothing else would ever wake.
 */
function deadline(ms: number, timer = heldTimer) {
  const { promise, resolve } = Promise.withResolvers<typeof LATE>();
  return { passed: promise, cancel: timer(ms, () => resolve(LATE)) };
}

/** The work's result if it comes within `ms`, else undefined; the work goes on. */
export async function within<T>(
  work: Promise<T>,
  ms: number,
  timer?: Timer,
): Promise<T | undefined> {
  const end = deadline(ms, timer);
  try {
    const first = await Promise.race([work, end.passed]);
    return first === LATE ? undefined : first;
  } finally {
    end.cancel();
  }
}

/** The work's result, or undefined as soon as the signal aborts; the work goes on. */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  if (signal === undefined) return work;
  const { promise: off, resolve } = Promise.withResolvers<undefined>();
  const stop = (): void => resolve(undefined);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([off, work]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Longer than any work lasts, and the most a timer takes. */
const ALIVE = 2 ** 31 - 1;
/** One timer for all that is held, and none when nothing is. */
let timer: NodeJS.Timeout | undefined;
let holding = 0;

/** The same work, which the process now waits for: its own timers let the process go. */
export async function held<T>(work: Promise<T>): Promise<T> {
  holding += 1;
  timer ??= setInterval(() => undefined, ALIVE);
  try {
    return await work;
  } finally {
    holding -= 1;
    if (holding === 0) timer = void clearInterval(timer);
  }
}

/** What is to be done once a session has been quiet for a while. */
export interface Idle {
  /** From now on. What was to be done for the session before is not. */
  touch(session: string, work: () => void): void;
  /** The session speaks again, or is gone. */
  rest(session: string): void;
  /** For good: a turn that ends while all is being closed starts nothing again. */
  stop(): void;
}

/** A quiet session is distilled while the provider's cache of five minutes still holds it. */
export const IDLE_MS = 270_000;
/** Their requests are held until then; sessions beyond that many are read at close or by the next session. */
const SESSIONS = 32;

export function createIdle(timer: Timer, after: number | false, most = SESSIONS): Idle {
  /** How to call off what waits; the session touched last stands last. */
  const waiting = new Map<string, () => void>();
  let stopped = false;
  const rest = (session: string): void => {
    waiting.get(session)?.();
    waiting.delete(session);
  };
  return {
    touch: (session, work) => {
      if (after === false || stopped) return;
      rest(session);
      const callOff = timer(after, () => {
        waiting.delete(session);
        work();
      });
      waiting.set(session, callOff);
      const [oldest = session] = waiting.keys();
      if (waiting.size > most) rest(oldest);
    },
    rest,
    stop: () => {
      stopped = true;
      for (const session of [...waiting.keys()]) rest(session);
    },
  };
}

/** Room for a few works at once, and for one of each kind; the others wait in the order they came. */
export interface Slots {
  /** Resolves, when it is this work's turn, with how to leave again; rejects when the signal aborts first. `of`: one of them at a time. */
  take(signal: AbortSignal, of?: string): Promise<() => void>;
}

interface Waiting {
  readonly of: string | undefined;
  readonly enter: () => void;
}

export function createSlots(most: number): Slots {
  const inside = new Set<Waiting>();
  const line = new Set<Waiting>();

  const mayEnter = ({ of }: Waiting): boolean =>
    inside.size < most && (of === undefined || ![...inside].some((work) => work.of === of));

  const leave = (work: Waiting): void => {
    if (inside.delete(work)) [...line].find(mayEnter)?.enter();
  };

  return {
    take: async (signal, of) => {
      signal.throwIfAborted();
      return new Promise((resolve, reject) => {
        const giveUp = (): void => {
          line.delete(work);
          reject(signal.reason);
        };
        const enter = (): void => {
          signal.removeEventListener("abort", giveUp);
          line.delete(work);
          inside.add(work);
          resolve(() => leave(work));
        };
        const work: Waiting = { of, enter };
        if (mayEnter(work)) return enter();
        line.add(work);
        signal.addEventListener("abort", giveUp, { once: true });
      });
    },
  };
}
