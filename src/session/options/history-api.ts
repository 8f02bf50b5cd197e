import type { ImportedConversation } from "../../conversations/import.ts";
import type { FoldDiff, FoldInfo, Undone } from "../../core/folds.ts";
import type { Moment } from "../../core/memory.ts";
import type { Message, Purpose, Spent } from "../../core/request.ts";
import type { TurnInfo } from "../../core/turns.ts";

export interface ConversationInfo {
  readonly id: string;
  readonly label?: string;
  readonly messages: number;
  /** When it began, and when it last went on, ms since epoch. */
  readonly at: number;
  readonly updatedAt: number;
  readonly folds: number;
}

/**
 * Every message, word for word, of one identity. Rejects with "history" where the file cannot be
 * read or written.
 */
export interface HistoryApi {
  /**
   * A past conversation; again with the same id adds what is new, and puts what was changed in its
   * place. Answers how many messages that were. It is learnt from behind, unless `learn` is false.
   * Rejects with "config".
   *
   * @example
   * const messages = [{ role: "user", text: "Hello!", at: "2026-05-01T09:00Z" }];
   * await tidemark.history.import({ id: "chat-17", messages });
   */
  import(conversation: ImportedConversation): Promise<number>;
  /**
   * Word for word: of a fold as its messages were shown then, of a conversation as they are shown
   * now. `earlier`: what stood at a place before, a message in another form or a reply that was
   * made anew. Of an unknown id: no messages. `from`, `limit`: only so many messages from that
   * position on, and the place of each in place of what was `earlier`.
   *
   * @example
   * const { messages } = await tidemark.history.read({ fold: turn.folded.id });
   */
  read(which: { fold: string } | { conversation: string; from?: number; limit?: number }): Promise<{
    messages: Message[];
    earlier?: { at: number; message: Message }[];
    places?: { position: number; role: string; at: number }[];
  }>;
  /**
   * The turns of a conversation that have ended, the latest first, at most `limit` (100), behind
   * `after`, the id of the last one seen. The latest 10,000 are kept. Rejects with "config".
   *
   * @example
   * for (const { used, limit, told } of await tidemark.history.turns("desk")) console.log(used);
   */
  turns(conversation: string, options?: { after?: string; limit?: number }): Promise<TurnInfo[]>;
  /**
   * The conversations, the latest first, at most `limit` (all), or those that an id or a label of
   * the host's names.
   *
   * @example
   * for (const { id, messages } of await tidemark.history.list()) console.log(id, messages);
   */
  list(which?: { conversation?: string; limit?: number }): Promise<ConversationInfo[]>;
  /**
   * Deletes conversations for good, from backups too; answers how many went.
   *
   * @example
   * await tidemark.history.forget({ before: "2026-01-01T00:00Z" });
   */
  forget(which: { conversation: string } | { before: Moment }): Promise<number>;
  /**
   * The folds that were made, the latest first.
   *
   * @example
   * const [latest] = await tidemark.history.folds();
   */
  folds(which?: { conversation?: string }): Promise<FoldInfo[]>;
  /**
   * What a fold kept, dropped and remembered, and where; undefined for one that is not there. Sizes
   * are in tokens.
   *
   * @example
   * const diff = await tidemark.history.diff(turn.folded.id);
   */
  diff(fold: string): Promise<FoldDiff | undefined>;
  /**
   * Brings a fold's messages back for the next call, with those of the folds made on top of it;
   * undefined when there is nothing to bring back.
   *
   * @example
   * await tidemark.history.undo(turn.folded.id);
   */
  undo(fold: string): Promise<Undone | undefined>;
}

export interface Stats {
  readonly conversations: number;
  /** Each once, in however many conversations it stands: branches share what they began with. */
  readonly messages: number;
  readonly folds: number;
  readonly memories: number;
  /** Distillings waiting to be done again. */
  readonly queued: number;
  /**
   * Calls of models since the workspace was made, by purpose: those of forgotten conversations
   * too, and embedding with the identity that opened.
   */
  readonly calls: Readonly<Record<Purpose, Spent>>;
  /** Sums of the turns that are kept; only where `since` or `by` is given. */
  readonly turns?: readonly TurnSums[];
}

export interface StatsOptions {
  /** Only turns from this moment on. */
  since?: Moment;
  /** What turns are summed by. Default "day". */
  by?: "day" | "model" | "conversation";
}

/** Turns of a day, a model ("" for none) or a conversation, by its id. */
export interface TurnSums {
  readonly name: string;
  readonly turns: number;
  /** Tokens, as a turn has them. */
  readonly read: number;
  readonly cached: number;
  readonly written: number;
  /** Dollars of those whose price is known. */
  readonly dollars: number;
  readonly folds: number;
  /** The median of the ms that `begin` took. */
  readonly ms: number;
}
