import { dictIn, untilAborted } from "../core/base.ts";
import type { Storage } from "../storage/port.ts";
import type { Timer } from "./options/background.ts";
import type { Ports } from "./ports.ts";

/** ms: a process that has not been heard of for so long is dead; it tells of itself more often. */
export const DEAD = 12_000;
const BEAT = 4_000;
/** ms until a work that waits looks again for room. */
const LOOK = 1_000;
/** ms: the clocks of two machines differ by less. */
export const ASTRAY = 60_000;

/** Entries by name as they are to be; undefined: they stay as they are. */
export type SharedChange<T> = (all: Readonly<Record<string, T>>) => Record<string, T> | undefined;

/**
 * Changes entries that all processes of a store share, by compare and set. Answers whether there
 * was a change.
 */
export async function changeShared<T>(
  store: Storage,
  name: string,
  change: SharedChange<T>,
): Promise<boolean> {
  for (;;) {
    const was = await store.note(name);
    const next = change((dictIn(was ?? "") ?? {}) as Record<string, T>);
    if (next === undefined) return false;
    const text = Object.keys(next).length === 0 ? undefined : JSON.stringify(next);
    if (await store.commit({ notes: { [name]: text }, unchanged: { [name]: was } })) return true;
  }
}

/**
 * Says again and again that this process lives, until it is stopped. A failure does no harm: late
 * results are refused where another has stored them.
 */
export function beating(timer: Timer, say: () => Promise<unknown>): () => void {
  let cancel: () => void;
  const beat = (): void => {
    cancel = timer(BEAT, () => {
      beat();
      say().catch(() => undefined);
    });
  };
  beat();
  return () => cancel();
}

/**
 * Does the work when there is room for it under the name: for so many at once, of all processes
 * together. Its signal aborts also when the room is another's. A dead process holds its room for
 * some seconds more.
 */
export async function inSharedTurn<T>(
  { now, timer, newId, store }: Ports,
  { name, most, signal }: { name: string; most: number; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = newId();
  const lost = new AbortController();
  let isOver = false;
  const take = (): Promise<boolean> =>
    changeShared<number>(store, name, (all) => {
      const at = now();
      const others = Object.entries(all).filter(
        ([id, until]) => id !== own && until > at && until < at + DEAD + ASTRAY,
      );
      if (isOver || others.length >= most) return undefined;
      return { ...Object.fromEntries(others), [own]: at + DEAD };
    });
  while (!(await take())) {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const cancel = timer(LOOK, () => resolve(undefined));
    await untilAborted(() => promise, signal).finally(cancel);
  }
  const stop = beating(timer, async () => (await take()) || lost.abort());
  try {
    return await work(AbortSignal.any([signal, lost.signal]));
  } finally {
    isOver = true;
    stop();
    await changeShared<number>(store, name, ({ [own]: _, ...others }) => others).catch(
      () => undefined,
    );
  }
}
