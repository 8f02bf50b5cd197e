import type { ErrorCode } from "../core/errors-and-events.ts";
import type { Unit } from "./port.ts";
import type { Answers, Counted, Weighed } from "./search-index.ts";

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
  "sessions entries bodies asides folds learnt bindings belongings unindexed".split(" "),
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

/** Questions about words go to the index that is asked. */
export function searches(words: WordSearch, turns: TurnSearch, pages: PageSearch) {
  const frequencies: Answers<Counted> = {
    memories: words.frequencies,
    categories: words.categories,
    turns: turns.frequencies,
    pages: pages.frequencies,
  };
  const candidates: Answers<Weighed> = {
    memories: words.candidates,
    turns: turns.candidates,
    pages: pages.candidates,
  };
  return {
    frequencies: <In extends keyof Counted>(of: In, asked: Counted[In][0]) =>
      frequencies[of](asked),
    candidates: <In extends keyof Weighed>(of: In, asked: Weighed[In][0]) => candidates[of](asked),
  };
}
