import { type Bounds } from "../model/history.ts";

/** All that decides a fold, in tokens and indexes of the conversation's messages. */
export interface FoldQuestion {
  /** Of each message as a fold would leave it; 0 for those that are folded already. */
  readonly sizes: readonly number[];
  /** May a tail start at this message. */
  readonly opens: (index: number) => boolean;
  readonly keepLast: number;
  /** The latest index a tail may start at that would start at `first` with `keepLast` messages (`leastTail`). */
  readonly least: (first: number) => number;
  /** System, tools and frozen sections as they will be after the fold. */
  readonly fixed: number;
  /** The message that would stand for all before this index: summary, request under way, pins. */
  readonly summary: (cut: number) => number;
  readonly limit: number;
  readonly used: number;
  /** Messages before this index are folded already; -1 when none were. */
  readonly folded: number;
  readonly atBrim: boolean;
  /** The brim as a fraction of the limit. */
  readonly brim: number;
  /** What a message weighs within bounds. */
  readonly shortened: (index: number, bound: Bounds) => number;
  /** What the last fold landed at: no second one without growth. */
  readonly landed?: number;
}

export type Shortening = ReadonlyMap<number, Bounds>;

export type FoldPlan =
  | {
      readonly kind: "fold";
      readonly cut: number;
      readonly landing: number;
      readonly shorten: Shortening;
    }
  | { readonly kind: "shorten"; readonly landing: number; readonly shorten: Shortening }
  | { readonly kind: "refuse"; readonly reason: string };
