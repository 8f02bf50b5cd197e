import { identityOf, learningScope, type Scope } from "../../model/identity.ts";
import { isTidemarkError } from "../../model/errors.ts";
import type { WorkspaceAt } from "../../store/sqlite/connect.ts";
import { asked } from "../../store/sqlite/database.ts";
import { databaseOf } from "./database-files.ts";

export interface Owner {
  readonly scope: Scope;
  readonly memories: number;
  readonly conversations: number;
  /** The last time something of theirs changed, ms since epoch. */
  readonly updatedAt: number;
}

const SQL = {
  "memory index": `select name as scope, count(*) as many, max(updated_at) as updatedAt
    from memory join scope on scope.number = memory.scope
    where valid_to is null and (expires_at is null or expires_at > ?) group by name`,
  history: `select root as scope, count(*) as many, max(updated_at) as updatedAt
    from session where at <= ? group by root`,
} as const;

/**
 * Whose memories and conversations a workspace holds, the latest first. Throws where the key does
 * not fit.
 */
export function ownersIn(at: WorkspaceAt, now: number): Owner[] {
  const read = (what: keyof typeof SQL) => {
    try {
      type Row = { scope: string; many: number; updatedAt: number };
      return asked(
        databaseOf(at, what),
        (database) => database.prepare(SQL[what]).all(now) as Row[],
      );
    } catch (thrown) {
      if (isTidemarkError(thrown)) throw thrown;
      // Opening a damaged file says so; the other one is counted.
      return [];
    }
  };
  const rows = [
    ...read("memory index").map(({ many, ...row }) => ({
      ...row,
      memories: many,
      conversations: 0,
    })),
    ...read("history").map(({ scope: root, many, updatedAt }) => {
      const scope = learningScope(identityOf(root) ?? {});
      return { scope, updatedAt, memories: 0, conversations: many };
    }),
  ];
  return [...Map.groupBy(rows, ({ scope }) => scope as Scope)]
    .map(([scope, all]) => ({
      scope,
      memories: all.reduce((sum, { memories }) => sum + memories, 0),
      conversations: all.reduce((sum, { conversations }) => sum + conversations, 0),
      updatedAt: Math.max(...all.map(({ updatedAt }) => updatedAt)),
    }))
    .sort((one, other) => other.updatedAt - one.updatedAt);
}
