import { defined } from "../../core/base.ts";
import type { Change, ValueName } from "../../core/memory.ts";
import { methods } from "../methods.ts";
import type { KeptValue, SearchIndex, Storage, Truth } from "../port.ts";
import { openStorage } from "./sqlite-storage.ts";

const TRUTH =
  "commit debts find values sessions entries bodies asides folds learnt bindings belongings " +
  "count note unindexed others close";
/** These may be left out. */
const MORE = ["ended", "dataRows", "dataSums"];
const INDEX = "frequencies beginning candidates turns pages";

const isMissing = (store: Truth) => (name: string) =>
  typeof Reflect.get(store, name) !== "function";

/** An index is there whole or not at all. */
const isSearched = (store: Truth): store is Storage =>
  INDEX.split(" ").some((name) => !isMissing(store)(name));

/** The methods that a host's storage lacks. */
export const missingIn = (store: Truth): string[] =>
  (isSearched(store) ? `${TRUTH} ${INDEX}` : TRUTH).split(" ").filter(isMissing(store));

/** Values read and put at once: some ten milliseconds. */
const BATCH = 200;

/** The memories of a storage in an index of their own. What no longer holds is put first. */
async function indexOf(truth: Truth): Promise<Storage> {
  const index = openStorage(":memory:");
  for (const isPast of [true, false])
    for (let after: ValueName | undefined; ;) {
      const page = await truth.values({ limit: BATCH, ...(after && { after }) });
      const meant = page.filter(({ until }) => (until !== undefined) === isPast);
      await index.commit({ memories: meant.flatMap(steps) });
      after = page.at(-1)?.stored.memory;
      if (after === undefined || page.length < BATCH) break;
    }
  return index;
}

const steps = ({ stored: row, until: at }: KeptValue): Change[] => {
  const { id, version: was } = row.memory;
  const held: Change = { do: "insert", row };
  return at === undefined ? [held] : [held, { do: "end", id, was, at }];
};

/**
 * A storage that brings no index, searched through one in memory. It is made anew where another
 * process changed something, or where it does not say the same any more.
 */
export function searched(truth: Truth): Storage {
  if (isSearched(truth)) return truth;
  const more = MORE.filter((name) => !isMissing(truth)(name));
  const rest = methods<Truth>([...TRUTH.split(" "), ...more], (call) => call(truth));
  let [isStale, read] = [true, 0];
  let index: Promise<Storage>;
  const stale = (): void => {
    isStale = true;
  };
  const look = rest.others(stale);
  async function current(): Promise<Storage> {
    await look();
    if (isStale) {
      [isStale, read] = [false, 0];
      index = indexOf(rest);
      index.catch(stale);
    }
    return index;
  }
  /** The uses counted last: what is asked next about memories waits for them. */
  let counted: Promise<unknown> = Promise.resolve();
  const put: Storage["commit"] = async ({ turns, pages, vectors: _, ...unit }, how) => {
    const { memories, used, gone } = unit;
    const parts = defined({ memories, used, gone, turns, pages });
    // What is stored from here on is not in it yet.
    const held = Object.keys(parts).length > 0 ? await current() : undefined;
    const isTrue = Object.keys(unit).length > 0 || how?.durable === true;
    if (isTrue && !(await rest.commit(unit, how))) return false;
    const stands = await held?.commit(parts).catch(() => false);
    if (stands === false) stale();
    read = turns?.read ?? read;
    return true;
  };
  return {
    ...rest,
    commit(unit, how) {
      const done = put(unit, how);
      if (unit.used !== undefined) counted = done.catch(() => undefined);
      return done;
    },
    async find(which) {
      await counted;
      // Words are the index's to know.
      return ("words" in which ? await current() : rest).find(which);
    },
    unindexed: (limit) => rest.unindexed(limit, read),
    ...methods<SearchIndex>(INDEX.split(" "), async (call) => {
      await counted;
      return call(await current());
    }),
  };
}
