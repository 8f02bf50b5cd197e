import { isTidemarkError } from "../../model/errors.ts";
import type { Scope } from "../../model/identity.ts";
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

/** A conversation is of the user it was had with, else of the agent, as what it taught is. */
const OWNERS = `
  select scope, sum(memory) as memories, sum(conversation) as conversations,
    max(at) as updatedAt from (
      select name as scope, 1 as memory, 0 as conversation, updated_at as at
        from memory join scope on scope.number = memory.scope
        where valid_to is null and (expires_at is null or expires_at > ?)
      union all
      select coalesce('user:' || (root ->> 3), 'agent:' || (root ->> 0)), 0, 1, updated_at
        from session
    ) group by scope order by updatedAt desc, scope`;

/**
 * Whose memories and conversations a workspace holds, the latest first; none of a damaged one.
 * Throws where the key does not fit.
 */
export function ownersIn(at: WorkspaceAt, now: number): Owner[] {
  try {
    return asked(databaseOf(at), (database) => database.prepare(OWNERS).all(now) as Owner[]);
  } catch (thrown) {
    if (isTidemarkError(thrown)) throw thrown;
    // Opening it says what is wrong.
    return [];
  }
}

/** The users among them. */
export const usersIn = (at: WorkspaceAt, now: number) =>
  ownersIn(at, now).flatMap(({ scope, ...counted }) =>
    scope.startsWith("user:") ? [{ user: scope.slice("user:".length), ...counted }] : [],
  );
