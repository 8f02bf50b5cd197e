import type { HistoryStore } from "../../model/history-store.ts";
import { patiently } from "../sqlite/busy.ts";
import type { Log } from "../sqlite/log.ts";
import type { Connection } from "../sqlite/database.ts";

/** A history and the connection under it. */
export interface OpenFile {
  readonly database: Connection;
  readonly log: Log;
  readonly store: HistoryStore;
}

interface OpenPlace {
  readonly path: string;
  readonly open: () => OpenFile;
  /** Hears that another file took the place of the one that had been opened. */
  readonly moved: (told: string) => void;
}

/** These look at the file itself; everything else reads what they have made sure of. */
const SURE = new Set<keyof HistoryStore>([
  "write",
  "pin",
  "unpin",
  "account",
  "forget",
  "sessions",
  "bodies",
  "allFolds",
]);

/**
 * A history that goes on in the file that stands at its path. One that was removed or replaced
 * would take every word and keep none. A conversation the new file does not have is refused by
 * `write`, so nothing is folded that was not archived there; its next request archives it anew.
 */
export function inItsPlace(first: OpenFile, { path, open, moved }: OpenPlace): HistoryStore {
  let now = first;
  let times = 0;
  let going: Promise<void> | undefined;

  const goOn = async (): Promise<void> => {
    if (now.database.open) now.log.leave();
    now.database.close();
    now = await patiently(open);
    times += 1;
    moved(
      `The history ${path} was removed or replaced while it was open. This process goes on in ` +
        `the file that stands there now: conversations are archived anew with their next ` +
        `request. End what uses a workspace before you move or restore its files.`,
    );
  };
  const isStanding = (): boolean => going === undefined && now.database.open && now.log.stands();
  const sure = async (): Promise<void> => {
    if (!isStanding()) await (going ??= goOn().finally(() => (going = undefined)));
  };
  const asked =
    (name: keyof HistoryStore) =>
    async (...given: unknown[]): Promise<unknown> => {
      if (SURE.has(name) || going !== undefined || !now.database.open) await sure();
      return Reflect.apply(now.store[name] as () => unknown, now.store, given);
    };
  const methods = Object.keys(first.store).map((name) => [name, asked(name as keyof HistoryStore)]);
  return {
    ...(Object.fromEntries(methods) as HistoryStore),
    keeps: first.store.keeps,
    // Anything but what it was, while there is none to ask.
    version: () =>
      going === undefined && now.database.open ? now.store.version() + times * 2 ** 32 : -1,
    close: async () => {
      await sure().catch(() => undefined);
      if (now.database.open) await now.store.close();
    },
  };
}
