import type { HistoryStore } from "../../model/history-store.ts";
import type { Store } from "../../model/store.ts";
import { patiently } from "../sqlite/busy.ts";
import type { Log } from "../sqlite/log.ts";
import type { Connection } from "../sqlite/database.ts";

/** The ports over one file, and the connection under them. */
export interface OpenFile {
  readonly database: Connection;
  readonly log: Log;
  readonly history: HistoryStore;
  readonly store: Store;
}

interface OpenPlace {
  readonly path: string;
  readonly open: () => OpenFile;
  /** Hears that another file took the place of the one that had been opened. */
  readonly moved: (told: string) => void;
}

/** These look at the file itself; everything else reads what they have made sure of. */
const SURE: ReadonlySet<string> = new Set<keyof HistoryStore | keyof Store>([
  ...(["write", "pin", "unpin", "account", "forget", "sessions", "bodies", "allFolds"] as const),
  ...(["put", "restore", "remove", "removeExpired", "keepNote"] as const),
]);

/**
 * Stores that go on in the file that stands at its path. One that was removed or replaced would
 * take every word and keep none. A conversation the new file does not have is refused by `write`,
 * so nothing is folded that was not archived there; its next request archives it anew.
 */
export function inItsPlace(
  first: OpenFile,
  { path, open, moved }: OpenPlace,
): Pick<OpenFile, "history" | "store"> {
  let now = first;
  let times = 0;
  let over = false;
  let going: Promise<void> | undefined;

  const goOn = async (): Promise<void> => {
    if (now.database.open) now.log.leave();
    now.database.close();
    now = await patiently(open);
    times += 1;
    moved(
      `The database ${path} was removed or replaced while it was open. This process goes on in ` +
        `the file that stands there now: conversations are archived anew with their next ` +
        `request. End what uses a workspace before you move or restore its files.`,
    );
  };
  const isStanding = (): boolean => going === undefined && now.database.open && now.log.stands();
  const sure = async (): Promise<void> => {
    if (!isStanding()) await (going ??= goOn().finally(() => (going = undefined)));
  };
  /** A port whose methods go to the file that stands; all of them are asynchronous. */
  const through = <Port extends object>(of: () => Port): Port => {
    const methods = Object.keys(of()).map((name) => {
      const work = async (...given: unknown[]): Promise<unknown> => {
        const isOpen = going === undefined && now.database.open;
        if (!over && (SURE.has(name) || !isOpen)) await sure();
        const port = of();
        return Reflect.apply(port[name as keyof Port] as () => unknown, port, given);
      };
      return [name, work] as const;
    });
    return Object.fromEntries(methods) as unknown as Port;
  };
  const closing = (of: () => { close(): Promise<void> }) => async (): Promise<void> => {
    if (!over) await sure().catch(() => undefined);
    over = true;
    if (now.database.open) await of().close();
  };
  return {
    history: {
      ...through(() => now.history),
      keeps: first.history.keeps,
      // Anything but what it was, while there is none to ask.
      version: () =>
        going === undefined && now.database.open ? now.history.version() + times * 2 ** 32 : -1,
      close: closing(() => now.history),
    },
    store: {
      ...through(() => now.store),
      turns: through(() => now.store.turns),
      pages: through(() => now.store.pages),
      vectors: {
        ...through(() => now.store.vectors),
        pages: through(() => now.store.vectors.pages ?? {}) as NonNullable<
          Store["vectors"]["pages"]
        >,
      },
      close: closing(() => now.store),
    },
  };
}
