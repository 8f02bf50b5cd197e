import { type Timer } from "./idle.ts";

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
