/** What every contestant lives by: ms that pass only when the bench says so. */
export interface Clock {
  readonly now: () => number;
  /** Runs work when the time has come; answers how to call it off. */
  readonly timer: (ms: number, work: () => void) => () => void;
  readonly sleep: (ms: number) => Promise<void>;
  /** Lets so much time pass: what falls due in it runs, each at its own time, and what it starts settles before time goes on. */
  readonly pass: (ms: number, settle: () => Promise<void>) => Promise<void>;
  /** Time in which somebody waited: nothing else is let run. */
  readonly jump: (ms: number) => void;
  /** What is waiting for its time, as `sleep` counts it. */
  readonly sleeping: () => number;
}

export function clockFrom(start: number): Clock {
  let now = start;
  let sleeping = 0;
  const due: { at: number; work: () => void }[] = [];
  const timer = (ms: number, work: () => void): (() => void) => {
    const entry = { at: now + ms, work };
    due.push(entry);
    return () => {
      const at = due.indexOf(entry);
      if (at >= 0) due.splice(at, 1);
    };
  };
  const first = (until: number) =>
    due.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
  return {
    now: () => now,
    timer,
    sleep: (ms) => {
      sleeping++;
      return new Promise<void>((wake) => void timer(ms, () => (sleeping--, wake())));
    },
    pass: async (ms, settle) => {
      const end = now + ms;
      await settle();
      for (let next = first(end); next !== undefined; next = first(end)) {
        due.splice(due.indexOf(next), 1);
        now = Math.max(now, next.at);
        next.work();
        await settle();
      }
      now = Math.max(now, end);
    },
    jump: (ms) => void (now += ms),
    sleeping: () => sleeping,
  };
}

/** No turn waits for longer. */
const TURN_MS = 1_000;

/** Time for Tidemark: what a turn waits for passes as it does for a user, because the clock stands while a turn is under way. */
export const timerBeside =
  (clock: Clock): Clock["timer"] =>
  (ms, work) => {
    if (ms > TURN_MS) return clock.timer(ms, work);
    const running = setTimeout(work, ms);
    return () => clearTimeout(running);
  };
