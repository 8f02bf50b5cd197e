import { refuse } from "../../core/errors-and-events.ts";
import { isRestricted, type Rights, type Scope } from "../../core/identity.ts";
import type { Change, Memory } from "../../core/memory.ts";
import { CORE_POLICY, isCorePolicy, POLICIES } from "../../core/organisation.ts";
import { clip } from "../../core/text/cut.ts";
import type { Storage } from "../../storage/port.ts";
import { denied } from "./check.ts";

interface OrganisationRoom {
  readonly store: Storage;
  readonly now: () => number;
  readonly rights: () => Promise<Rights>;
}

/**
 * By whichever door a change comes, what stands in a category of the organisation's is changed by
 * its writers alone, and core policies stay few and short. Rejects with "scope-denied" or "config".
 */
export async function checkOrganisation(
  room: OrganisationRoom,
  steps: readonly { readonly change: Change }[],
): Promise<void> {
  // Another's word costs nothing here: who moves one out of an organisation is checked before.
  const written = steps.flatMap(({ change }) =>
    change.do !== "end" && isRestricted(change.row.memory.scope) ? [change] : [],
  );
  if (written.length === 0) return;
  const rights = await room.rights();
  for (const change of written) {
    const { memory: next } = change.row;
    const which = { scopes: [next.scope], id: next.id };
    const held = change.do === "insert" ? [] : await room.store.find(which);
    for (const memory of [...held.map((row) => row.memory), next])
      if (
        rights.writersOf(memory.scope, memory.category) !== undefined &&
        !rights.may("change", memory.scope, memory.category)
      )
        throw denied("change", memory, rights);
    if (isCorePolicy(next)) await checkPolicy(room, next);
  }
}

/** The core policies of the scopes as they are now, the oldest first. */
export async function corePolicies(
  { store, now }: Pick<OrganisationRoom, "store" | "now">,
  scopes: readonly Scope[],
): Promise<Memory[]> {
  const which = { category: CORE_POLICY, order: "stated", limit: 2 * POLICIES.most } as const;
  const found = await store.find({ ...which, scopes: scopes.filter(isRestricted), now: now() });
  return found.map(({ memory }) => memory).sort((one, other) => one.at - other.at);
}

async function checkPolicy(room: OrganisationRoom, { id, scope, content }: Memory): Promise<void> {
  const { most, characters } = POLICIES;
  if (content.length > characters)
    refuse(
      `A core policy has ${characters} characters at most, got ${content.length}: say it ` +
        "shorter, or write it as a standard.",
    );
  const others = (await corePolicies(room, [scope])).filter((one) => one.id !== id);
  if (others.length >= most)
    refuse(
      `${scope} has ${most} core policies, which is the most. Retract one first:\n` +
        others.map((one) => `${one.id}  ${clip(one.content, 80)}`).join("\n"),
    );
}
