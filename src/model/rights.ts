import { agentScope, type Identity, type Scope, type ScopeKind, scopesOf } from "./identity.ts";

/**
 * What may be done with memory in a scope. "promote" moves a memory there at once, "propose" asks
 * for that, "inject" tells an agent something as a lead's word, "decide" accepts or declines what
 * was proposed.
 */
export type Act = "add" | "change" | "forget" | "promote" | "propose" | "inject" | "decide";

const OF_AN_AGENT: readonly Act[] = ["add", "change", "forget", "promote"];
const SHARED: readonly Act[] = ["add", "change", "forget", "propose"];
const PERSON: readonly Act[] = ["add", "change", "forget", "promote", "decide"];
const LEAD: readonly Act[] = [...PERSON, "inject"];

/**
 * What a worker may in scopes of its own. An organisation's words are its people's, not its
 * workers'.
 */
const WORKER: Readonly<Record<ScopeKind, readonly Act[]>> = {
  agent: OF_AN_AGENT,
  team: SHARED,
  project: SHARED,
  user: OF_AN_AGENT,
  org: [],
};

/**
 * What a lead may in the scopes of other agents that were seen with its team: what is there already
 * is theirs.
 */
const ELSEWHERE: readonly Act[] = ["add", "promote", "inject"];

/** One table says which acts an identity may do where; memory, tools and files ask it. */
export type Rights = ReturnType<typeof rightsOf>;

/** `seen`: agents that were seen with the identity's team. */
export function rightsOf(identity: Identity, seen: readonly string[] = []) {
  const { role = "worker" } = identity;
  const own = scopesOf(identity);
  const others = seen.map((agent) => agentScope({ agent }));
  const actsIn = (scope: Scope): readonly Act[] => {
    const isLead = role === "lead";
    if (!own.includes(scope)) return isLead && others.includes(scope) ? ELSEWHERE : [];
    if (isLead) return LEAD;
    return role === "human" ? PERSON : WORKER[scope.slice(0, scope.indexOf(":")) as ScopeKind];
  };
  const may = (act: Act, scope: Scope): boolean => actsIn(scope).includes(act);
  return {
    may,
    /** Scopes of its own in which it may. */
    where: (act: Act) => own.filter((scope) => may(act, scope)),
  };
}
