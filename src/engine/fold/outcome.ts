import { type Sight } from "../session/outgoing.ts";
import { type FoldReport } from "../options/types.ts";

/** Why a request must shrink. */
export type Urgency = "mark" | "brim" | "overflow" | "manual";

/** What came of trying to make a request smaller. */
export interface Relief {
  readonly sight: Sight;
  readonly folded?: FoldReport & { readonly facts: number };
  readonly refused?: string;
  /** The provider is at its own summary; the conversation goes on until it is there. */
  readonly coming?: true;
}

export function refuse(sight: Sight, reason: string | undefined): Relief {
  const refused = reason ?? "the last messages are too large to be cut down further";
  sight.call.core.emit({ type: "fold-refused", reason: refused });
  return { sight, refused };
}
