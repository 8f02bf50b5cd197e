import { existsSync } from "node:fs";
import { identityOf, learningScope, type Scope } from "../../model/identity.ts";
import { asked } from "../../store/sqlite/database.ts";
import { databaseOf } from "./database-files.ts";

export interface Owner {
  readonly scope: Scope;
  memories: number;
  conversations: number;
  /** ms since epoch; 0 where nothing of theirs has a time. */
  updatedAt: number;
}

const MEMORIES = `select name as scope, count(*) as memories, max(updated_at) as updatedAt
  from memory join scope on scope.number = memory.scope
  where valid_to is null and (expires_at is null or expires_at > ?) group by name`;
const CONVERSATIONS =
  "select root, count(*) as conversations, max(updated_at) as updatedAt from session group by root";

/** Whose memories and conversations a workspace holds, the latest first. */
export function ownersIn(workspace: string, now: number): Owner[] {
  const owners = new Map<Scope, Owner>();
  const add = (scope: Scope, more: Partial<Omit<Owner, "scope">>): void => {
    const { memories = 0, conversations = 0, updatedAt = 0 } = owners.get(scope) ?? {};
    owners.set(scope, {
      scope,
      memories: memories + (more.memories ?? 0),
      conversations: conversations + (more.conversations ?? 0),
      updatedAt: Math.max(updatedAt, more.updatedAt ?? 0),
    });
  };
  const read = <Row>(what: "history" | "memory index", sql: string, ...given: number[]): Row[] => {
    const { path } = databaseOf(workspace, what);
    if (!existsSync(path)) return [];
    try {
      return asked(path, (database) => database.prepare(sql).all(...given) as Row[]);
    } catch {
      // Opening a damaged file says so; this counts the rest.
      return [];
    }
  };
  for (const row of read<Owner>("memory index", MEMORIES, now)) add(row.scope, row);
  for (const row of read<Owner & { root: string }>("history", CONVERSATIONS)) {
    const identity = identityOf(row.root);
    if (identity !== undefined) add(learningScope(identity), row);
  }
  return [...owners.values()].sort((one, other) => other.updatedAt - one.updatedAt);
}
