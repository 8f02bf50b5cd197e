import { type Fold, type Job, type Learnt, type SessionState } from "../model/history.ts";
import { type LedgerLine } from "../model/ledger.ts";
import { type Conversation } from "./cache.ts";

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

/** Has another process folded since, or changed what is to be folded? */
export const isOvertaken = ({ folds, entries }: Conversation, { fold, on }: Update): boolean =>
  fold !== undefined &&
  on !== undefined &&
  (folds.at(-1)?.id !== on.fold || entries[fold.upTo - 1]?.chain !== on.chain);
