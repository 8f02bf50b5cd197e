import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { type Listen, TidemarkError } from "../core/errors-and-events.ts";
import { type Message, NO_USAGE, type Prices, type Spent, type Usage } from "../core/request.ts";
import { marksIn } from "../memory/extracting/instruction.ts";
import type { Dialect } from "../providers/common/dialect.ts";
import { ASTRAY, type SharedChange } from "./shared-work.ts";
import { costOf } from "../providers/common/models.ts";

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

export const NOTHING: Spent = { ...NO_USAGE, calls: 0, dollars: 0, unpriced: 0 };

/** One call as a sum. */
export function spentOn(usage: Usage, prices: Prices | undefined): Spent {
  const { input, cacheWrite, cacheRead, output } = usage;
  return {
    ...{ calls: 1, input, cacheWrite, cacheRead, output },
    dollars: prices ? costOf(usage, prices) : 0,
    unpriced: prices ? 0 : 1,
  };
}

export function add(one: Spent, other: Spent): Spent {
  const names = Object.keys(NOTHING) as (keyof Spent)[];
  return Object.fromEntries(
    names.map((name) => [name, one[name] + other[name]]),
  ) as unknown as Spent;
}
