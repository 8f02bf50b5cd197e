/** Lets what waits have its turn: timers, connections, others' work. */
export const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** ms of asking one thing after the other before others have their turn. */
const LONG = 10;

/**
 * What is answered without waiting for anything gives nobody else a turn: a host that asks a hundred things, each awaited,
 * would hold up its timers as long as all of them take. Undefined: no breath is due.
 */
export function breaths(clock = (): number => performance.now(), turn = breathe): () => Promise<void> | undefined {
  let turned = clock();
  return () => (clock() - turned < LONG ? undefined : turn().then(() => void (turned = clock())));
}
