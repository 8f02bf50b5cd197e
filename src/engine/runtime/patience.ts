import { shown, TidemarkError } from "../../model/errors.ts";
import { isDict } from "../../base/guards.ts";
import { unlessAborted, within } from "./background.ts";
import { type Timer } from "./idle.ts";
import { quietly } from "./callbacks.ts";

/** What is left of the ms that a turn waits for others: one sum for all it waits for, however often that is. */
export interface Patience {
  /** When the turn began, by the process's own clock. */
  readonly since: number;
  /** Nothing once it was called off. */
  left(): number;
  readonly calledOff: boolean;
  /** The work's result if it comes within `ms`, and before `stop`, which the turn has waited for then. */
  wait<T>(
    work: Promise<T>,
    ms: number,
    stop?: AbortSignal,
  ): Promise<{ readonly result: T | undefined; readonly ms: number }>;
  /** The turn was answered and is taken up again: what is left of it counts from now. */
  again(): void;
}

/** With `signal` nothing is waited for any longer; the work goes on. */
export function createPatience(timer: Timer, most: number, signal?: AbortSignal): Patience {
  let left = most;
  let since = performance.now();
  return {
    get since() {
      return since;
    },
    left: () => (signal?.aborted === true ? 0 : left),
    get calledOff() {
      return signal?.aborted === true;
    },
    wait: async (work, ms, stop) => {
      const before = performance.now();
      const both = [signal, stop].filter((one) => one !== undefined);
      const either = both.length > 1 ? AbortSignal.any(both) : both[0];
      let late = true;
      const watched = work.finally(() => (late = false));
      const result = await within(unlessAborted(watched, either), ms, { timer });
      const waited = Math.max(
        late && either?.aborted !== true ? ms : 0,
        performance.now() - before,
      );
      left = Math.max(0, left - waited);
      return { result, ms: waited };
    },
    again: () => void (since = performance.now()),
  };
}

/** A host's signal: something that could never be aborted would be waited for in vain. */
export function checkSignal(method: string, signal: unknown): AbortSignal | undefined {
  if (signal === undefined || signal === null) return undefined;
  if (signal instanceof AbortSignal) return signal;
  if (
    isDict(signal) &&
    typeof signal.aborted === "boolean" &&
    typeof signal.addEventListener === "function"
  )
    return native(signal as unknown as AbortSignal);
  throw new TidemarkError(
    "config",
    `${method}: option "signal" must be an AbortSignal, got ${shown(signal)}.`,
  );
}

/** Of a library's own make: nothing but the process's own can be put together with others. */
function native(signal: AbortSignal): AbortSignal {
  const own = new AbortController();
  if (signal.aborted) own.abort();
  else quietly(() => signal.addEventListener("abort", () => own.abort(), { once: true }));
  return own.signal;
}
