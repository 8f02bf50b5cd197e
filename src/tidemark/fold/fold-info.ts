import { defined } from "../../model/defined.ts";
import { type FoldInfo } from "../../model/folds.ts";
import { type Fold, type Session } from "../../model/history.ts";
import { type Core, type Who } from "../core.ts";

export const foldInfo = (
  { id, at, messages, before, after, undoneAt }: Fold,
  { id: conversation, label }: Pick<Session, "id" | "label">,
): FoldInfo => ({
  ...{ id, conversation, at, messages, before, after },
  ...defined({ label, undoneAt }),
});

/** Every fold of the identity, or of one of its conversations; the latest first. A fold that branches share is one. */
export async function listFolds(
  core: Core,
  who: Who,
  { conversation }: { conversation?: string } = {},
): Promise<FoldInfo[]> {
  const sessions = new Map(
    (await core.history.sessions(who.root)).map((session) => [session.id, session]),
  );
  const wanted =
    conversation === undefined
      ? undefined
      : [...sessions.values()]
          .filter(({ id, label }) => id === conversation || label === conversation)
          .map(({ id }) => id);
  const seen = new Map<string, FoldInfo>();
  for (const { session, fold } of await core.history.allFolds(who.root)) {
    const its = sessions.get(session);
    if (!its || (wanted && !wanted.includes(session))) continue;
    const known = seen.get(fold.id);
    // It counts as undone where it stands nowhere any more.
    if (known === undefined || (known.undoneAt !== undefined && fold.undoneAt === undefined))
      seen.set(fold.id, foldInfo(fold, its));
  }
  return [...seen.values()];
}
