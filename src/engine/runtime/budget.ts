import { TidemarkError } from "../../model/errors.ts";
import type { Listen } from "../../model/events.ts";

const HOUR = 3_600_000;
/**
 * A stop for what runs away, not a price list: a loop that folds every ten turns of a 200,000
 * window stays below.
 */
const PER_HOUR = 20_000_000;
const SPENT_TEXT =
  "The tokens of this hour for calls behind the conversations are used up; " +
  "older messages are kept without a model.";

/** Bounds the tokens that all conversations of this process take in any sixty minutes. */
export function createBudget({
  now,
  emit,
  tokens: given = PER_HOUR,
}: {
  now: () => number;
  emit: Listen;
  tokens?: number | false | undefined;
}) {
  const budget = given === false ? Infinity : given;
  let booked: { readonly at: number; tokens: number }[] = [];
  let told = false;

  return {
    /**
     * Sets tokens aside for a call and answers how to book what it took; undefined when there are
     * not that many left.
     */
    reserve(session: string, tokens: number): ((took: number) => void) | undefined {
      // A clock that was set back leaves entries later than now: they are dropped, or the hour
      // would never be over.
      const here = now();
      booked = booked.filter(({ at }) => at > here - HOUR && at <= here);
      const spent = booked.reduce((sum, each) => sum + each.tokens, 0);
      if (spent + tokens > budget) {
        if (!told)
          emit({
            ...{ type: "notice", about: "budget-spent", text: SPENT_TEXT },
            ...{ session, spent, budget },
          });
        told = true;
        return undefined;
      }
      told = false;
      const entry = { at: here, tokens };
      booked.push(entry);
      return (took) => void (entry.tokens = took);
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
