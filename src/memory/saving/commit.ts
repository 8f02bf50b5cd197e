import { createSerial } from "../../base/async.ts";
import { TidemarkError } from "../../model/errors.ts";
import type { Scope } from "../../model/identity.ts";
import type { Memory } from "../../model/memory.ts";
import type { Change, Store, Stored } from "../../model/store.ts";
import { stableJson } from "../../text/hash.ts";
import type { Written } from "./draft.ts";
import type { ReceiptLine } from "../../workspace/lines/receipt-line.ts";
import type { LogLine } from "../../workspace/log/daily-log.ts";

export interface JournalEvent extends Pick<LogLine, "event" | "again" | "until" | "of"> {
  /** The value as it stands after the event. */
  readonly row: Stored;
  /** It never came to be: its line goes, and nothing that says the same. */
  readonly unborn?: true;
}

/** The daily log; a receipt stands behind its events. What it rejects is not stored. */
type Journal = (events: readonly JournalEvent[], receipt?: ReceiptLine) => Promise<void>;

export interface CommitRoom {
  readonly store: Store;
  readonly journal: Journal;
  /**
   * Runs what no other process may come in between of, and takes back what it wrote to files where
   * it fails: what is refused must not come true from there.
   */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  /** Shows on the pages of these scopes what memory says by now. */
  readonly show?: (scopes: Iterable<Scope>) => Promise<void>;
}

/** A change, and what the journal tells of it. */
export interface CommitStep {
  readonly change: Change;
  readonly events: readonly JournalEvent[];
}

export const written = (change: Written): CommitStep => {
  const { row } = change;
  const event = change.do === "insert" ? "saved" : "updated";
  const again = change.do === "amend" || undefined;
  return { change, events: [{ event, row, again }] };
};

/** The value held until then. */
export const ending = (row: Stored, until: number): CommitStep => {
  const { id, version: was } = row.memory;
  return {
    change: { do: "end", id, was, at: until },
    events: [{ event: "superseded", row, until }],
  };
};

export interface Plan<T> {
  readonly steps: readonly CommitStep[];
  readonly result: T;
  /** Says that what the events tell is all there was to tell; written though nothing changes. */
  readonly receipt?: ReceiptLine | undefined;
}

/**
 * One process wins each round, so none loses for ever; to lose so often is to meet a program that
 * has gone wild.
 */
const ATTEMPTS = 50;
const queues = new WeakMap<Store, ReturnType<typeof createSerial>>();

/**
 * One writer at a time per store, so that two saves of the same text are one memory. Other
 * processes are met in `put`.
 */
export function serially<T>(store: Store, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(store) ?? createSerial();
  queues.set(store, queue);
  return queue(work);
}

/**
 * The same, and no other process comes in between. When all of it stands, it is announced, and what
 * the work told the journal shows on the pages.
 */
export async function asSoleWriter<T>(
  { store, alone, journal, show }: CommitRoom,
  work: (tell: Journal) => Promise<T>,
  announce?: (done: T) => Promise<void>,
): Promise<T> {
  const scopes = new Set<Scope>();
  const tell: Journal = (events, receipt) => {
    for (const { row } of events) scopes.add(row.memory.scope);
    return journal(events, receipt);
  };
  const done = await serially(store, () => alone(() => work(tell)));
  await announce?.(done);
  await show?.(scopes);
  return done;
}

/**
 * Plan, journal, then one transaction; planned anew when another process was faster. Its caller
 * lets no other come in between.
 */
export async function carryOut<T>(
  { store, journal }: Pick<CommitRoom, "store" | "journal">,
  plan: () => Promise<Plan<T>>,
): Promise<T> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const { steps, result, receipt } = await plan();
    if (steps.length === 0 && receipt === undefined) return result;
    const told = steps.flatMap(({ events }) => events);
    const events = told.map((event) => ({ ...event, of: receipt?.id }));
    await journal(events, receipt);
    if (steps.length === 0 || (await store.put(steps.map(({ change }) => change)))) return result;
    // The journal is what a rebuild reads: it must not tell of what never was. Another reader may
    // have finished the plan.
    const undone = await notDone(store, events);
    if (undone.length === 0) return result;
    await journal(
      undone.map((event) => ({
        ...event,
        ...(event.event === "saved"
          ? { event: "forgotten", unborn: true }
          : { event: "withdrawn" }),
      })),
    );
  }
  throw new TidemarkError(
    "store",
    `The memory index changed under this write ${ATTEMPTS} times in a row; another process ` +
      "writes all the time. Try again.",
  );
}

/** The same, one after the other. */
export const commit = <T>(
  room: CommitRoom,
  plan: () => Promise<Plan<T>>,
  announce?: (result: T) => Promise<void>,
): Promise<T> =>
  asSoleWriter(room, (journal) => carryOut({ store: room.store, journal }, plan), announce);

/** The events whose outcome is not what the store holds. */
async function notDone(store: Store, events: readonly JournalEvent[]): Promise<JournalEvent[]> {
  const last = new Map(events.map((event) => [event.row.memory.id, event]));
  const open: JournalEvent[] = [];
  for (const event of events) {
    const { row, event: fate } = last.get(event.row.memory.id) ?? event;
    const { memory } = row;
    const there = (await store.get(memory.id, [memory.scope]))?.memory;
    const done =
      fate === "superseded"
        ? there === undefined
        : there !== undefined && sameSaying(there, memory);
    if (!done) open.push(event);
  }
  return open;
}

/** Equal but for what is counted. */
const sameSaying = (one: Memory, other: Memory): boolean =>
  stableJson({ ...one, uses: 0 }) === stableJson({ ...other, uses: 0 });
