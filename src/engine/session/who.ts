import { type Memories } from "../../memory/memories.ts";
import { type Scope, type Identity } from "../../model/identity.ts";

/** On whose behalf a call is made. */
export interface Who {
  readonly identity: Identity;
  /** Key of the identity: the root of its conversations. */
  readonly root: string;
  readonly label?: string;
  readonly scopes: readonly Scope[];
  /** Where what conversations taught is kept. */
  readonly learns: Scope;
  readonly memories: Memories;
  /** The same, for what the agent itself saves. */
  readonly byAgent: Memories;
}
