import type { Stores } from "./index.d.ts";
import type { QueryTerm } from "./text/terms.d.ts";

export type * from "./model/store.d.ts";
export type * from "./model/turns.d.ts";
export type * from "./model/page-index.d.ts";
export type * from "./model/history-store.d.ts";
export type * from "./model/history.d.ts";

/** A test runner that speaks as Vitest and Jest do: `import * as vitest from "vitest"`. */
export interface Runner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
  readonly expect: (value: unknown) => object;
  readonly beforeEach: (body: () => Promise<void>) => unknown;
  readonly afterEach: (body: () => Promise<void>) => unknown;
}

/**
 * The tests that every set of stores for `openTidemark({ store })` passes. `open` makes new and empty ones for each test,
 * which are closed behind it. `vectors: false`: they have none. `again` opens anew what `open` made last, once that is closed: stores
 * that outlive a process give it.
 *
 * @example
 * import * as vitest from "vitest";
 * import { storesContract, storesInMemory } from "tidemark/contracts";
 *
 * // A store of yours for memories; the other ports are Tidemark's own for now.
 * const open = async () => ({ ...storesInMemory(), memories: myMemories(), vectors: undefined });
 * storesContract(vitest, "my stores", open, { vectors: false });
 */
export function storesContract(
  runner: Runner,
  name: string,
  open: () => Promise<Stores>,
  options?: { vectors?: boolean; again?: () => Promise<Stores> },
): void;

/** Tidemark's own stores in memory, new and empty: put yours among them, one port at a time. */
export function storesInMemory(): Stores;

/** The terms that memories and pages are found by, in order, repeats included. */
export function terms(text: string): string[];

/** The distinct terms of a text that are no stop words. */
export function queryTerms(text: string): QueryTerm[];

/** What a turn is found by, and its length in words. */
export function turnTerms(turn: { name?: string; text: string }): {
  found: string[];
  length: number;
};

/** The signs of a turn, as a stretch's `cues` holds them. */
export function cuesOf(text: string, role: string): number;

/** Turns that a stretch holds at most. */
export const STRETCH: number;

/** The pause, in ms, behind which the next turn begins a stretch of its own. */
export const PAUSE: number;

/** How many later stretches are counted at most. */
export const LATER: number;
