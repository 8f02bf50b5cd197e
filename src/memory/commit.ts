import { TidemarkError } from "../model/errors.ts";
import { type Memory } from "../model/memory.ts";
import { type Change, type Store } from "../model/store.ts";

export interface JournalEvent {
  readonly event: "saved" | "updated" | "superseded" | "forgotten";
  readonly memory: Memory;
}

/** The daily log. What it rejects is not stored. */
export type Journal = (events: readonly JournalEvent[]) => Promise<void>;

export interface Plan<T> {
  readonly changes: readonly Change[];
  readonly events: readonly JournalEvent[];
  readonly result: T;
}

const ATTEMPTS = 5;
const queues = new WeakMap<Store, Promise<unknown>>();

/** One writer at a time per store, so that two saves of the same text are one memory. Other processes are met in `put`. */
export function serially<T>(store: Store, work: () => Promise<T>): Promise<T> {
  const turn = (queues.get(store) ?? Promise.resolve()).then(work);
  queues.set(
    store,
    turn.catch(() => undefined),
  );
  return turn;
}

/** Plan, journal, then one transaction; planned anew when another process was faster. */
export function commit<T>({ store, journal }: { store: Store; journal: Journal }, plan: () => Promise<Plan<T>>): Promise<T> {
  return serially(store, async () => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const { changes, events, result } = await plan();
      if (changes.length === 0) return result;
      await journal(events);
      if (await store.put(changes)) return result;
      // The journal is what a rebuild reads: it must not tell of a memory that never was.
      const unborn = events.filter(({ event }) => event === "saved");
      if (unborn.length > 0) await journal(unborn.map(({ memory }) => ({ event: "forgotten", memory })));
    }
    throw new TidemarkError("store", `The memory index changed under this write ${ATTEMPTS} times in a row; another process writes all the time. Try again.`);
  });
}
