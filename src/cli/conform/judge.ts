/** What became of the canaries, in their order. */
export interface Survived {
  readonly folds: number;
  /** Tokens of a request before and after a fold, on average. */
  readonly before: number;
  readonly after: number;
  /** Requests a provider would have refused. */
  readonly invalid: number;
  /** Where the first of them was, and what was wrong with it. */
  readonly refused?: string;
  /** The last one was refused, so nothing in it can be answered from. */
  readonly stuck: boolean;
  /** A fold came before all canaries were planted. */
  readonly early: boolean;
  readonly inPrompt: readonly boolean[];
  readonly inSearch?: readonly boolean[];
  /** In the request that asks for it, with `recall: {}`. */
  readonly inAsked?: readonly boolean[];
}
