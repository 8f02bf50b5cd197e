import { ownersIn, type Owner } from "../../engine/upkeep/owners.ts";
import { scopesOf } from "../../model/identity.ts";
import { plain, some } from "../render/layout.ts";
import { count } from "../render/numbers.ts";
import type { WorkspaceAt } from "../../store/sqlite/connect.ts";
import type { Given } from "./flags.ts";

/** Owners named in one line. */
const NAMED = 5;

/** Those who have memories. */
export const rememberedIn = (at: WorkspaceAt): Owner[] =>
  ownersIn(at, Date.now()).filter(({ memories }) => memories > 0);

/** "user ada (3 memories), agent sky (1 memory)". */
export const ownersNamed = (owners: readonly Owner[]): string =>
  some(
    owners.map(
      ({ scope, memories }) =>
        `${plain(scope.replace(":", " "))} (${count(memories, "memory", "memories")})`,
    ),
    NAMED,
  );

/**
 * Whose memories there are beside those this identity sees; none for a named one, which learns
 * nothing of others.
 */
export function othersThan({ place, identity }: Given): Owner[] {
  if (Object.keys(identity).length > 0) return [];
  const seen = new Set<string>(scopesOf(identity));
  return rememberedIn(place).filter(({ scope }) => !seen.has(scope));
}

/**
 * A sentence on whose memories there are, where a person may look for them in vain. Nothing where
 * there are no others. `verb` would show them.
 */
export function othersLine(given: Given, verb: string): string | undefined {
  const others = othersThan(given);
  const [first] = others;
  if (first === undefined) return undefined;
  const [, kind = "", id = ""] = /^(.+?):(.+)$/.exec(plain(first.scope)) ?? [];
  return (
    `Not shown: those of ${ownersNamed(others)}. To see them: tidemark ${verb} ` +
    `--${kind} "${id}"`
  );
}
