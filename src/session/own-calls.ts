import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { dictIn, untilAborted } from "../core/base.ts";
import { type Listen, TidemarkError } from "../core/errors-and-events.ts";
import type { Message } from "../core/request.ts";
import { marksIn } from "../memory/extracting/instruction.ts";
import type { Dialect } from "../providers/common/dialect.ts";
import type { Storage } from "../storage/port.ts";
import type { Timer } from "./options/background.ts";
import type { Ports } from "./ports.ts";

/** A call of Tidemark's own. `seen`: the request with its mark has come by. */
interface OwnCall {
  seen: boolean;
}

const context = new AsyncLocalStorage<OwnCall>();
/** By mark, until they are answered. */
const open = new Map<string, OwnCall>();

export const newMark = (): string => randomUUID();

/** Makes a call of our own: what it sends, by a wrapped client or `begin`, starts nothing. */
export async function asOwnCall<T>(work: () => Promise<T>, mark = newMark()): Promise<T> {
  const call: OwnCall = { seen: false };
  open.set(mark, call);
  try {
    return await context.run(call, work);
  } finally {
    open.delete(mark);
    call.seen = true;
  }
}

/**
 * Does a call of ours send this? It is known by its context and, where a queue has lost that, by
 * the mark in its instruction: the words around it can be typed by any user. A queue may also run
 * another's request in our context: by then ours has come by.
 */
export function isOwnCall(last: Message | undefined, dialect: Dialect): boolean {
  if (open.size === 0 || last === undefined) return false;
  const marked = marksIn(dialect.text(last)).flatMap((mark) => open.get(mark) ?? [])[0];
  if (marked) marked.seen = true;
  return marked !== undefined || context.getStore()?.seen === false;
}

const HOUR = 3_600_000;
/**
 * A stop for what runs away, not a price list: a loop that folds every ten turns of a 200,000
 * window stays below.
 */
const PER_HOUR = 20_000_000;
const SPENT_TEXT =
  "The tokens of this hour for calls behind the conversations are used up; " +
  "older messages are kept without a model.";

/** A call that was paid for, or is to be. */
interface Booked {
  readonly at: number;
  readonly tokens: number;
}

/**
 * Bounds the tokens that all conversations of all processes take in any sixty minutes; `book`
 * changes what is booked, by names.
 */
export function createBudget({
  now,
  emit,
  book,
  tokens: given = PER_HOUR,
}: {
  now: () => number;
  emit: Listen;
  book: (change: SharedChange<Booked>) => Promise<boolean>;
  tokens?: number | false | undefined;
}) {
  const budget = given === false ? Infinity : given;
  let told = false;

  return {
    /**
     * Sets tokens aside for a call and answers how to book what it took; undefined when there are
     * not that many left.
     */
    async reserve(
      session: string,
      tokens: number,
    ): Promise<((took: number) => Promise<unknown>) | undefined> {
      if (budget === Infinity) return async () => undefined;
      const [id, at] = [newMark(), now()];
      let spent = 0;
      const isBooked = await book((all) => {
        // A clock that was set back leaves entries later than now: they are dropped, or the hour
        // would never be over.
        const recent = Object.entries(all).filter(
          ([, one]) => one.at > at - HOUR && one.at < at + ASTRAY,
        );
        spent = recent.reduce((sum, [, one]) => sum + one.tokens, 0);
        return spent + tokens > budget
          ? undefined
          : { ...Object.fromEntries(recent), [id]: { at, tokens } };
      });
      if (!isBooked) {
        if (!told)
          emit({
            ...{ type: "notice", about: "budget-spent", text: SPENT_TEXT },
            ...{ session, spent, budget },
          });
        told = true;
        return undefined;
      }
      told = false;
      return (took) => book((all) => ({ ...all, [id]: { at, tokens: took } }));
    },
  };
}

export type Budget = ReturnType<typeof createBudget>;

const SPENT = Symbol("spent");

/** Thrown in place of a call that there is no budget for. */
export const budgetSpent = (): TidemarkError =>
  new TidemarkError("distil", "The budget of background calls is spent; the call was not made.", {
    cause: SPENT,
  });

/** Is this what came of a spent budget, however it was wrapped? */
export function isBudgetSpent(thrown: unknown): boolean {
  for (let at = thrown; at instanceof Error; at = at.cause) if (at.cause === SPENT) return true;
  return false;
}

/** ms: a process that has not been heard of for so long is dead; it tells of itself more often. */
export const DEAD = 12_000;
const BEAT = 4_000;
/** ms until a work that waits looks again for room. */
const LOOK = 1_000;
/** ms: the clocks of two machines differ by less. */
const ASTRAY = 60_000;

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
