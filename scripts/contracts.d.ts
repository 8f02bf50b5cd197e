import type { Truth } from "./index.d.ts";
import type { QueryTerm } from "./core/text/terms.d.ts";

export type * from "./storage/port.d.ts";
export type * from "./storage/data-port.d.ts";
export type * from "./storage/files.d.ts";
export type * from "./storage/search-index.d.ts";
export type * from "./storage/whole.d.ts";
export type * from "./core/memory.d.ts";
export type * from "./storage/rows.d.ts";
export type * from "./core/history.d.ts";

/** A test runner that speaks as Vitest and Jest do: `import * as vitest from "vitest"`. */
export interface Runner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
  readonly expect: (value: unknown) => object;
  readonly beforeEach: (body: () => Promise<void>) => unknown;
  readonly afterEach: (body: () => Promise<void>) => unknown;
}

/**
 * The tests that every Storage for `openTidemark({ store })` passes. `open` makes a new and empty one for each test, which is
 * closed behind it. One without a search index is searched through one in memory. `vectors: false`, `data: false`: it has none. `again` opens anew what `open` made last, once that is closed: a storage that
 * outlives a process gives it.
 *
 * @example
 * import * as vitest from "vitest";
 * import { storageContract } from "tidemark/contracts";
 *
 * storageContract(vitest, "my storage", async () => myStorage(), { vectors: false });
 */
export function storageContract(
  runner: Runner,
  name: string,
  open: () => Promise<Truth>,
  options?: { vectors?: boolean; data?: boolean; again?: () => Promise<Truth> },
): void;

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
