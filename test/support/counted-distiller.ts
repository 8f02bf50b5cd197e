import { setImmediate as breath } from "node:timers/promises";
import type { Complete } from "../../src/core/request.ts";

export interface Ask {
  /** Whose conversation it is about. */
  readonly of: string;
  readonly signal: AbortSignal;
  /** A summary is asked for, not facts alone. */
  readonly summary: boolean;
  /** Neither answered nor given up. */
  open: boolean;
  answer(): void;
}

/** A distiller that answers when it is told to, and has seen how many of its calls were under way at once. */
export function counted() {
  const asks: Ask[] = [];
  const most = { over: 0, ofOne: 0 };
  const open = () => asks.filter((ask) => ask.open);
  let hangs = true;
  const complete: Complete = ({ messages, signal }) =>
    new Promise((resolve) => {
      const said = JSON.stringify(messages);
      const of = /«(\w+)»/.exec(said)?.[1] ?? "";
      const ask: Ask = {
        of,
        signal,
        summary: said.includes("Summary: what this conversation needs"),
        open: true,
        answer: () => {
          ask.open = false;
          resolve({
            text: JSON.stringify({
              facts: [
                {
                  content: `The boat of ${of} is called Nixe.`,
                  category: "core",
                  importance: 0.9,
                  from: [1],
                },
              ],
              summary: "They spoke of a boat.",
            }),
          });
        },
      };
      signal.addEventListener("abort", () => (ask.open = false), { once: true });
      asks.push(ask);
      most.over = Math.max(most.over, open().length);
      most.ofOne = Math.max(most.ofOne, open().filter((one) => one.of === of).length);
      if (!hangs) ask.answer();
    });
  return {
    ...{ asks, most, open, complete },
    /** Answers one after the other, in between all that can be asked is asked, until the work is done. */
    drain: async (work: Promise<unknown>): Promise<void> => {
      const over = { now: false };
      const done = work.finally(() => (over.now = true));
      while (!over.now) {
        for (let rounds = 0; rounds < 50 && !over.now; rounds++) await breath();
        open()[0]?.answer();
      }
      await done;
    },
    /** From now on each is answered at once. */
    answerAll: () => {
      hangs = false;
      for (const ask of open()) ask.answer();
    },
  };
}
