import type { Fold, Session, SessionState } from "../model/history.ts";
import { type SessionWrite, writeSession } from "./entries.ts";
import type { Conversation } from "./line.ts";
import type { History } from "./session-cache.ts";

export interface Update
  extends
    Pick<SessionWrite, "jobs" | "doneJobs" | "learnt" | "spent" | "memories" | "debts">,
    Partial<Pick<Session, "watermark" | "noted">> {
  /** As a function: made from what the session knows when it is written. */
  readonly state?:
    Partial<SessionState> | ((state: SessionState) => Partial<SessionState>) | undefined;
  readonly fold?: Fold;
  /**
   * What the fold was made on: the fold before it, and the chain at its end. Where either is
   * another by now, nothing is written.
   */
  readonly on?: { readonly fold: string | undefined; readonly chain: string | undefined };
  /** Takes back this fold, and with it those that were made on top of it. */
  readonly undo?: string;
}

/**
 * Changes what a session has learnt. What a fold takes away is on the disk before it comes, with
 * the watermark: so the turn that folds need not wait for the disk, and a power cut at that moment
 * leaves a conversation to fold again. Answers without the line: a call under way keeps to the one
 * it was placed on. `undone` are folds that stand no more;
 * `isOver`: what the fold was to be made on is another by now, and nothing was written.
 */
export async function updateSession(
  history: History,
  id: string,
  change: Update,
): Promise<
  | (Pick<Conversation, "session" | "folds"> & { undone: readonly Fold[]; isOver: boolean })
  | undefined
> {
  const conversation = await history.cache.load(id);
  if (!conversation) return undefined;
  const { session, entries, folds } = conversation;
  if (isOvertaken(conversation, change)) return { session, folds, undone: [], isOver: true };
  const { fold, watermark = 0, noted = 0, state: learns, undo, on: _, ...beside } = change;
  const at = folds.findIndex(({ id }) => id === undo);
  // A later one replaced the summary among other messages, so it goes too.
  const standing = at < 0 ? folds : folds.slice(0, at);
  const undone = folds.slice(standing.length);
  const gone = undone.length > 0;
  const { ready: _ready, ...standingState } = session.state;
  const next: Session = {
    ...session,
    watermark: Math.max(watermark, session.watermark),
    noted: Math.max(noted, session.noted),
    state: {
      // A summary that waited was taken by this fold, or was made on one that is gone.
      ...(fold || gone ? standingState : session.state),
      ...(typeof learns === "function" ? learns(session.state) : learns),
      // All messages are whole again, and what stands since is noted: nothing folds at once what
      // was just brought back.
      ...(gone ? { shortened: {}, undone: { on: standing.at(-1)?.id ?? "" } } : {}),
    },
    revision: session.revision + 1,
  };
  const result = { ...conversation, session: next, folds: fold ? [...standing, fold] : standing };
  await writeSession(history, result, {
    ...beside,
    from: entries.length,
    entries: [],
    folds: fold && [fold],
    durable: gone || change.watermark !== undefined || (change.memories ?? []).length > 0,
    undone: { folds: undone.map(({ id }) => id), at: history.now() },
  });
  return { session: next, folds: result.folds, undone, isOver: false };
}

/** Has another process folded since, or changed what is to be folded? */
const isOvertaken = ({ folds, entries }: Conversation, { fold, on }: Update): boolean =>
  fold !== undefined &&
  on !== undefined &&
  (folds.at(-1)?.id !== on.fold || entries[fold.upTo - 1]?.chain !== on.chain);
