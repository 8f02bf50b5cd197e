import { breathe } from "../../base/async.ts";
import { type Scope } from "../../model/identity.ts";
import { type Connection } from "../sqlite/database.ts";
import { type Scopes } from "../sqlite/scopes.ts";

interface Use {
  readonly ids: readonly string[];
  readonly visible: readonly Scope[];
  readonly at: number;
}

/**
 * Uses are counted behind the answer they belong to, all that wait in one transaction: counting takes as long as a third of
 * the finding. The next question has them written first, so no count is behind. `written` runs a write that can wait.
 */
export function countedUses(
  database: Connection,
  scopes: Scopes,
  written: (work: () => void) => Promise<void>,
) {
  const mark = database.prepare(
    `update memory set uses = uses + 1, used_at = ? where valid_to is null
     and id in (select value from json_each(?)) and scope in (select value from json_each(?))`,
  );
  const all = database.transaction((uses: readonly Use[]): void => {
    for (const { ids, visible, at } of uses)
      mark.run(at, JSON.stringify(ids), JSON.stringify(scopes.numbers(visible)));
  });
  let waiting: Use[] = [];
  let soon: Promise<void> | undefined;
  const put = (): void => {
    if (waiting.length > 0) all.immediate(waiting);
    waiting = [];
  };
  return {
    /** Resolves when the use is counted. */
    count(use: Use): Promise<void> {
      if (use.ids.length > 0) waiting.push(use);
      soon ??= breathe()
        .then(() => written(put))
        .finally(() => ([waiting, soon] = [[], undefined]));
      return soon;
    },
    /** Counts what waits. */
    write(): void {
      try {
        put();
      } catch {
        // It is tried once more behind this, and its asker is told.
      }
    },
    /** Until nothing waits. */
    ended: async (): Promise<void> => soon?.catch(() => undefined),
  };
}
