import type { Scope } from "../core/identity.ts";
import type { Origin, Stored, ValueName } from "../core/memory.ts";
import type { MemoryKind } from "../core/memory-kinds.ts";

/** A paragraph, a bullet, a block of code: what a search shows. */
export interface Passage {
  /** The headings above it, outermost first. */
  readonly heading: string;
  readonly text: string;
}

/**
 * A part of a page, at most 2,000 characters of text: what is found, and later embedded, as one.
 */
export interface PageChunk {
  readonly passages: readonly Passage[];
}

export interface IndexedPage {
  readonly scope: Scope;
  /** From the root of the workspace. */
  readonly path: string;
  readonly kind: string;
  /** Changes when the file does. */
  readonly stamp: string;
  readonly chunks: readonly PageChunk[];
}

/** A word that is looked for. An `open` one also stands for the words that begin with it. */
export interface PageTerm {
  readonly term: string;
  readonly open: boolean;
}

/** A term that begins so holds it, or the term itself. */
export interface BegunWord {
  readonly start: string;
  readonly term: string;
}

export interface FoundChunk extends Pick<IndexedPage, "scope" | "path" | "kind"> {
  /**
   * Terms as `terms` of tidemark/contracts gives them, a blank between two, the heading's first.
   */
  readonly passages: readonly (Passage & { readonly terms: string })[];
  /** The sum of the weights of the terms it holds; 0 where none were asked. */
  readonly weight: number;
}

export interface NearChunk extends FoundChunk {
  /** -1…1, exact. */
  readonly cosine: number;
}

export type PageStamp = Pick<IndexedPage, "path" | "stamp">;

/** A value with the terms of its content, as `terms` of tidemark/contracts gives them. */
export interface Candidate extends Stored {
  readonly terms: readonly string[];
}

export interface Near extends Candidate {
  /** -1…1, exact. */
  readonly cosine: number;
}

/**
 * Recall is narrowed by these. `now` decides what has expired. `asOf` asks for the values that held
 * then, and had not expired then.
 */
export interface Narrowing extends Scoped {
  readonly now: number;
  readonly asOf?: number;
  /** By words: values that ended or expired too, whenever they held. */
  readonly ever?: boolean;
  readonly category?: string;
  readonly kind?: MemoryKind;
  readonly limit: number;
}

/** Values that have not expired. */
export interface Listing extends Narrowing {
  /** Only what was last changed after this moment. */
  readonly after?: number;
  readonly origins?: readonly Origin[];
  /** Highest first, ties by id; "used": the most uses. */
  readonly order: "updated" | "stated" | "importance" | "used";
  /** Only what stands behind this one in the order. */
  readonly behind?: { readonly value: number; readonly id: string };
  /** Only what holds all of these; only who is a `Storage` is asked for them. */
  readonly words?: readonly BegunWord[];
}

/** By which values go in that order. */
export const LISTED_BY: Readonly<Record<Listing["order"], (row: Stored) => number>> = {
  updated: ({ memory }) => memory.updatedAt,
  stated: ({ statedAt }) => statedAt,
  importance: ({ memory }) => memory.importance,
  used: ({ memory }) => memory.uses,
};

interface Scoped {
  readonly scopes: readonly Scope[];
}
interface Rooted {
  readonly root: string;
}

export interface WeightedTerm {
  readonly term: string;
  readonly weight: number;
}

/** A holder of any of the other terms counts as a holder of the term; once, whatever it holds. */
export interface WeightedChoice extends WeightedTerm {
  readonly or?: readonly string[];
}

/** How common terms are among what the reader may see. */
export interface Frequencies {
  readonly documents: number;
  /** How many documents hold each term asked for, in the order asked. */
  readonly holding: readonly number[];
}

export interface CategoryWords extends Frequencies {
  readonly category: string;
}

/** Questions about the words of each index, and what is answered. */
export interface Counted {
  /** Current memories; with `past`, values that no longer hold count among `holding` as well. */
  memories: [
    asked: Scoped & {
      readonly terms: readonly string[];
      readonly past?: boolean;
    },
    told: Frequencies,
  ];
  /**
   * Of the 60 current values of the scope that changed last: each category with values that have
   * any of the terms (`queryTerms` of tidemark/contracts); `sorted` ones do not count.
   */
  categories: [
    asked: { readonly scope: Scope; readonly terms: readonly string[] },
    told: CategoryWords[],
  ];
  /** `besides`: a session whose turns hold nothing here; the other counts take them in. */
  turns: [
    asked: Rooted & {
      readonly terms: readonly string[];
      readonly besides?: string;
    },
    told: TurnFrequencies,
  ];
  /** In how many chunks each stands. */
  pages: [
    asked: Scoped & {
      readonly terms: readonly PageTerm[];
    },
    told: number[],
  ];
}

export interface WordStart extends Rooted {
  readonly start: string;
  readonly limit: number;
}
export interface HeldWord {
  readonly term: string;
  readonly holding: number;
}

/**
 * Holders of any of the terms, of pages `least` in all: greatest sum of weights first.
 */
export interface Weighed {
  /** Then what was stored last. */
  memories: [
    asked: Narrowing & {
      readonly terms: readonly WeightedChoice[];
      /** Terms too common to be looked for alone: a value that holds two of them is a candidate. */
      readonly together?: readonly WeightedTerm[];
    },
    told: Candidate[],
  ];
  /**
   * Then by number. A term that n turns hold counts 2n / (n + 1) times its weight; one of weight 0
   * is not looked for, only shown where it stands. `besides`: a session that is left out.
   */
  turns: [
    asked: Rooted & {
      readonly terms: readonly WeightedTerm[];
      readonly limit: number;
      readonly besides?: string;
    },
    told: Stretch[],
  ];
  /** Then the newest. */
  pages: [
    asked: Scoped & {
      readonly terms: readonly (PageTerm & WeightedTerm)[];
      readonly least: number;
      readonly limit: number;
    },
    told: FoundChunk[],
  ];
}

/** The neighbours of a vector, the nearest first. */
export interface Nearest {
  /** Ties by id. */
  memories: [asked: Narrowing & { readonly vector: Float32Array }, told: Near[]];
  pages: [
    asked: Scoped & {
      readonly vector: Float32Array;
      readonly limit: number;
    },
    told: NearChunk[],
  ];
  /** Cosines are reckoned from signs. */
  turns: [
    asked: Rooted & { readonly vector: Float32Array; readonly limit: number },
    told: (TurnKey & { readonly cosine: number })[],
  ];
}

/** Texts of every scope that have no vector of the model in use, the first stored first. */
export interface Missing {
  memories: [limit: number, told: (ValueName & { readonly content: string })[]];
  /** Chunks; of conversations none, which are found by their words. */
  pages: [limit: number, told: { readonly chunk: number; readonly content: string }[]];
  /** In the order of their places. */
  turns: [limit: number, told: (TurnKey & { readonly content: string })[]];
}

/**
 * Vectors of one model at a time; those of two are never compared. A vector goes with its value or
 * chunk.
 */
export interface VectorIndex {
  /**
   * From now on only vectors of this model are stored and found; answers what was noted of it
   * before, or is now. Vectors of another model stay, unfound, until their texts are embedded anew.
   * Each process asks it first: which model was in use need not outlive one.
   */
  use(
    model: { readonly name: string; readonly dimensions: number },
    notes?: string,
  ): Promise<string | undefined>;
  missing<In extends keyof Missing>(of: In, limit: number): Promise<Missing[In][1]>;
  nearest<In extends keyof Nearest>(of: In, asked: Nearest[In][0]): Promise<Nearest[In][1]>;
  /** The cosine of each value, in the order asked; undefined without a vector or out of scope. */
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
}

/**
 * Neighbouring turns of one conversation, in order, as the index knows them without reading their
 * texts. A conversation is cut into stretches where it grows longer than STRETCH, or where PAUSE or
 * more passes between two turns.
 */
export interface Stretch {
  readonly number: number;
  /** When its first turn was said. */
  readonly at: number;
  /** Its first turn begins a conversation, or goes on with one after a pause. */
  readonly opens: boolean;
  /** How many stretches of the root began later; counted up to LATER. */
  readonly later: number;
  /** Words of each turn, stop words too. */
  readonly lengths: Uint16Array;
  /** Signs of each turn, as `cuesOf` of tidemark/contracts gives them. */
  readonly cues: Uint16Array;
  /** Which turns hold each term asked for, in the order asked: 2^i stands for the i-th turn. */
  readonly places: readonly number[];
}

/** Names a turn without its text. */
export interface TurnKey {
  readonly stretch: number;
  readonly place: number;
}

/** The same among the turns of a root. */
export interface TurnFrequencies extends Frequencies {
  /** Counted over all turns. */
  readonly words: number;
  readonly stretches: number;
}
