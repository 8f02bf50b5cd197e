import { type Scope } from "../../model/identity.ts";
import { type Memory } from "../../model/memory.ts";

/** A memory as it stands; `proposal`: its move waits for a lead or a person under this id. */
export type Promoted = Memory & { readonly proposal?: string };

/** Something an agent may not do by itself. */
export interface Proposal {
  readonly id: string;
  /** "promotion": the memory would move to `to`. "skill": it would be written as an Agent Skill. */
  readonly kind: "promotion" | "skill";
  readonly to: Scope;
  /** The agent's scope. */
  readonly by: Scope;
  /** ms since epoch. */
  readonly at: number;
  readonly memory: Memory;
}

/** What waits to be decided by a lead or a person of the scope it is for. The proposer sees its own. */
export interface ProposalsApi {
  /**
   * What waits, the oldest first.
   *
   * @example
   * const [first] = await tidemark.proposals.list();
   */
  list(): Promise<Proposal[]>;
  /**
   * Does what was proposed; answers the memory. Rejects with "not-found", with "scope-denied" for a worker, "conflict", "store" or "workspace".
   *
   * @example
   * await tidemark.as({ role: "human", team: "crew" }).proposals.accept(id);
   */
  accept(id: string): Promise<Memory>;
  /**
   * Takes a proposal off; false where there is none. Its proposer may, too.
   *
   * @example
   * await tidemark.proposals.decline(id);
   */
  decline(id: string): Promise<boolean>;
}
