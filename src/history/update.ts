import { defined } from "../base/guards.ts";
import {
  type Fold,
  type Job,
  type Learnt,
  type Session,
  type SessionChange,
  type SessionState,
} from "../model/history.ts";
import { type LedgerLine } from "../model/ledger.ts";
import { type Conversation } from "./cache.ts";
import { withoutFold } from "./undone.ts";
import { type History, writeSession } from "./write.ts";

export interface Update {
  /** As a function: made from what the session knows when it is written. */
  readonly state?: Partial<SessionState> | ((state: SessionState) => Partial<SessionState>);
  readonly watermark?: number;
  readonly noted?: number;
  readonly fold?: Fold;
  /** What the fold was made on: the fold before it, and the chain at its end. Where either is another by now, nothing is written. */
  readonly on?: { readonly fold: string | undefined; readonly chain: string | undefined };
  /** Takes back this fold, and with it those that were made on top of it. */
  readonly undo?: string;
  readonly jobs?: readonly Job[];
  readonly doneJobs?: readonly string[];
  readonly learnt?: readonly Learnt[];
  readonly ledger?: readonly LedgerLine[];
}

/** A session after its update, without its line; `undone` are folds that stand no more. */
type Updated = Omit<Conversation, "entries"> & { readonly undone?: readonly Fold[] };

/**
 * Changes what a session has learnt. What a fold takes away is on the disk before it comes, with the watermark: so the turn
 * that folds need not wait for the disk, and a power cut at that moment leaves a conversation to fold again. Answers without the line: a call
 * under way keeps to the one it was placed on.
 */
export async function updateSession(
  history: History,
  id: string,
  change: Update,
): Promise<Updated | undefined> {
  const conversation = await history.cache.load(id);
  if (!conversation) return undefined;
  const { session, entries, folds } = conversation;
  if (isOvertaken(conversation, change)) return { session, folds };
  const { fold, jobs, doneJobs, learnt, ledger } = change;
  const { standing, undone, back } = withoutFold(folds, change.undo);
  const state = typeof change.state === "function" ? change.state(session.state) : change.state;
  const next: Session = {
    ...session,
    watermark: Math.max(change.watermark ?? 0, session.watermark),
    noted: Math.max(change.noted ?? 0, session.noted),
    state: { ...session.state, ...state, ...back },
    revision: session.revision + 1,
  };
  const result = { ...conversation, session: next, folds: fold ? [...standing, fold] : standing };
  const gone = undone.length > 0;
  await writeSession(history, result, {
    from: entries.length,
    entries: [],
    ...defined({
      folds: fold && [fold],
      durable: durabilityOf(change, gone),
      undone: gone ? { folds: undone.map((one) => one.id), at: history.now() } : undefined,
      jobs,
      doneJobs,
      learnt,
      ledger,
    }),
  });
  return { session: next, folds: result.folds, ...defined({ undone: gone ? undone : undefined }) };
}

function durabilityOf({ fold, watermark }: Update, undoes: boolean): SessionChange["durable"] {
  if (watermark !== undefined || undoes) return true;
  return fold === undefined ? undefined : "behind";
}

/** Has another process folded since, or changed what is to be folded? */
const isOvertaken = ({ folds, entries }: Conversation, { fold, on }: Update): boolean =>
  fold !== undefined &&
  on !== undefined &&
  (folds.at(-1)?.id !== on.fold || entries[fold.upTo - 1]?.chain !== on.chain);
