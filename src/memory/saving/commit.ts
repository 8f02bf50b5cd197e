import { TidemarkError } from "../../model/errors.ts";
import { type Memory } from "../../model/memory.ts";
import { type Change, type Store, type Stored } from "../../model/store.ts";
import { stableJson } from "../../text/hash.ts";
import { type ReceiptLine } from "../../workspace/lines/receipt-line.ts";

export interface JournalEvent {
  readonly event: "saved" | "updated" | "superseded" | "forgotten" | "withdrawn";
  readonly memory: Memory;
  /** As the value stands after the event. */
  readonly row?: Stored;
  /** The same value as before, with other traits. */
  readonly again?: true;
  /** Of a superseded value: until when it held. */
  readonly until?: number;
  /** It never came to be: its line goes, and nothing that says the same. */
  readonly unborn?: true;
  /** The receipt it is written with. */
  readonly of?: string;
}

/** The daily log; a receipt stands behind its events. What it rejects is not stored. */
export type Journal = (events: readonly JournalEvent[], receipt?: ReceiptLine) => Promise<void>;

export interface Plan<T> {
  readonly changes: readonly Change[];
  readonly events: readonly JournalEvent[];
  readonly result: T;
  /** Says that what the events tell is all there was to tell; written though nothing changes. */
  readonly receipt?: ReceiptLine | undefined;
}

/** One process wins each round, so none loses for ever; to lose so often is to meet a program that has gone wild. */
const ATTEMPTS = 50;
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

/**
 * Plan, journal, then one transaction; planned anew when another process was faster. `alone` lets no other process come
 * in between, and takes back what the journal was told where nothing comes of it: what is refused must not come true from there.
 */
export function commit<T>(
  {
    store,
    journal,
    alone,
  }: { store: Store; journal: Journal; alone: <R>(work: () => Promise<R>) => Promise<R> },
  plan: () => Promise<Plan<T>>,
): Promise<T> {
  return serially(store, () =>
    alone(async () => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const { changes, events: told, result, receipt } = await plan();
        if (changes.length === 0 && receipt === undefined) return result;
        const events =
          receipt === undefined ? told : told.map((event) => ({ ...event, of: receipt.id }));
        await journal(events, receipt);
        if (changes.length === 0 || (await store.put(changes))) return result;
        // The journal is what a rebuild reads: it must not tell of what never was. Another reader may have finished the plan.
        const undone = await notDone(store, events);
        if (undone.length === 0) return result;
        await journal(
          undone.map(({ event, ...rest }) => ({
            ...rest,
            ...(event === "saved" ? { event: "forgotten", unborn: true } : { event: "withdrawn" }),
          })),
        );
      }
      throw new TidemarkError(
        "store",
        `The memory index changed under this write ${ATTEMPTS} times in a row; another process writes all the time. Try again.`,
      );
    }),
  );
}

/** The events whose outcome is not what the store holds. */
async function notDone(store: Store, events: readonly JournalEvent[]): Promise<JournalEvent[]> {
  const last = new Map(events.map((event) => [event.memory.id, event]));
  const open: JournalEvent[] = [];
  for (const event of events) {
    const { memory } = last.get(event.memory.id) ?? event;
    const there = (await store.get(memory.id, [memory.scope]))?.memory;
    const ended = last.get(memory.id)?.event === "superseded";
    const done = ended ? there === undefined : there !== undefined && sameSaying(there, memory);
    if (!done) open.push(event);
  }
  return open;
}

/** Equal but for what is counted. */
const sameSaying = (one: Memory, other: Memory): boolean =>
  stableJson({ ...one, uses: 0 }) === stableJson({ ...other, uses: 0 });
