/** The work's result, or undefined as soon as the signal aborts; the work goes on. */
export async function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  if (signal === undefined) return work;
  const { promise: off, resolve } = Promise.withResolvers<undefined>();
  const stop = (): void => resolve(undefined);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([off, work]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The same, but a rejection as soon as the signal aborts: the work may not listen to it. */
export async function untilAborted<T>(
  work: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  signal?.throwIfAborted();
  const done = await unlessAborted(
    work().then((result) => ({ result })),
    signal,
  );
  if (done === undefined) throw signal?.reason as Error;
  return done.result;
}

/** Lets what waits have its turn: timers, connections, others' work. */
export const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** ms of asking one thing after the other before others have their turn. */
const LONG = 10;

/**
 * What is answered without waiting for anything gives nothing else a turn: a host that asks a
 * hundred things, each awaited, would hold up its timers as long as all of them take. Undefined: no
 * breath is due.
 */
export function breaths(
  clock = (): number => performance.now(),
  turn = breathe,
): () => Promise<void> | undefined {
  let turned = clock();
  return () => (clock() - turned < LONG ? undefined : turn().then(() => void (turned = clock())));
}

/**
 * The numbers of [from, to) in slices of `size`. Others have their turn after `often` slices, and
 * after each that took long; a short range is one go.
 */
export async function* slices(
  from: number,
  to: number,
  { size = 64, often = 8 } = {},
): AsyncGenerator<{ readonly from: number; readonly to: number }> {
  const due = breaths();
  let count = 0;
  for (let at = from; at < to; at += size) {
    yield { from: at, to: Math.min(to, at + size) };
    if (at + size < to) await ((count += 1) % often === 0 ? breathe() : due());
  }
}

/**
 * Work that many ask for at once: who asks while it runs shares the next run, and who asks before
 * it has begun shares this one.
 */
export function sharing(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () =>
    (next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return (running = work());
      }));
}

/** Runs one piece of work after another, in the order asked; a failure is its asker's alone. */
export function createSerial(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
