import type { ErrorCode } from "../core/errors-and-events.ts";
import type { Unit } from "./port.ts";
import type { Counted, Weighed } from "./search-index.ts";

/** The questions of each index, answered at once or in time. */
export type Answers<Of extends Record<keyof Of, [unknown, unknown]>> = {
  readonly [In in keyof Of]: (asked: Of[In][0]) => Of[In][1] | Promise<Of[In][1]>;
};

type Method = (...given: unknown[]) => unknown;
/** Carries out a call in a port. */
type CarryOut = (port: object) => unknown;

/** Methods of these names: `run` says of each call when, and in which port, it is carried out. */
export const methods = <Port>(
  names: readonly string[],
  run: (call: CarryOut, name: string, given: readonly unknown[]) => unknown,
): Port =>
  Object.fromEntries(
    names.map((name) => [
      name,
      (...given: unknown[]) =>
        run((port) => Reflect.apply(Reflect.get(port, name) as Method, port, given), name, given),
    ]),
  ) as Port;

/** The code of an error, and what could not be done. */
export type Trouble = readonly [code: ErrorCode, what: string];

const HISTORY: ReadonlySet<string> = new Set(
  "sessions entries bodies asides folds learnt bindings belongings unindexed ended".split(" "),
);

/** A method reads; a unit was to be written. */
export function troubleOf(where: string, asked: string | Unit): Trouble {
  const isRead = typeof asked === "string";
  const { session, queued, taken, pinned, unpinned, spent, gone }: Unit = isRead ? {} : asked;
  const told = session ?? queued ?? taken ?? pinned ?? unpinned ?? spent ?? gone?.sessions;
  const ofHistory = isRead ? HISTORY.has(asked) : told !== undefined;
  const done = isRead ? "read" : "written";
  return ofHistory
    ? ["history", `The history in ${where} could not be ${done}`]
    : ["store", `The memory in ${where} could not be ${done}`];
}

export interface WordSearch {
  readonly frequencies: Answers<Counted>["memories"];
  readonly categories: Answers<Counted>["categories"];
  readonly candidates: Answers<Weighed>["memories"];
}
export interface TurnSearch {
  readonly frequencies: Answers<Counted>["turns"];
  readonly candidates: Answers<Weighed>["turns"];
}
export interface PageSearch {
  readonly frequencies: Answers<Counted>["pages"];
  readonly candidates: Answers<Weighed>["pages"];
}

/** A question goes to the index that is asked. */
export const byIndex =
  <Of extends Record<keyof Of, [unknown, unknown]>>(answers: Answers<Of>) =>
  async <In extends keyof Of>(of: In, asked: Of[In][0]): Promise<Of[In][1]> =>
    answers[of](asked);

/** Questions about words. */
export const searches = (words: WordSearch, turns: TurnSearch, pages: PageSearch) => ({
  frequencies: byIndex<Counted>({
    memories: words.frequencies,
    categories: words.categories,
    turns: turns.frequencies,
    pages: pages.frequencies,
  }),
  candidates: byIndex<Weighed>({
    memories: words.candidates,
    turns: turns.candidates,
    pages: pages.candidates,
  }),
});
