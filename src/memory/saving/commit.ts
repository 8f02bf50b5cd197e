import { createSerial } from "../../base/async.ts";
import { TidemarkError } from "../../model/errors.ts";
import type { Scope } from "../../model/identity.ts";
import type { Change, KeptValue, Store, Stored } from "../../model/store.ts";
import type { LoggedMemory } from "../../workspace/log/log-line.ts";
import type { Written } from "./draft.ts";

/** What became of a memory, and its row after that. */
export interface MemoryEvent extends Pick<LoggedMemory, "did"> {
  readonly row: Stored;
}

/** Memories that are to be forgotten, with what they ever said, and the scopes they were in. */
export interface Erased {
  readonly ids: readonly string[];
  readonly values: readonly KeptValue[];
  readonly scopes: readonly Scope[];
  /** They went by themselves. */
  readonly expired?: boolean;
}

export interface CommitRoom {
  readonly store: Store;
  /**
   * Tells people of what stands, in logs and on pages. Memory stands without that: it does not
   * reject.
   */
  readonly tell: (events: readonly MemoryEvent[]) => Promise<void>;
  /**
   * Takes what is to be forgotten off pages, out of logs and copies, and out of the store by
   * `remove`: all of it, or nothing where it rejects.
   */
  readonly erase: (gone: Erased, remove: () => Promise<unknown>) => Promise<void>;
}

/** A change, and what is told of it. */
export interface CommitStep {
  readonly change: Change;
  readonly events: readonly MemoryEvent[];
}

export const written = (change: Written): CommitStep => {
  const { row } = change;
  if (change.do === "amend") return { change, events: [] };
  return { change, events: [{ did: change.do === "insert" ? "saved" : "changed", row }] };
};

/** The value held until then. */
export const ending = (row: Stored, until: number): CommitStep => {
  const { id, version: was } = row.memory;
  return { change: { do: "end", id, was, at: until }, events: [{ did: "ended", row }] };
};

export interface Plan<T> {
  readonly steps: readonly CommitStep[];
  readonly result: T;
}

/**
 * Puts what was planned into the store; false where it was planned on what no longer is. Absent:
 * the store's own `put`.
 */
export type Put<T> = (changes: readonly Change[], result: T) => Promise<boolean>;

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

const waits = new WeakMap<Store, Promise<void>>();

/** Waits for the disk behind the writers in line, who share the wait, and holds up none of them. */
function onDisk(store: Store): Promise<void> {
  const begun = async (): Promise<{ done: Promise<void> }> => {
    waits.delete(store);
    return { done: store.durable() };
  };
  const wait = waits.get(store) ?? serially(store, begun).then(({ done }) => done);
  waits.set(store, wait);
  return wait;
}

/** Plan, then one transaction; planned anew when another process was faster. */
export async function carryOut<T>(
  store: Store,
  plan: () => Promise<Plan<T>>,
  put?: Put<T>,
): Promise<Plan<T>> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const made = await plan();
    const changes = made.steps.map(({ change }) => change);
    if (put === undefined && changes.length === 0) return made;
    if (await (put ?? store.put)(changes, made.result)) return made;
  }
  throw new TidemarkError(
    "store",
    `Memory changed under this write ${ATTEMPTS} times in a row; another process ` +
      "writes all the time. Try again.",
  );
}

/** The same, one after the other. When all of it stands, it is announced and told. */
export async function commit<T>(
  { store, tell }: CommitRoom,
  plan: () => Promise<Plan<T>>,
  { announce, put }: { announce?: (result: T) => Promise<void>; put?: Put<T> | undefined } = {},
): Promise<T> {
  const { steps, result } = await serially(store, () => carryOut(store, plan, put));
  if (put === undefined && steps.length > 0) await onDisk(store);
  await announce?.(result);
  const events = steps.flatMap((step) => step.events);
  if (events.length > 0) await tell(events);
  return result;
}
