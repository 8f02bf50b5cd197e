import { type Fold, type SessionState } from "../model/history.ts";

/**
 * What stands without a fold: those before it. A later one replaced its summary among other messages, so it goes too. All
 * messages are whole again, and which fold stands since is noted, so that nothing folds at once what was just brought back.
 */
export function withoutFold(
  folds: readonly Fold[],
  id: string | undefined,
): {
  standing: readonly Fold[];
  undone: readonly Fold[];
  back: Pick<SessionState, "shortened" | "undone">;
} {
  const at = id === undefined ? -1 : folds.findIndex((fold) => fold.id === id);
  if (at < 0) return { standing: folds, undone: [], back: {} };
  const standing = folds.slice(0, at);
  return {
    standing,
    undone: folds.slice(at),
    back: { shortened: {}, undone: { on: standing.at(-1)?.id ?? "" } },
  };
}
