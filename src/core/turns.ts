/** A turn that has ended. */
export interface TurnInfo {
  /** Ids rise, in whichever conversations. */
  readonly id: string;
  readonly conversation: string;
  /** When it ended, ms since epoch. */
  readonly at: number;
  readonly model?: string;
  /** Tokens of the request as it was sent, of how many there may be. */
  readonly used: number;
  readonly limit: number;
  readonly mark: "below" | "flush" | "compact" | "brim";
  /** Tokens of the call: read in all, of these from the provider's cache, and written. */
  readonly read: number;
  readonly cached: number;
  readonly written: number;
  /** Absent: the model's price is not known. */
  readonly dollars?: number;
  /** ms that `begin` took, and how many of them it waited for a summary. */
  readonly ms: number;
  readonly waited: number;
  /** The fold that was made in it. */
  readonly fold?: string;
  /** Ids of the memories that stood in the system text. */
  readonly told: readonly string[];
  /**
   * Memories that went with the user's new message; past turns as CONVERSATION#POSITION, by what
   * they say beside the best of them.
   */
  readonly recalled: readonly { readonly id: string; readonly score: number }[];
}

export type EndedTurn = Omit<TurnInfo, "id">;

/**
 * How words of ours go with a turn of the user's: as a system message behind it, as one that is
 * shown until the user speaks again, or as a last text of that turn.
 */
export type Placement = "system" | "cleared" | "text";

/** A recall for one message of the user's, as it was sent with it. */
export interface Recalled {
  /** The entry's chain: an edited message has nothing recalled yet. */
  readonly chain: string;
  readonly text: string;
  readonly tokens: number;
  readonly as: Placement;
  /** Ids and scores of what is in it. */
  readonly hits?: TurnInfo["recalled"];
}
