import { ownersIn, type Owner } from "../../engine/upkeep/owners.ts";
import { scopesOf } from "../../model/identity.ts";
import { plain } from "../render/layout.ts";
import { type Counted, ownersNamed } from "../render/owners.ts";
import type { Given } from "./flags.ts";

/** Whose there are beside what this identity sees. */
export function othersThan({ workspace, identity }: Given, what: Counted): Owner[] {
  const seen = new Set<string>(scopesOf(identity));
  return ownersIn(workspace, Date.now()).filter((one) => one[what] > 0 && !seen.has(one.scope));
}

/**
 * A sentence on whose there are, where a person may look for them in vain: they named no user, or
 * nothing was found. Nothing where there are no others. `line`: the command that would show them.
 */
export function othersLine(
  given: Given,
  { line, what, none }: { line: string; what: Counted; none: boolean },
): string | undefined {
  if (given.identity.user !== undefined && !none) return undefined;
  const others = othersThan(given, what);
  const [first] = others;
  if (first === undefined) return undefined;
  const [kind = "", ...rest] = first.scope.split(":");
  const id = plain(rest.join(":"));
  const typed = /^[\w.@-]+$/.test(id) ? id : JSON.stringify(id);
  return (
    `Not shown: those of ${ownersNamed(others, what)}. To see them: tidemark ${line} ` +
    `--${kind} ${typed}`
  );
}

/** "agent:default, user:ada". */
export const whoAsks = ({ identity }: Given): string => plain(scopesOf(identity).join(", "));
