import { isBusy } from "./database.ts";

/** ms between two tries: the longer one waits, the rarer. */
const [FIRST, LAST] = [1, 25];
/** Tries, five seconds in all; fewer where another has just waited in vain, or each caller would add its five to the last one's. */
const [MOST, FEW] = [205, 10];

const pauseFor = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
type Patiently = <T>(work: () => T | Promise<T>) => Promise<T>;

/**
 * Tries again what another process's lock refuses. SQLite would wait for it on the spot, and everything else in this process with
 * it; here the event loop turns in between. What is tried must have changed nothing where it was refused.
 */
export function patience(pause = pauseFor): Patiently {
  let inVain = false;
  return async (work) => {
    for (let [tries, ms] = [1, FIRST]; ; [tries, ms] = [tries + 1, Math.min(LAST, ms * 2)]) {
      try {
        const done = await work();
        inVain = false;
        return done;
      } catch (thrown) {
        if (!isBusy(thrown)) throw thrown;
        if (tries >= (inVain ? FEW : MOST)) {
          inVain = true;
          throw thrown;
        }
      }
      await pause(ms);
    }
  };
}

export const patiently: Patiently = (work) => patience()(work);
