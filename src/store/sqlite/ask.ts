import { type ErrorCode } from "../../model/errors.ts";
import { patience } from "./busy.ts";
import { type Log } from "./checkpointer.ts";
import { explained, isDamage } from "./database.ts";

/** "be read" asks; all else changes the file. */
type What = "be read" | "be written" | "be closed";
/** Runs a piece of work in the way its kind is to be run; trouble is told with what could not be done. */
export type Ask = <T>(what: What, work: () => T | Promise<T>) => Promise<T>;

/** A rejected promise, not a throw: ports are asynchronous for callers even where SQLite is not. */
export function asking(
  code: ErrorCode,
  file: string,
  { log, damaged }: { log: Log; damaged?: ((thrown: unknown) => void) | undefined },
): Ask {
  const [reading, writing] = [patience(), patience()];
  return async (what, work) => {
    try {
      if (what === "be read") return await reading(work);
      return await (what === "be closed" ? work() : writing(() => log.written(work)));
    } catch (thrown) {
      const failed = explained(code, `${file} could not ${what}`, thrown);
      if (isDamage(failed)) damaged?.(failed);
      throw failed;
    }
  };
}

type Work = (...given: never[]) => unknown;
type Asked<Table> = {
  [Name in keyof Table]: Table[Name] extends (...given: infer Given) => infer Answer
    ? (...given: Given) => Promise<Awaited<Answer>>
    : never;
};

/** The functions of a table, each asked so. */
export const askedAll = <Table extends Readonly<Record<string, Work>>>(
  ask: Ask,
  what: What,
  table: Table,
): Asked<Table> =>
  Object.fromEntries(
    Object.entries(table).map(([name, work]) => [
      name,
      (...given: never[]) => ask(what, () => work(...given)),
    ]),
  ) as Asked<Table>;
