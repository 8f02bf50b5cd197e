/** A fold as it is listed. */
export interface FoldInfo {
  readonly id: string;
  readonly conversation: string;
  readonly label?: string;
  readonly at: number;
  /** How many messages its summary stands for. */
  readonly messages: number;
  /** Tokens of the whole request. */
  readonly before: number;
  readonly after: number;
  /** When its messages were brought back. */
  readonly undoneAt?: number;
}

/** One message as a fold met it. */
export interface Glance {
  /** Counted from 1, in the order the conversation was had. */
  readonly ordinal: number;
  readonly role: string;
  /** How it begins. */
  readonly words: string;
  /** Sent shortened when the fold was made; the whole stands in history. */
  readonly shortened?: true;
}

/**
 * What became of a conversation's messages in a fold. Each of them is in `kept` or in `dropped`.
 */
export interface FoldDiff {
  readonly fold: FoldInfo;
  /** Word for word, behind the summary. */
  readonly kept: readonly Glance[];
  /**
   * What the summary stands for. The first `earlier` of them an earlier fold had replaced before.
   */
  readonly dropped: readonly Glance[];
  readonly earlier: number;
  readonly remembered: {
    readonly summary: string;
    /** Memories distilled of the messages this fold replaced, as they stand now. */
    readonly memories: readonly {
      readonly id: string;
      readonly content: string;
      readonly scope: string;
      readonly kind: string;
      readonly category: string;
    }[];
    /** How many more there were: forgotten, expired or no longer true by now. */
    readonly gone: number;
    /**
     * What stood word for word beside the summary when the fold was made, and whether it is still
     * pinned.
     */
    readonly pins: readonly {
      readonly id: string;
      readonly text: string;
      readonly pinned: boolean;
    }[];
  };
  /** Counted over the whole request. */
  readonly tokens: { readonly before: number; readonly after: number };
}

export interface Undone {
  /** Messages that are sent word for word again with the next call. */
  readonly messages: number;
  /** The fold, and those that were made on top of it. */
  readonly folds: readonly string[];
}
