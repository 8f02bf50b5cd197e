import type {
  Aside,
  Entry,
  Fold,
  Job,
  Learnt,
  Pin,
  Session,
  SessionChange,
  StoredMessage,
  Unindexed,
} from "../core/history.ts";
import type { Dict } from "../core/base.ts";
import type { Scope } from "../core/identity.ts";
import type { Category, Change, Debt, OwedDebt, Stored, ValueName } from "../core/memory.ts";
import type { SpentLine } from "../core/request.ts";
import type { EndedTurn, TurnInfo } from "../core/turns.ts";
import type { DataChange, DataRows, DataSum, DataSums } from "./data-port.ts";
import type { Files } from "./files.ts";
import type { EndedAsked, FoldsAsked, SessionsAsked } from "./history-port.ts";
import type { Whole } from "./whole.ts";
import type { FoundTurn, TurnRow } from "./rows.ts";
import type {
  Counted,
  HeldWord,
  IndexedPage,
  Listing,
  PageStamp,
  TurnKey,
  VectorIndex,
  Weighed,
  WordStart,
} from "./search-index.ts";

/** A value as it is kept, current or past. */
export interface KeptValue {
  readonly stored: Stored;
  /** Set on what no longer holds. */
  readonly until?: number;
}

/**
 * Current values by what they are called or say, expired or not, in the order in which they were
 * stored. Each member that is named must match; where none is, nothing does.
 */
export interface LookUp {
  readonly scopes: readonly Scope[];
  readonly id?: string;
  readonly key?: string;
  readonly source?: string;
  /** The digest of the content. */
  readonly same?: string;
  /** Past ones too: of each memory the newest of the values that match all that is named. */
  readonly past?: boolean;
}

/** Values by id and version, page by page: `after` is the last one seen. */
export interface ValuePage {
  /** All scopes, and all memories, where none are named. */
  readonly scopes?: readonly Scope[];
  readonly ids?: readonly string[];
  readonly after?: ValueName;
  readonly limit: number;
}

/** With its entries and the folds that stand counted. */
export interface ListedSession extends Session {
  readonly length: number;
  readonly folds: number;
}

/** An identity has these beside its sessions. */
export interface Belongings {
  /** All that waits, due or not: what may be done first comes first, then by id. */
  readonly jobs: readonly Job[];
  /** By id; of which session, if of one. */
  readonly pins: readonly (Pin & { readonly session?: string })[];
  /** A line for each purpose. */
  readonly spent: readonly SpentLine[];
}

/** A change of what is stored: all that is named, or nothing. */
export interface Unit {
  readonly memories?: readonly Change[];
  readonly session?: SessionChange;
  /** Queued under its id, or sooner where it is not taken yet: it has attempts then. */
  readonly queued?: Job;
  /** Queued work that is taken, as it was read. */
  readonly taken?: { readonly job: Job; readonly next: Pick<Job, "attempts" | "notBefore"> };
  readonly pinned?: Pin & { readonly root: string; readonly session?: string | undefined };
  readonly unpinned?: { readonly root: string; readonly id: string };
  /** A turn of the session. Of each session the latest 10,000 are kept, or some more. */
  readonly ended?: EndedTurn;
  /** Added to the sums of a root. */
  readonly spent?: { readonly root: string; readonly lines: readonly SpentLine[] };
  /** Texts by name, as how a page was written last; undefined takes one away. */
  readonly notes?: Readonly<Record<string, string | undefined>>;
  /** Notes as they were read; undefined: there was none. */
  readonly unchanged?: Readonly<Record<string, string | undefined>>;
  readonly data?: DataChange;
  /** One more use of each memory, as far as it stands in these scopes. */
  readonly used?: {
    readonly ids: readonly string[];
    readonly scopes: readonly Scope[];
    readonly at: number;
  };
  readonly gone?: Gone;
  /** Views that are behind once this stands; a page is owed once. */
  readonly debts?: readonly Debt[];
  readonly paid?: readonly OwedDebt[];
  /** The same root and id again replaces the row. `read`: the last row of history in it. */
  readonly turns?: { readonly rows: readonly TurnRow[]; readonly read?: number };
  /** A page of the same path is replaced. */
  readonly pages?: readonly IndexedPage[];
  /**
   * Of what is no longer current or there nothing is stored. Rejects with "embed" for another
   * number of dimensions.
   */
  readonly vectors?: {
    readonly memories?: readonly (ValueName & { readonly vector: Float32Array })[];
    readonly pages?: readonly { readonly chunk: number; readonly vector: Float32Array }[];
    /** Only those of a stretch that follow, place by place, what it has. */
    readonly turns?: readonly (TurnKey & { readonly vector: Float32Array })[];
  };
}

/**
 * Taken away for good: no byte of it stays, in no log and no free page either. It may go part by
 * part, behind the rest.
 */
interface Gone {
  /**
   * Every value of these memories in the scopes, or in all where none are named; lines of the
   * day's log that are owed of them go too.
   */
  readonly memories?: { readonly ids: readonly string[]; readonly scopes?: readonly Scope[] };
  /** Memories whose current value has expired by then, with all their values; ended ones stay. */
  readonly expired?: number;
  /** With all that is theirs; what their calls have cost stays in the sums. */
  readonly sessions?: readonly string[];
  /** Their turns in the search index. */
  readonly turns?: readonly string[];
  /** All pages of the scope where no paths are named. */
  readonly pages?: { readonly scope: Scope; readonly paths?: readonly string[] };
}

/**
 * All that a workspace keeps outside its Markdown folder, for `openTidemark({ store })`:
 * `tidemark/contracts` has the tests that every implementation passes. What a reader may see
 * (scopes, or the root of an identity) is part of each question, never a filter on its answer.
 * Every method rejects with a TidemarkError, "history" for conversations and "store" for all else.
 * The parts `turns`, `pages` and `vectors` of a unit come only to who is a `Storage`.
 */
export interface Truth {
  /**
   * One transaction, all or none. False, and nothing is stored, when something is no longer what
   * the unit was made on:
   * - of a memory: a version is another, a current one has the id of an insert, or one of the scope
   *   has the key or, of an insert, the words (`same`) and either of the two no key;
   * - of a session: its revision is another, or its siblings are; a job that is done with changes
   *   of memory is no longer there;
   * - a job that is queued is taken, or its session gone; one that is taken is not as it was read;
   * - a pin or a row of data that is taken out is not there, or the row is not what it was;
   * - a note that is to be unchanged is another.
   *
   * `durable`: it, and all that was committed before, survives a power cut before the answer; else
   * the database's normal care.
   */
  commit(unit: Unit, how?: { readonly durable?: boolean }): Promise<boolean>;
  /** The debts of every scope, in the order in which they were owed. */
  debts(): Promise<OwedDebt[]>;
  find(which: LookUp | Listing): Promise<Stored[]>;
  /** By id and version. */
  values(page: ValuePage): Promise<KeptValue[]>;
  sessions(which: SessionsAsked): Promise<ListedSession[]>;
  entries(session: string): Promise<Entry[]>;
  /**
   * Messages at [from, to), each deep-equal to what was first seen; positions count from 0 in the
   * order of first sight.
   */
  bodies(session: string, from: number, to: number): Promise<StoredMessage[]>;
  /** In the order of their places, and there in the order they came. */
  asides(session: string, kind?: Aside["kind"]): Promise<Aside[]>;
  /** Each with a session that holds it. */
  folds(which: FoldsAsked): Promise<{ readonly session: string; readonly fold: Fold }[]>;
  /**
   * Of any of the entries of [from, to), by `first`, then memory: a memory once, from its least
   * `first` to its greatest `last`. Or of a memory, in each session of a root: the latest first; 24
   * will do.
   */
  learnt(
    of:
      | { readonly session: string; readonly from: number; readonly to: number }
      | { readonly root: string; readonly memory: string },
  ): Promise<Learnt[]>;
  /** The prefix each thought was bound to when its reply was archived, in line or aside. */
  bindings(root: string, thoughts: readonly string[]): Promise<Map<string, string>>;
  belongings(root: string): Promise<Belongings>;
  /**
   * How many memories of the scopes have a current value that has not expired, by category, most
   * first; and messages of the root's sessions, each once: those that branches share, or a call
   * that failed and was made again.
   */
  count(of: {
    readonly scopes: readonly Scope[];
    readonly now: number;
    readonly root: string;
  }): Promise<{ readonly categories: readonly Category[]; readonly messages: number }>;
  note(name: string): Promise<string | undefined>;
  /** Left out: no turns are told of. */
  ended?(asked: EndedAsked): Promise<TurnInfo[]>;
  /** Left out, and `dataSums` with it: there is no such data, and none is put in. */
  dataRows?(asked: DataRows): Promise<Dict[]>;
  /** The most rows first, then by the JSON of the value. */
  dataSums?(asked: DataSums): Promise<DataSum[]>;

  /**
   * Messages behind this row, the oldest first; where none is named, behind the last that was
   * `read` into the turns, which only a `Storage` knows.
   */
  unindexed(limit: number, after?: number): Promise<Unindexed[]>;

  /**
   * Tells caches what other processes committed: "all" where that cannot be told. What it answers
   * is awaited before something cached is used: by then `hear` was told of all that was committed
   * before.
   */
  others(hear: (what: "all") => void): () => Promise<void>;
  close(): Promise<void>;
}

/**
 * What is made from the truth and from pages, and can be made anew. A `Truth` without it is
 * searched through an index in memory that each process makes of it.
 */
export interface SearchIndex {
  frequencies<In extends keyof Counted>(of: In, asked: Counted[In][0]): Promise<Counted[In][1]>;
  /** Words of a root's turns that begin so, the most used first. */
  beginning(asked: WordStart): Promise<HeldWord[]>;
  candidates<In extends keyof Weighed>(of: In, asked: Weighed[In][0]): Promise<Weighed[In][1]>;
  /** In the order asked, with their words where these are wanted; what is gone is left out. */
  turns(root: string, keys: readonly TurnKey[], words?: boolean): Promise<FoundTurn[]>;
  /** Pages of a scope as they were put last, by path. */
  pages(scope: Scope): Promise<readonly PageStamp[]>;
  /** Left out: memories and pages are found by words alone. */
  readonly vectors?: VectorIndex;
}

export interface Storage extends Truth, SearchIndex {
  /** Left out: pages are files of a folder. */
  readonly files?: Files;
  /** Left out: it is not moved as a whole, and users are not told apart. */
  readonly whole?: Whole;
}

/** One that finds by meaning, too. */
export type VectorStorage = Storage & Required<Pick<Storage, "vectors">>;
