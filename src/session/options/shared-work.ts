import { dictIn, untilAborted } from "../../core/base.ts";
import type { Ground, Kept, Settings } from "../ports.ts";
import type { Timer } from "./background.ts";

/** ms: a process that has not been heard of for so long is dead, so one is heard of more often. */
export const DEAD = 12_000;
const BEAT = 4_000;
/** ms until it is looked again whether there is room. */
const LOOK = 1_000;
/** ms by which the clocks of two machines differ at most. */
export const ASTRAY = 60_000;

/** Entries by name as they are to be; undefined: they stay as they are. */
export type SharedChange<T> = (all: Readonly<Record<string, T>>) => Record<string, T> | undefined;

/**
 * Changes entries that all processes of a store share, by compare and set. Answers whether there
 * was a change.
 */
export async function changeShared<T>(
  { store }: Pick<Kept, "store">,
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
 * Has others hear of this process until it is stopped. What it then stores too late is refused, so
 * a failure is nobody's trouble.
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

type Sharing = Pick<Ground & Kept & Settings, "now" | "newId" | "store" | "timer">;

interface Place {
  readonly name: string;
  /** So many works at once, those of all processes together. */
  readonly most: number;
  readonly signal: AbortSignal;
}

/**
 * Does the work when there is room for it under the name; its signal aborts also when the room is
 * another's. A dead process holds its room for some seconds more.
 */
export async function inSharedTurn<T>(
  core: Sharing,
  { name, most, signal }: Place,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { now, timer } = core;
  const own = core.newId();
  const lost = new AbortController();
  let isOver = false;
  const take = (): Promise<boolean> =>
    changeShared<number>(core, name, (all) => {
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
    await changeShared<number>(core, name, ({ [own]: _, ...others }) => others).catch(
      () => undefined,
    );
  }
}
