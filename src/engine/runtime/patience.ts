import { unlessAborted } from "../../base/async.ts";
import { type Timer, within } from "./background.ts";

/**
 * What is left of the ms that a turn waits for others: one sum for all it waits for, however often
 * that is. With `signal` nothing is waited for any longer; the work goes on.
 */
export function createPatience(timer: Timer, most: number, signal?: AbortSignal) {
  let left = most;
  const isCalledOff = (): boolean => signal?.aborted === true;
  return {
    isCalledOff,
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
