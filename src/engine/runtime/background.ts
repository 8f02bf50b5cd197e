import { type Timer, unheldTimer } from "./idle.ts";

/** Work that no call waits for. A failure is the work's own to report; none reaches the process. */
export interface Background {
  run(work: Promise<unknown>): void;
  /** Until no work is left, at most `ms`. True when all was done. */
  settle(ms: number): Promise<boolean>;
}

export function createBackground(report: (thrown: unknown) => void): Background {
  const running = new Set<Promise<unknown>>();
  return {
    run: (work) => {
      const watched = work.catch(report).finally(() => running.delete(watched));
      running.add(watched);
    },
    settle: async (ms) => {
      const end = deadline(ms);
      // Work may start work: look again until there is none.
      while (running.size > 0)
        if ((await Promise.race([Promise.all(running), end.passed])) === end) return false;
      end.cancel();
      return true;
    },
  };
}

/**
 * Resolves with itself after `ms`, unless cancelled. It keeps the process alive where a call waits for it: what it guards
 * against may be a promise that nothing else would ever wake.
 */
function deadline(
  ms: number,
  { hold = true, timer = hold ? heldTimer : unheldTimer }: { hold?: boolean; timer?: Timer } = {},
) {
  const end = { passed: undefined as unknown as Promise<unknown>, cancel: (): void => undefined };
  end.passed = new Promise((resolve) => {
    end.cancel = timer(ms, () => resolve(end));
  });
  return end;
}

const heldTimer: Timer = (ms, work) => {
  const running = setTimeout(work, ms);
  return () => clearTimeout(running);
};

/** The work's result if it comes within `ms`, else undefined; the work goes on. */
export async function within<T>(
  work: Promise<T>,
  ms: number,
  how: { hold?: boolean; timer?: Timer } = {},
): Promise<T | undefined> {
  const end = deadline(ms, how);
  try {
    const first = await Promise.race([work, end.passed]);
    return first === end ? undefined : (first as T);
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
  let stop = (): void => undefined;
  const off = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
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
