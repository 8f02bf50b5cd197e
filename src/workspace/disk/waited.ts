/** ms between two looks from which on no time was waited: the process was stopped, or the machine slept. */
const STOPPED = 1_000;

/** How long one has been waiting, ms, at each look. A process that was stopped for a minute has not been kept waiting for one. */
export function waited(clock = (): number => performance.now()): () => number {
  let [sum, last] = [0, clock()];
  return () => {
    const now = clock();
    sum += Math.min(now - last, STOPPED);
    last = now;
    return sum;
  };
}
