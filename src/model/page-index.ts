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

export interface NearChunk extends FoundChunk {
  /** -1…1, exact. */
  readonly cosine: number;
}

/** Pages of a scope with their stamps, by path; another version when one came or went. */
export interface PageStamps {
  readonly version: string;
  readonly pages: readonly Pick<IndexedPage, "path" | "stamp">[];
}
