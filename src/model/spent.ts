import type { Usage } from "./ports.ts";

/**
 * The reason of a call: the caller's own turn; to distil; to mend a summary; a summary of the
 * provider's own; to read short sessions; to embed.
 */
export type Purpose = "turn" | "distil" | "read" | "embed";

/** Sums over calls: tokens by the provider's report, or by our own count where it reports none. */
export interface Spent extends Omit<Usage, "cacheWrite1h"> {
  readonly calls: number;
  /** Dollars of the calls whose model has a known price. */
  readonly dollars: number;
  /** Calls whose model has none. */
  readonly unpriced: number;
}

/** Sums of one purpose. */
export interface SpentLine {
  readonly purpose: Purpose;
  readonly spent: Spent;
}
