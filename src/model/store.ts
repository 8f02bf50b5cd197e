import type { Change, Debt, OwedDebt, Stored } from "./changes.ts";
import type { HistoryStore } from "./history-store.ts";
import type { Scope } from "./identity.ts";
import type { MemoryKind, Origin } from "./memory.ts";
import type { PageIndex, PageVectors } from "./page-index.ts";
import type { TurnIndex } from "./turns.ts";

export type { Change, Debt, OwedDebt, Stored } from "./changes.ts";
export { type TurnIndex, type TurnRow } from "./turns.ts";

/** A value as it is kept, current or past. */
export interface KeptValue {
  readonly stored: Stored;
  /** Set on what no longer holds. */
  readonly until?: number;
}

/** A value with the terms of its content, as `terms` of tidemark/contracts gives them. */
export interface Candidate extends Stored {
  readonly terms: readonly string[];
}

/** How common terms are among what the reader may see. */
export interface Frequencies {
  readonly documents: number;
  /** How many documents hold each term asked for, in the order asked. */
  readonly holding: readonly number[];
}

export interface WeightedTerm {
  readonly term: string;
  readonly weight: number;
}

/** The words of a category's members in one scope. */
export interface CategoryWords {
  readonly category: string;
  readonly members: number;
  /** How many members hold each term asked for, in the order asked. */
  readonly holding: readonly number[];
}

/**
 * What recall narrows by. `now` decides what has expired. `asOf` asks for the values that held
 * then, and had not expired then.
 */
export interface Narrowing {
  readonly scopes: readonly Scope[];
  readonly now: number;
  readonly asOf?: number;
  readonly category?: string;
  readonly kind?: MemoryKind;
  readonly limit: number;
}

export interface CandidateQuery extends Narrowing {
  readonly terms: readonly WeightedTerm[];
  /** Terms too common to be looked for alone: a value that holds two of them is a candidate. */
  readonly together?: readonly WeightedTerm[];
  /** A value whose terms weigh less in all is none. */
  readonly least?: number;
}

export type Listing = Omit<Narrowing, "asOf"> & {
  /** Only what was last changed after this moment. */
  readonly after?: number;
  readonly origins?: readonly Origin[];
  /** Highest first, ties by id; "used": the most uses. Default "updated". */
  readonly order?: "updated" | "stated" | "importance" | "used";
};

/** A named member must match; where none is named, nothing matches. */
export interface Target {
  readonly scopes: readonly Scope[];
  readonly id?: string;
  readonly key?: string;
  readonly source?: string;
}

/** Vectors of two models are never compared. */
interface VectorModel {
  readonly name: string;
  readonly dimensions: number;
}

/** A value of a memory. */
export type ValueName = { readonly id: string; readonly version: number };

export interface Near extends Candidate {
  /** -1…1, exact. */
  readonly cosine: number;
}

/**
 * What memories mean, as vectors of one model at a time. Which vectors are near is found among the
 * reader's scopes only.
 */
export interface VectorIndex {
  /**
   * From now on only vectors of this model are stored and found; answers what was noted of it
   * before. Vectors of another model stay where they are, unfound, until their memories are
   * embedded anew. Each process asks it first: which model was in use need not outlive one.
   */
  use(model: VectorModel): Promise<string | undefined>;
  note(notes: string): Promise<void>;
  /**
   * Vectors of current values; of one that is no longer current nothing is stored. A vector goes
   * with its value: where that was removed or restored, it has none. Rejects with "embed" for
   * another number of dimensions.
   */
  put(vectors: readonly (ValueName & { readonly vector: Float32Array })[]): Promise<void>;
  /** Current values of every scope that have no vector of the model in use, first saved first. */
  missing(limit: number): Promise<(ValueName & { readonly content: string })[]>;
  /** Nearest first, ties by id. */
  nearest(query: Narrowing & { readonly vector: Float32Array }): Promise<Near[]>;
  /**
   * The cosine of each value, in the order asked; undefined for one that has no vector or is out of
   * scope.
   */
  cosines(
    values: readonly ValueName[],
    scopes: readonly Scope[],
    vector: Float32Array,
  ): Promise<(number | undefined)[]>;
  /**
   * Vectors of some memories of the scopes, spread evenly over them in the order in which they
   * came; of pages where memories are few.
   */
  sample(scopes: readonly Scope[], limit: number): Promise<Float32Array[]>;
  /** Left out: pages are found by words alone. */
  readonly pages?: PageVectors;
  /**
   * A slice of housekeeping, short enough not to be noticed. False when there was nothing to do.
   */
  tend(): Promise<boolean>;
}

/**
 * The values of memories. What a reader may see (scopes) is part of each question, never a filter
 * on its answer.
 */
export interface MemoryValues {
  /**
   * One transaction, all or none. False, and nothing is stored, when the store is no longer what
   * the plan was made on: a version is another, a current memory has the id of an insert, or one of
   * the scope has the key or, of an insert, the words (`same`) and either of the two no key. Uses
   * counted meanwhile are kept. `debts` are owed from then on; a page is owed once.
   */
  put(changes: readonly Change[], debts?: readonly Debt[]): Promise<boolean>;
  /** Resolves when all that was put before survives a power cut; of many at once, together. */
  durable(): Promise<void>;
  /** The current value, expired or not. */
  get(id: string, scopes: readonly Scope[]): Promise<Stored | undefined>;
  byKey(key: string, scope: Scope): Promise<Stored | undefined>;
  /** Current values with this digest of content, the first stored first. */
  same(digest: string, scopes: readonly Scope[]): Promise<Stored[]>;
  /**
   * Of each memory the newest of the values that match all that is named, each by itself; in no
   * order. What forgetting takes away, superseded and expired too.
   */
  find(target: Target): Promise<Stored[]>;
  list(listing: Listing): Promise<Stored[]>;
  /** One more use of each. */
  used(ids: readonly string[], scopes: readonly Scope[], at: number): Promise<void>;
  /** Every value of these memories, for good, and lines owed on them. How many memories went. */
  remove(
    ids: readonly string[],
    scopes: readonly Scope[],
    debts?: readonly Debt[],
  ): Promise<number>;
  /**
   * Memories of every scope whose current value has expired by `now`, each with all its values; an
   * ended one stays. How many went.
   */
  removeExpired(now: number, debts?: readonly Debt[]): Promise<number>;
  /** All that is owed, in the order in which it came to be. */
  debts(): Promise<OwedDebt[]>;
  paid(debts: readonly OwedDebt[]): Promise<void>;
  /**
   * Every value of every memory of the scopes, of all scopes when none are named, or of these ids;
   * by id and version. Read page by page: `after` is the last one seen.
   */
  values(page: {
    readonly scopes?: readonly Scope[];
    readonly ids?: readonly string[];
    readonly after?: ValueName;
    readonly limit: number;
  }): Promise<KeptValue[]>;
  /**
   * One transaction: whatever was kept of these ids is gone, in the scopes named or in all, and
   * these values stand in its place. Of two current values of one memory, in two scopes, the later
   * version stays; the other ends where that begins, but not before it began itself.
   */
  restore(
    ids: readonly string[],
    values: readonly KeptValue[],
    scopes?: readonly Scope[],
    debts?: readonly Debt[],
  ): Promise<void>;
  /** How many memories of the scopes have a current value that has not expired. */
  count(scopes: readonly Scope[], now: number): Promise<number>;
  /** A text that was kept under a name, as how a page was written last. */
  note(name: string): Promise<string | undefined>;
  /** Undefined takes it away. */
  keepNote(name: string, text: string | undefined): Promise<void>;
}

/** The words of memories. It fetches; one pure ranker above it decides. */
export interface MemoryWords {
  /**
   * `documents` are current memories; with `past`, values that no longer hold count among `holding`
   * as well.
   */
  frequencies(
    scopes: readonly Scope[],
    terms: readonly string[],
    past?: boolean,
  ): Promise<Frequencies>;
  /** Words of current values that begin so, first by letters. */
  beginning(scopes: readonly Scope[], start: string, limit: number): Promise<string[]>;
  /**
   * Every category of the scope that has current values with any of the terms among the
   * `queryTerms` (of tidemark/contracts) of their content; `sorted` ones do not count.
   */
  categories(scope: Scope, terms: readonly string[]): Promise<CategoryWords[]>;
  /**
   * Values that hold any of the terms, greatest sum of weights first, then what was stored last.
   */
  candidates(query: CandidateQuery): Promise<Candidate[]>;
  /** Values that hold the text as it stands, letter case aside, the newest first. */
  containing(query: Narrowing & { readonly text: string }): Promise<Candidate[]>;
}

/** Memories, searchable turns and pages. All methods reject with TidemarkError "store". */
export interface Store extends MemoryValues, MemoryWords {
  readonly turns: TurnIndex;
  readonly pages: PageIndex;
  readonly vectors: VectorIndex;
  close(): Promise<void>;
}

/**
 * All that a workspace keeps outside its Markdown folder, for `openTidemark({ store })`. Each part
 * is one port; `tidemark/contracts` has the tests that every implementation passes. Of what is
 * removed or forgotten no byte stays, in no log and no free page either.
 */
export interface Stores {
  readonly memories: MemoryValues & MemoryWords;
  readonly turns: TurnIndex;
  readonly pages: PageIndex;
  /**
   * Of the memories and pages beside it, so of the same store as they. Left out: memories are found
   * by words alone.
   */
  readonly vectors?: VectorIndex;
  readonly history: HistoryStore;
  /** Called once, when Tidemark has closed; `history` is closed by its own. */
  close?(): Promise<void>;
}
