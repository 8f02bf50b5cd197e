import { isBusy, explained, isDamage } from "./database.ts";
import type { ErrorCode } from "../../model/errors.ts";

/** ms between two tries: the longer one waits, the rarer. */
const [FIRST, LAST] = [1, 25];
/**
 * Tries, five seconds in all; fewer where another has just waited in vain, or each caller would add
 * its five to the last one's.
 */
const [MOST, FEW] = [205, 10];

const pauseFor = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
type Patiently = <T>(work: () => T | Promise<T>) => Promise<T>;

/**
 * Tries again what another process's lock refuses. SQLite would wait for it on the spot, and
 * everything else in this process with it; here the event loop turns in between. What is tried must
 * have changed nothing where it was refused.
 */
export function patience(pause = pauseFor): Patiently {
  let inVain = false;
  return async (work) => {
    for (let [tries, ms] = [1, FIRST]; ; [tries, ms] = [tries + 1, Math.min(LAST, ms * 2)]) {
      try {
        const done = await work();
        inVain = false;
        return done;
      } catch (thrown) {
        if (!isBusy(thrown)) throw thrown;
        if (tries >= (inVain ? FEW : MOST)) {
          inVain = true;
          throw thrown;
        }
      }
      await pause(ms);
    }
  };
}

export const patiently: Patiently = (work) => patience()(work);

/** "be read" asks; all else changes the file. */
type What = "be read" | "be written" | "be closed";
/**
 * Runs a piece of work in the way its kind is to be run; trouble is told with what could not be
 * done.
 */
export type AskDatabase = <T>(what: What, work: () => T | Promise<T>) => Promise<T>;

/** A rejected promise, not a throw: ports are asynchronous for callers even where SQLite is not. */
export function asking(
  code: ErrorCode,
  file: string,
  { damaged }: { damaged?: ((thrown: unknown) => void) | undefined },
): AskDatabase {
  const [reading, writing] = [patience(), patience()];
  return async (what, work) => {
    try {
      if (what === "be read") return await reading(work);
      return await (what === "be closed" ? work() : writing(work));
    } catch (thrown) {
      const failed = explained(code, `${file} could not ${what}`, thrown);
      if (isDamage(failed)) damaged?.(failed);
      throw failed;
    }
  };
}

/** What is asked of each index, answered at once or in time. */
export type Answers<Of extends Record<keyof Of, [unknown, unknown]>> = {
  readonly [In in keyof Of]: (asked: Of[In][0]) => Of[In][1] | Promise<Of[In][1]>;
};

/** Methods of a port as a table answers them, at once or in time. */
export type Answering<Port, Names extends keyof Port> = {
  readonly [Name in Names]: Port[Name] extends (...given: infer Given) => Promise<infer Answer>
    ? (...given: Given) => Answer | Promise<Answer>
    : never;
};

type TableWork = (...given: never[]) => unknown;
type AskedTable<Table> = {
  [Name in keyof Table]: Table[Name] extends (...given: infer Given) => infer Answer
    ? (...given: Given) => Promise<Awaited<Answer>>
    : never;
};

/** The functions of a table, each asked so. */
export const askedAll = <Table extends Readonly<Record<string, TableWork>>>(
  ask: AskDatabase,
  what: What,
  table: Table,
): AskedTable<Table> =>
  Object.fromEntries(
    Object.entries(table).map(([name, work]) => [
      name,
      (...given: never[]) => ask(what, () => work(...given)),
    ]),
  ) as AskedTable<Table>;
