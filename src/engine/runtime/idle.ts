/** Runs `work` after `ms` unless called off. */
export type Timer = (ms: number, work: () => void) => () => void;

/** The process need not wait for it. */
export const unheldTimer: Timer = (ms, work) => {
  const timer = setTimeout(work, ms).unref();
  return () => clearTimeout(timer);
};

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

/** One timer for all sessions, and none while no session waits. */
export function createIdle({
  timer,
  after,
  most = SESSIONS,
}: {
  timer: Timer;
  after: number | false;
  most?: number;
}): Idle {
  // Each waits equally long, so the first one in is the first one due.
  const waiting = new Map<string, { since: number; work: () => void }>();
  let cancel: (() => void) | undefined;
  let armed: string | undefined;
  let stopped = false;
  const started = performance.now();
  const clock = (): number => performance.now() - started;

  function arm(): void {
    const [first] = waiting;
    if (first?.[0] === armed && cancel) return;
    cancel?.();
    cancel = undefined;
    armed = first?.[0];
    if (!first || after === false) return;
    cancel = timer(Math.max(0, first[1].since + after - clock()), due);
  }

  function due(): void {
    cancel = undefined;
    const session = armed;
    armed = undefined;
    const found = session === undefined ? undefined : waiting.get(session);
    if (session !== undefined) waiting.delete(session);
    arm();
    found?.work();
  }

  function remove(session: string): void {
    if (!waiting.delete(session)) return;
    if (armed === session) {
      cancel?.();
      cancel = armed = undefined;
    }
  }

  return {
    touch: (session, work) => {
      if (after === false || stopped) return;
      remove(session);
      waiting.set(session, { since: clock(), work });
      const oldest = waiting.size > most ? waiting.keys().next().value : undefined;
      if (oldest !== undefined) remove(oldest);
      arm();
    },
    rest: (session) => {
      remove(session);
      arm();
    },
    stop: () => {
      stopped = true;
      waiting.clear();
      arm();
    },
  };
}
