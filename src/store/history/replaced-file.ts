import type { Storage } from "../../model/storage.ts";
import { patiently } from "../sqlite/busy.ts";
import type { Log } from "../sqlite/log.ts";
import type { Connection } from "../sqlite/database.ts";

/** Storage over one file, and the connection under it. */
export interface OpenFile {
  readonly database: Connection;
  readonly log: Log;
  readonly storage: Required<Storage>;
}

interface OpenPlace {
  readonly path: string;
  readonly open: () => OpenFile;
  /** Hears that another file took the place of the one that had been opened. */
  readonly moved: (told: string) => void;
}

/** These look at the file itself; everything else reads what they have made sure of. */
const SURE: ReadonlySet<string> = new Set<keyof Storage>(["commit", "sessions", "bodies", "folds"]);

/**
 * Storage that goes on in the file that stands at its path. One that was removed or replaced would
 * take every word and keep none. A conversation the new file does not have is refused by `commit`,
 * so nothing is folded that was not archived there; its next request archives it anew.
 */
export function inItsPlace(first: OpenFile, { path, open, moved }: OpenPlace): Required<Storage> {
  let now = first;
  let over = false;
  let going: Promise<void> | undefined;

  const goOn = async (): Promise<void> => {
    if (now.database.open) now.log.leave();
    now.database.close();
    now = await patiently(open);
    moved(
      `The database ${path} was removed or replaced while it was open. This process goes on in ` +
        `the file that stands there now: conversations are archived anew with their next ` +
        `request. End what uses a workspace before you move or restore its files.`,
    );
  };
  const isOpen = (): boolean => going === undefined && now.database.open;
  const sure = async (): Promise<void> => {
    if (!isOpen() || !now.log.stands()) await (going ??= goOn().finally(() => (going = undefined)));
  };
  /** Methods that go to the file that stands; all of them are asynchronous. */
  const through = <Port extends object>(of: () => Port): Port => {
    const methods = Object.keys(of()).map((name) => {
      const work = async (...given: unknown[]): Promise<unknown> => {
        if (!over && (SURE.has(name) || !isOpen())) await sure();
        const port = of();
        return Reflect.apply(port[name as keyof Port] as () => unknown, port, given);
      };
      return [name, work] as const;
    });
    return Object.fromEntries(methods) as unknown as Port;
  };
  return {
    ...through(() => now.storage),
    vectors: through(() => now.storage.vectors),
    others(hear) {
      let of = now;
      let look = of.storage.others(hear);
      return async () => {
        const isOther = of !== now;
        if (isOther) [look, of] = [now.storage.others(hear), now];
        if (isOther || !isOpen()) hear("all");
        else await look();
      };
    },
    async close() {
      if (!over) await sure().catch(() => undefined);
      over = true;
      if (now.database.open) await now.storage.close();
    },
  };
}
