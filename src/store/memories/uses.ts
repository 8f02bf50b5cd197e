import { type Scope } from "../../model/identity.ts";
import { type Patiently } from "../sqlite/busy.ts";
import { type Connection, isBusy } from "../sqlite/database.ts";
import { type Scopes } from "../sqlite/scopes.ts";

interface Use {
  readonly ids: readonly string[];
  readonly visible: readonly Scope[];
  readonly at: number;
  readonly settle: (failed?: { thrown: unknown }) => void;
}

interface Uses {
  /** Resolves when the uses are counted. */
  count(ids: readonly string[], visible: readonly Scope[], at: number): Promise<void>;
  /** Counts what waits, unless another process writes. Never throws: the caller of the count is told. */
  write(): void;
  /** Until nothing waits. */
  ended(): Promise<void>;
}

/**
 * Uses are counted behind the answer they belong to, all that wait in one transaction: counting takes as long as a third of
 * the finding. The next question has them written first, so no count is behind.
 */
export function countedUses(database: Connection, scopes: Scopes, patiently: Patiently): Uses {
  const mark = database.prepare(
    `update memory set uses = uses + 1, used_at = ? where valid_to is null
     and id in (select value from json_each(?)) and scope in (select value from json_each(?))`,
  );
  const all = database.transaction((uses: readonly Use[]): void => {
    for (const { ids, visible, at } of uses)
      mark.run(at, JSON.stringify(ids), JSON.stringify(scopes.numbers(visible)));
  });
  let waiting: Use[] = [];

  const settle = (failed?: { thrown: unknown }): void => {
    const uses = waiting;
    waiting = [];
    for (const use of uses) use.settle(failed);
  };
  const written = (): void => {
    if (waiting.length > 0) all.immediate(waiting);
    settle();
  };
  const ended = (): Promise<void> =>
    patiently(written).catch((thrown: unknown) => settle({ thrown }));

  return {
    ended,
    write() {
      try {
        written();
      } catch (thrown) {
        if (!isBusy(thrown)) settle({ thrown });
      }
    },
    count: (ids, visible, at) =>
      new Promise((resolve, reject) => {
        if (ids.length === 0) return void resolve();
        if (waiting.length === 0) setImmediate(() => void ended());
        waiting.push({
          ids,
          visible,
          at,
          settle: (failed) => (failed === undefined ? resolve() : reject(failed.thrown as Error)),
        });
      }),
  };
}
