import { setImmediate as turn } from "node:timers/promises";
import { vi } from "vitest";

/** What `work` answers, and how often anything else had its turn meanwhile. */
export async function counted<T>(work: () => Promise<T>): Promise<{ made: T; turns: number }> {
  let [turns, working] = [0, true];
  const count = (): void => {
    turns += 1;
    if (working) setImmediate(count);
  };
  setImmediate(count);
  try {
    return { made: await work(), turns };
  } finally {
    working = false;
  }
}

/** Waits for work whose seconds of tries pass at once. */
export async function passing<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  let ended = false;
  try {
    const done = work();
    done.catch(() => undefined).finally(() => (ended = true));
    while (!ended) {
      await turn();
      vi.advanceTimersByTime(25);
    }
    return await done;
  } finally {
    vi.useRealTimers();
  }
}
