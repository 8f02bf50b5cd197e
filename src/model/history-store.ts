import type { SpentLine } from "./spent.ts";
import type { Message } from "./request.ts";
import type {
  Entry,
  Fold,
  Session,
  Job,
  Aside,
  Pin,
  Learnt,
  SessionChange,
  Keep,
} from "./history.ts";

/** Conversations: a change of one is one transaction. */
interface SessionTable {
  /** How messages are stored from now on. */
  readonly keeps: { readonly keep: Keep };
  /** False, and nothing is stored, when the session is no longer what the change was made from. */
  write(change: SessionChange): Promise<boolean>;
  session(id: string): Promise<Session | undefined>;
  entries(id: string): Promise<Entry[]>;
  /** Newest first; those of the label, or all where none is named. */
  sessions(root: string, label?: string): Promise<(Session & { length: number; folds: number })[]>;
  /**
   * Each place where one of these chains stands, deepest first, those at the end of their session
   * before others, then the latest; the first 24 will do.
   */
  byChain(chains: readonly string[]): Promise<{ session: string; position: number }[]>;
  /**
   * Sessions of the root that hold some of these digests of words, of the user's or archived
   * replies', those with most first, then the latest, 24 at most; those of the label, or those
   * without any where none is named. Where no words are asked for, the latest 8 of them.
   */
  bySaid(root: string, label: string | undefined, said: readonly string[]): Promise<string[]>;
  /** The prefix each thought was bound to when its reply was archived, in line or aside. */
  bindings(root: string, thoughts: readonly string[]): Promise<Map<string, string>>;
  /**
   * Conversations with messages nothing was taken from yet: the latest
   * first.
   */
  unnoted(root: string, limit: number): Promise<string[]>;
  /**
   * Messages of the root's sessions, each once: those that branches share, or a call that failed
   * and was made again.
   */
  messages(root: string): Promise<number>;
  /** Changes whenever another process wrote: what was cached must be read anew. */
  version(): number;
}

interface BodyTable {
  /**
   * Bodies at [from, to), each deep-equal to what was first seen; what was not kept is marked as
   * such.
   */
  bodies(
    id: string,
    from: number,
    to: number,
  ): Promise<{ body: Message; name?: string; ref?: string; at: number; role: string }[]>;
  /** In the order of their places, and there in the order they came. */
  asides(id: string, kind?: Aside["kind"]): Promise<Aside[]>;
  /**
   * Messages not yet in the search index: rows after the cursor, oldest first. `aside`: it stands
   * in no line, but beside it. Of these "condensed" and "form" are listed, and what gave way of
   * another role than assistant; never "cleared", nor a reply that was made anew. An aside has role
   * "", and is of its `at`.
   */
  unindexed(
    after: number,
    limit: number,
  ): Promise<
    {
      row: number;
      session: string;
      root: string;
      position: number;
      role: string;
      body: Message;
      name?: string;
      ref?: string;
      at: number;
      aside: boolean;
    }[]
  >;
}

/** Folds, and what was learnt from where. */
interface FoldTable {
  /**
   * Each session that holds the fold, the one that made it first: ids rise with time. Undone ones
   * too.
   */
  fold(id: string): Promise<{ session: string; fold: Fold }[]>;
  /** Those that stand, by `upTo`, then `at`. */
  folds(id: string): Promise<Fold[]>;
  /**
   * Every fold of the root, undone ones too, the latest first, then by session; one that branches
   * share is named once for each.
   */
  allFolds(root: string): Promise<{ session: string; fold: Fold }[]>;
  /**
   * What was learnt of any of the entries of [from, to), by `first`, then memory: a memory once,
   * from its least `first` to its greatest `last`.
   */
  learnt(session: string, from: number, to: number): Promise<Learnt[]>;
  /** Which sessions these memories were learnt in. */
  holders(memories: readonly string[]): Promise<{ memory: string; session: string }[]>;
}

/** Work that was left undone, for the next process. */
interface JobTable {
  /** All that waits, due or not: what may be done first comes first, then by id. */
  jobs(root: string): Promise<Job[]>;
  /**
   * Queues work under its id, or has it done sooner where it is not taken yet; false where it is
   * taken (it has attempts), or the session is gone.
   */
  queue(job: Job): Promise<boolean>;
  /** Takes queued work as it was read: false where another process was faster. */
  take(job: Job, next: Pick<Job, "attempts" | "notBefore">): Promise<boolean>;
}

/** Texts that stand in every fold. */
interface PinTable {
  /** Those of the root alone, and of the session where one is named; by id. */
  pins(root: string, session?: string): Promise<Pin[]>;
  /** Every pin of the root, and of which session if of one; by id. */
  allPins(root: string): Promise<(Pin & { session?: string })[]>;
  pin(root: string, session: string | undefined, pin: Pin): Promise<void>;
  unpin(root: string, id: string): Promise<boolean>;
}

interface SpentTable {
  /** The sums of a root, a line for each purpose. */
  spent(root: string): Promise<SpentLine[]>;
  /** Adds to them outside any session's change. */
  account(root: string, lines: readonly SpentLine[]): Promise<void>;
}

/**
 * Every message ever seen, verbatim unless it keeps less. Writes are one transaction each, all or
 * none, and reject with TidemarkError "history"; positions count from 0 in the order of first
 * sight.
 */
export interface HistoryStore
  extends SessionTable, BodyTable, FoldTable, JobTable, PinTable, SpentTable {
  /**
   * Removes sessions with all that is theirs, for good; what their calls have cost stays in the
   * sums.
   */
  forget(sessions: readonly string[]): Promise<void>;
  close(): Promise<void>;
}
