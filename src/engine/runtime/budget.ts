import { TidemarkError } from "../../model/errors.ts";
import type { Listen } from "../../model/events.ts";

/** Tokens that background calls may read and write. */
export interface BudgetOptions {
  /** Of all conversations of this process, in any sixty minutes. Default 20,000,000. */
  tokensPerHour?: number;
  /** Of one conversation, in all its life. Default 50,000,000. */
  tokensPerSession?: number;
}

const HOUR = 3_600_000;
/**
 * A stop for what runs away, not a price list: a loop that folds every ten turns of a 200,000
 * window stays below.
 */
const PER_HOUR = 20_000_000;
const PER_SESSION = 50_000_000;
/** Sessions that were told of: more than these are told again. */
const TOLD = 1_000;

export function createBudget({
  now,
  emit,
  options,
}: {
  now: () => number;
  emit: Listen;
  options: BudgetOptions | false | undefined;
}) {
  const perHour = options === false ? Infinity : (options?.tokensPerHour ?? PER_HOUR);
  const perSession = options === false ? Infinity : (options?.tokensPerSession ?? PER_SESSION);
  let booked: { readonly at: number; tokens: number }[] = [];
  const told = new Set<string>();

  function tell(
    key: string,
    event: { session: string; of: "hour" | "session"; spent: number; budget: number },
  ): void {
    if (told.has(key)) return;
    if (told.size >= TOLD) told.clear();
    told.add(key);
    emit({
      type: "notice",
      about: "budget-spent",
      text: `The tokens of ${event.of === "hour" ? "this hour" : "this conversation"} for calls behind the conversation are used up; older messages are kept without a model.`,
      ...event,
    });
  }

  return {
    /**
     * Sets tokens aside for a call and answers how to book what it took; undefined when there are
     * not that many left.
     */
    reserve({
      session,
      spent,
      tokens,
    }: {
      session: string;
      spent: number;
      tokens: number;
    }): ((took: number) => void) | undefined {
      if (spent + tokens > perSession) {
        tell(session, { session, of: "session", spent, budget: perSession });
        return undefined;
      }
      // What was booked later than now was booked by another clock: if that was set back, the hour
      // is not over when it says so.
      const here = now();
      booked = booked.filter(({ at }) => at > here - HOUR && at <= here);
      const inHour = booked.reduce((sum, each) => sum + each.tokens, 0);
      if (inHour + tokens > perHour) {
        tell("", { session, of: "hour", spent: inHour, budget: perHour });
        return undefined;
      }
      told.delete("");
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
