import { type Scope } from "../model/identity.ts";
import { type Connection } from "./database.ts";
import { type Scopes } from "./scopes.ts";

interface Use {
  readonly ids: readonly string[];
  readonly visible: readonly Scope[];
  readonly at: number;
  readonly settle: (failed?: { thrown: unknown }) => void;
}

export interface Uses {
  /** Resolves when the uses are counted. */
  count(ids: readonly string[], visible: readonly Scope[], at: number): Promise<void>;
  /** Counts what waits. Never throws: it is who counts that is told. */
  write(): void;
}

/**
 * Uses are counted behind the answer they belong to, all that wait in one transaction: counting takes as long as a third of
 * the finding. Whoever asks next has them written first, so nobody sees a count that is behind.
 */
export function countedUses(database: Connection, scopes: Scopes): Uses {
  const mark = database.prepare(
    `update memory set uses = uses + 1, used_at = ? where valid_to is null
     and id in (select value from json_each(?)) and scope in (select value from json_each(?))`,
  );
  const all = database.transaction((uses: readonly Use[]): void => {
    for (const { ids, visible, at } of uses) mark.run(at, JSON.stringify(ids), JSON.stringify(scopes.numbers(visible)));
  });
  let waiting: Use[] = [];

  function write(): void {
    if (waiting.length === 0) return;
    const uses = waiting;
    waiting = [];
    let failed: { thrown: unknown } | undefined;
    try {
      all.immediate(uses);
    } catch (thrown) {
      failed = { thrown };
    }
    for (const { settle } of uses) settle(failed);
  }

  return {
    write,
    count: (ids, visible, at) =>
      new Promise((resolve, reject) => {
        if (ids.length === 0) return void resolve();
        if (waiting.length === 0) setImmediate(write);
        const settle = (failed?: { thrown: unknown }): void => (failed === undefined ? resolve() : reject(failed.thrown as Error));
        waiting.push({ ids, visible, at, settle });
      }),
  };
}
