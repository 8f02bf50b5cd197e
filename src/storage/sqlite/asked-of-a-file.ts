import type { Scope } from "../../core/identity.ts";
import { asked, type DatabaseAt } from "./database-file.ts";

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

/** The owners of what a sound file holds, the latest first. */
export const ownersOf = (at: DatabaseAt, now: number): Owner[] =>
  asked(at, ({ rows }) => rows(OWNERS, now));

export const noteOf = (at: DatabaseAt, name: string): string | undefined =>
  asked(at, ({ value }) => value`select text from note where name = ${name}`);
