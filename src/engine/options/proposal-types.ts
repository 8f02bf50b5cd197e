import type { Scope } from "../../model/identity.ts";
import type { Memory } from "../../model/memory.ts";
import type { NoteInfo } from "../../workspace/documents/notes.ts";

/** A memory as it stands; `proposal`: its move waits for a lead or a person under this id. */
export type Promoted = Memory & { readonly proposal?: string };

/** A note as it stands; `proposal`: its move waits for a lead or a person under this id. */
export type PromotedNote = NoteInfo & { readonly proposal?: string };

/** Something an agent may not do by itself. */
export type Proposal = ProposalOfMemory | ProposalOfNote;

interface ProposalOfMemory extends Proposing {
  /**
   * "promotion": the memory would move to `to`. "skill": it would be written as an Agent Skill. "preference": it would hold, as a
   * ticked line of USER.md of `to`.
   */
  readonly kind: "promotion" | "skill" | "preference";
  readonly memory: Memory;
}

interface ProposalOfNote extends Proposing {
  /** The note would move to `to`. */
  readonly kind: "note";
  readonly note: NoteInfo & { readonly text: string };
  readonly memory?: undefined;
}

interface Proposing {
  readonly id: string;
  readonly to: Scope;
  /** The agent's scope. */
  readonly by: Scope;
  /** ms since epoch. */
  readonly at: number;
}

/**
 * What waits to be decided by a lead or a person of the scope it is for. The proposer sees its own. Preferences are the user's: each
 * identity with that user sees them, and the host decides, or the user on the page itself.
 */
export interface ProposalsApi {
  /**
   * What waits, the oldest first.
   *
   * @example
   * const [first] = await tidemark.proposals.list();
   */
  list(): Promise<Proposal[]>;
  /**
   * Does what was proposed; answers the memory or the note. Rejects with "not-found", with "scope-denied" for a worker, "conflict", "store" or "workspace".
   *
   * @example
   * await tidemark.as({ role: "human", team: "crew" }).proposals.accept(id);
   */
  accept(id: string): Promise<Memory | NoteInfo>;
  /**
   * Takes a proposal off; false where there is none. Its proposer may, too.
   *
   * @example
   * await tidemark.proposals.decline(id);
   */
  decline(id: string): Promise<boolean>;
}
