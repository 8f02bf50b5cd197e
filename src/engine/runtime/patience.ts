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

/** ms an ending is reckoned to take before one was measured, the share the latest has in that figure, and the most it may be. */
const [FIRST, LATEST, MOST] = [20, 0.25, 100];

/** Of the whole process: what follows a wait runs in its one thread, in code that is warm by now or is not. */
const measured = { takes: FIRST, under: 0, since: 0, over: 0 };

interface Waiting {
  /** By when its turn shall be over. */
  readonly due: number;
  readonly stop: AbortController;
}

/** Turns that wait at the same time do not all stop waiting at once: what each then does would make the last of them late by all of it. */
export interface Endings {
  /** Waits `most` ms at most, or less among others: `stop` says when. `since`: the beginning of the turn. */
  among<T>(
    wait: { readonly since: number; readonly most: number },
    work: (stop: AbortSignal) => Promise<T>,
  ): Promise<T>;
  /** What a turn does behind its wait: the others leave room for as much. */
  timed<T>(work: () => Promise<T>): Promise<T>;
}

export function createEndings(timer: Timer): Endings {
  /** The first due comes first. */
  const waiting: Waiting[] = [];
  let cancel = (): void => {};

  /** Backwards from the last: each stops as late as all behind it allow. One that is alone waits as long as it may. */
  function nextStop(): number {
    const { takes } = measured;
    return waiting.reduceRight((behind, { due }) => Math.min(behind, due) - takes, Infinity);
  }

  function arm(): void {
    cancel();
    cancel = () => {};
    while (waiting.length > 1) {
      const left = nextStop() - performance.now();
      if (left > 0) {
        cancel = timer(left, arm);
        return;
      }
      waiting.shift()?.stop.abort();
    }
  }

  return {
    async among({ since, most }, work) {
      const one: Waiting = { due: since + most, stop: new AbortController() };
      waiting.splice(waiting.findLastIndex(({ due }) => due <= one.due) + 1, 0, one);
      arm();
      try {
        return await work(one.stop.signal);
      } finally {
        const at = waiting.indexOf(one);
        if (at >= 0) waiting.splice(at, 1);
        arm();
      }
    },
    async timed(work) {
      if (measured.under++ === 0) Object.assign(measured, { since: performance.now(), over: 0 });
      try {
        return await work();
      } finally {
        measured.over++;
        // Those that ran into each other had the time of all together.
        if (--measured.under === 0)
          measured.takes +=
            (Math.min(MOST, (performance.now() - measured.since) / measured.over) -
              measured.takes) *
            LATEST;
      }
    },
  };
}
