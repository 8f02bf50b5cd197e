import { GROWTH } from "../../window/limits.ts";
import { foldIn, type Sight } from "../sight.ts";

export const UNDONE = "the last fold was undone and the request has hardly grown since";

/**
 * Who brings messages back wants them read: below the brim nothing is folded, or distilled for a fold, before the request
 * has grown as much as between any two folds. Measured from the first request after the undo, because only that one shows
 * what came back.
 */
export async function heldByUndo(sight: Sight): Promise<boolean> {
  const { call, placed, window } = sight;
  const { undone } = placed.session.state;
  if (undone === undefined || undone.on !== (foldIn(placed)?.id ?? "")) return false;
  if (undone.used !== undefined) return window.used - undone.used < GROWTH * call.limit;
  await call.core.sessions.update(placed.session.id, {
    state: { undone: { ...undone, used: window.used } },
  });
  return true;
}
