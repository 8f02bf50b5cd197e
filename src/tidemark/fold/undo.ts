import { type Undone } from "../../model/folds.ts";
import { type Who } from "../core.ts";
import { type House } from "../house.ts";

/**
 * Brings the messages of a fold back for the next call, in its conversation and in the branches that inherited it. Facts
 * stay, because they are true, and so does the watermark: nothing is distilled twice. Undefined for a fold that is not
 * there, not the caller's, or undone already.
 */
export async function undoFold(
  { core, works }: Pick<House, "core" | "works">,
  who: Who,
  id: string,
): Promise<Undone | undefined> {
  const folds = new Map<string, number>();
  for (const { session, fold } of await core.history.fold(id)) {
    if (fold.undoneAt !== undefined || (await core.history.session(session))?.root !== who.root)
      continue;
    const updated = await core.sessions.update(session, { undo: id });
    // What was distilled on top of it says what is said again.
    works.standsOn(session, updated?.folds.at(-1)?.id);
    for (const gone of updated?.undone ?? []) folds.set(gone.id, gone.upTo - (gone.from ?? 0));
  }
  if (folds.size === 0) return undefined;
  return {
    messages: [...folds.values()].reduce((sum, messages) => sum + messages, 0),
    folds: [...folds.keys()],
  };
}
