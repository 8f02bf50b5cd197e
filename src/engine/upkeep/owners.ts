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

const SQL = `
  select name as scope, null as root, count(*) as many, max(updated_at) as updatedAt
    from memory join scope on scope.number = memory.scope
    where valid_to is null and (expires_at is null or expires_at > ?) group by name
  union all
  select null, root, count(*), max(updated_at) from session group by root`;
type Row = { scope: Scope | null; root: string | null; many: number; updatedAt: number };

/**
 * Whose memories and conversations a workspace holds, the latest first; none of a damaged one:
 * opening it says so. Throws where the key does not fit.
 */
export function ownersIn(at: WorkspaceAt, now: number): Owner[] {
  const all = Map.groupBy(
    rowsIn(at, now),
    ({ scope, root }) => scope ?? learningScope(identityOf(root ?? "") ?? {}),
  );
  return [...all]
    .map(([scope, rows]) => {
      const sum = (own: readonly Row[]): number => own.reduce((total, { many }) => total + many, 0);
      const memories = sum(rows.filter(({ root }) => root === null));
      return {
        scope,
        memories,
        conversations: sum(rows) - memories,
        updatedAt: Math.max(...rows.map(({ updatedAt }) => updatedAt)),
      };
    })
    .sort((one, other) => other.updatedAt - one.updatedAt);
}

function rowsIn(at: WorkspaceAt, now: number): Row[] {
  try {
    return asked(databaseOf(at), (database) => database.prepare(SQL).all(now) as Row[]);
  } catch (thrown) {
    if (isTidemarkError(thrown)) throw thrown;
    return [];
  }
}
