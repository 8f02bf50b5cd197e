import { within } from "./background.ts";
import { type Timer } from "./idle.ts";

/** What is left of the ms that a turn waits for others: one sum for all it waits for, however often that is. */
export interface Patience {
  left(): number;
  /** The work's result if it comes within `ms`, which the turn has waited for then. */
  wait<T>(work: Promise<T>, ms: number): Promise<{ readonly result: T | undefined; readonly ms: number }>;
}

export function createPatience(timer: Timer, most: number): Patience {
  let left = most;
  return {
    left: () => left,
    wait: async (work, ms) => {
      const before = performance.now();
      let late = true;
      const result = await within(work.finally(() => (late = false)), ms, { timer });
      const waited = Math.max(late ? ms : 0, performance.now() - before);
      left = Math.max(0, left - waited);
      return { result, ms: waited };
    },
  };
}
