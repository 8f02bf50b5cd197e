import type { Scope } from "./identity.ts";

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

export interface FoundChunk extends Pick<IndexedPage, "scope" | "path" | "kind"> {
  /**
   * Terms as `terms` of tidemark/contracts gives them, a blank between two, the heading's first.
   */
  readonly passages: readonly (Passage & { readonly terms: string })[];
  /** The sum of the weights of the terms it holds; 0 where none were asked. */
  readonly weight: number;
}

/**
 * What chunks of pages mean, beside the vectors of memories: of the model in use there. What was
 * said in conversations is found by its words.
 */
export interface PageVectors {
  /**
   * Chunks of every scope that have no vector of the model in use, the earliest first; `content`
   * with its headings.
   */
  missing(limit: number): Promise<readonly { readonly chunk: number; readonly content: string }[]>;
  /**
   * Of a chunk that is gone nothing is stored. Rejects with "embed" for another number of
   * dimensions.
   */
  put(vectors: readonly { readonly chunk: number; readonly vector: Float32Array }[]): Promise<void>;
  /** Nearest first. */
  nearest(query: {
    readonly scopes: readonly Scope[];
    readonly vector: Float32Array;
    readonly limit: number;
  }): Promise<NearChunk[]>;
}

export interface NearChunk extends FoundChunk {
  /** -1…1, exact. */
  readonly cosine: number;
}

/**
 * The words of Markdown files: an index and no more, made anew from the files at any time. What a
 * reader may see (scopes) is part of each question. All methods reject with TidemarkError "store".
 */
export interface PageIndex {
  /** The pages of a scope with their stamps, as they were put last. */
  known(scope: Scope): Promise<readonly Pick<IndexedPage, "path" | "stamp">[]>;
  /**
   * Another text when a page of the scope came or went: what is known of them need not be read each
   * time.
   */
  version(scope: Scope): Promise<string>;
  /** One transaction, all or none. What was there of the same path is replaced. */
  put(pages: readonly IndexedPage[]): Promise<void>;
  /** Takes these paths, all of the scope when none are named. */
  remove(scope: Scope, paths?: readonly string[]): Promise<void>;
  /** How many chunks hold each term, in the order asked. */
  frequencies(scopes: readonly Scope[], terms: readonly PageTerm[]): Promise<number[]>;
  /** Chunks that hold any of the terms, `least` in all, greatest weight first, then the newest. */
  candidates(query: {
    readonly scopes: readonly Scope[];
    readonly terms: readonly (PageTerm & { readonly weight: number })[];
    readonly least: number;
    readonly limit: number;
  }): Promise<FoundChunk[]>;
  /**
   * Chunks of which a passage's text holds this one as it stands, the case of ASCII letters aside.
   */
  containing(query: {
    readonly scopes: readonly Scope[];
    readonly text: string;
    readonly limit: number;
  }): Promise<FoundChunk[]>;
}
