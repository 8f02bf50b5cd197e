import { type Identity, identityKey, identityOf } from "./identity.ts";

/** Whose conversations agents of one project find: those of their own user or of none, or those of every user. */
export type Share = "project" | { readonly users: "all" };

/** What an identity may have of a conversation: all of it, or what was said in it and no results of tools. */
type Sight = "whole" | "said";

/**
 * What the asker may have of the conversations of a root; undefined: they are out of sight. Results of tools hold what was
 * looked up for one user alone, so another's are never told and another's conversation is never read whole.
 */
export function sightOf(asker: Identity, root: string, share?: Share): Sight | undefined {
  if (root === identityKey(asker)) return "whole";
  const other = identityOf(root);
  if (share === undefined || other === undefined || asker.project === undefined) return undefined;
  if (other.project !== asker.project || other.org !== asker.org) return undefined;
  if (other.user === undefined || other.user === asker.user) return "whole";
  return share === "project" ? undefined : "said";
}
