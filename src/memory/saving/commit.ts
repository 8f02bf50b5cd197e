import { breathe, createSerial } from "../../core/base.ts";
import { TidemarkError } from "../../core/errors-and-events.ts";
import type { Rights, Scope } from "../../core/identity.ts";
import type { Change, Debt, Origin, Stored } from "../../core/memory.ts";
import { mask, type Mask } from "../../core/secrets/mask.ts";
import { contentTerms } from "../../core/text/terms.ts";
import type { KeptValue, Storage } from "../../storage/port.ts";
import type { LoggedMemory } from "../../workspace/pages/log-and-page-copies.ts";
import type { RecallRoom } from "../recalling/recall.ts";
import { checkOrganisation } from "./check.ts";
import type { Lifetimes, Written } from "./draft.ts";

/** What became of a memory, and its row after that. */
export interface MemoryEvent extends Pick<LoggedMemory, "did"> {
  readonly row: Stored;
}

export interface CommitRoom {
  readonly store: Storage;
  /** The views that are behind once this stands, in logs and on pages. */
  readonly owed: (events: readonly MemoryEvent[]) => readonly Debt[];
  /** Has them written soon. */
  readonly late: () => void;
  /** Writes those of these scopes now; rejects where what was forgotten still stands in one. */
  readonly pay: (scopes: readonly Scope[]) => Promise<void>;
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
 * alone.
 */
export type Put<T> = (
  changes: readonly Change[],
  debts: readonly Debt[],
  result: T,
) => Promise<boolean>;

/**
 * One process wins each round, so none loses for ever; to lose so often is to meet a program that
 * has gone wild.
 */
const ATTEMPTS = 50;
const queues = new WeakMap<Storage, ReturnType<typeof createSerial>>();

/**
 * One writer at a time per store, so that two saves of the same text are one memory. Other
 * processes are met in `put`.
 */
export function serially<T>(store: Storage, work: () => Promise<T>): Promise<T> {
  const queue = queueOf(store);
  return queue(() => {
    if (over.has(queue))
      throw new TidemarkError("closed", "Tidemark was closed before this was stored.");
    return work();
  });
}

function queueOf(store: Storage): ReturnType<typeof createSerial> {
  const queue = queues.get(store) ?? createSerial();
  queues.set(store, queue);
  return queue;
}

const over = new WeakSet<object>();

/** What waits for its turn rejects with "closed" when it comes; what begins now has a new line. */
export function giveUpWaiting(store: Storage): void {
  const queue = queues.get(store);
  if (queue !== undefined) over.add(queue);
  queues.delete(store);
}

const waits = new WeakMap<Storage, Promise<unknown>>();

/** Waits for the disk behind the writers in line, who share the wait, and holds up none of them. */
function onDisk(store: Storage): Promise<unknown> {
  const begun = async (): Promise<{ done: Promise<unknown> }> => {
    waits.delete(store);
    return { done: store.commit({}, { durable: true }) };
  };
  const wait = waits.get(store) ?? queueOf(store)(begun).then(({ done }) => done);
  waits.set(store, wait);
  return wait;
}

/** Plan, then one transaction; planned anew when another process was faster. */
export async function carryOut<T>(
  { store, owed }: Pick<CommitRoom, "store" | "owed">,
  plan: () => Promise<Plan<T>>,
  put?: Put<T>,
): Promise<Plan<T>> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const made = await plan();
    const changes = made.steps.map(({ change }) => change);
    if (put === undefined && changes.length === 0) return made;
    const debts = owed(made.steps.flatMap(({ events }) => events));
    const stands = await (put?.(changes, debts, made.result) ??
      store.commit({ memories: changes, debts }));
    if (stands) return made;
  }
  throw new TidemarkError(
    "store",
    `Memory changed under this write ${ATTEMPTS} times in a row; another process ` +
      "writes all the time. Try again.",
  );
}

/**
 * The same, one after the other, by who may write what the organisation keeps. When all of it
 * stands, it is announced.
 */
export async function commit<T>(
  room: MemoryRoom,
  plan: () => Promise<Plan<T>>,
  { announce, put }: { announce?: (result: T) => Promise<void>; put?: Put<T> | undefined } = {},
): Promise<T> {
  const checked = async (): Promise<Plan<T>> => {
    const made = await plan();
    await checkOrganisation(room, made.steps);
    return made;
  };
  const { steps, result } = await serially(room.store, () => carryOut(room, checked, put));
  if (put === undefined && steps.length > 0) await onDisk(room.store);
  await announce?.(result);
  if (steps.length > 0) room.late();
  return result;
}

const PAGE = 500;

/**
 * Every value a store keeps of these scopes, of all when none are named. Others have their
 * turn between two pages.
 */
export const allValues = (store: Storage, scopes?: readonly Scope[]): Promise<KeptValue[]> =>
  pagesOf(store, { scopes });

/** Every value of these memories, wherever they are or were. */
export const valuesOf = async (store: Storage, ids: readonly string[]): Promise<KeptValue[]> =>
  ids.length === 0 ? [] : pagesOf(store, { ids });

/** Values read of what holds words of a name; those with all of them come first. */
const MOST_NAMED = 2_000;

/** Values that hold words of a name or held them, with all values of the same memories. */
export async function valuesNamed(
  { store, scopes, now }: MemoryRoom,
  name: string,
): Promise<KeptValue[]> {
  const terms = contentTerms(name).terms.map((term) => ({ term, weight: 1 }));
  const asked = { scopes, now: now(), ever: true, terms, limit: MOST_NAMED };
  const found = await store.candidates("memories", asked);
  const keyed = await store.find({ scopes, key: name, past: true });
  const ids = new Set([...found, ...keyed].map(({ memory }) => memory.id));
  const values = await valuesOf(store, [...ids]);
  return values.filter(({ stored }) => scopes.includes(stored.memory.scope));
}

async function pagesOf(
  store: Storage,
  of: { readonly scopes?: readonly Scope[]; readonly ids?: readonly string[] },
): Promise<KeptValue[]> {
  const found: KeptValue[] = [];
  for (;;) {
    const page = await store.values({ ...of, limit: PAGE, after: found.at(-1)?.stored.memory });
    found.push(...page);
    if (page.length < PAGE) return found;
    await breathe();
  }
}

/** By the memory they are values of. */
export const byMemory = (values: readonly KeptValue[]): Map<string, KeptValue[]> =>
  Map.groupBy(values, ({ stored }) => stored.memory.id);

/** Scopes that hold values of the memory: a promoted one has left its past behind. */
export const placesOf = (values: readonly KeptValue[]): Scope[] => [
  ...new Set(values.map(({ stored }) => stored.memory.scope)),
];

export const currentOf = (values: readonly KeptValue[]): KeptValue | undefined =>
  values.find(({ until }) => until === undefined);

export const isExpired = ({ memory: { expiresAt } }: Stored, now: number): boolean =>
  expiresAt !== undefined && expiresAt <= now;

/**
 * Where memories of one identity stand, and what is done with them. `scopes`: all that the identity
 * reads.
 */
export interface MemoryRoom extends RecallRoom, CommitRoom {
  /** The identity's rights, asked anew each time: a team grows. */
  readonly rights: () => Promise<Rights>;
  /** A save that names no scope goes here. */
  readonly home: Scope;
  readonly newId: () => string;
  readonly lifetimes: Lifetimes;
  /** Origin of the words that `save` and `update` carry. */
  readonly origin: Origin;
}

/** Members of ours, or of a closed list, hold no words of a conversation. */
const OURS = new Set(["id", "scope", "kind", "origin", "same", "type", "session"]);

/**
 * A draft, a patch, a fact or a question without the secrets in any of its texts: nothing of them
 * reaches the journal, a database or a file. A field that is new is masked unless it is named
 * above.
 */
export function maskedTexts<T extends object>(given: T, known: Mask = mask): T {
  const masked = (value: unknown): unknown => {
    if (typeof value === "string") return known(value);
    return Array.isArray(value) ? value.map(masked) : value;
  };
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, OURS.has(name) ? value : masked(value)]),
  ) as T;
}
