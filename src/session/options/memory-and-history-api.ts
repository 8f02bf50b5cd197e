import type { ImportedConversation } from "../../conversations/import.ts";
import type { FoldDiff, FoldInfo, Undone } from "../../core/folds.ts";
import type { Moment } from "../../core/memory.ts";
import type { Message, Purpose, Spent } from "../../core/request.ts";
import type { ToolName, ToolNames } from "../../core/tool-names.ts";

export type * from "./memory-api.ts";

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
   * made anew. Of an unknown id: no messages.
   *
   * @example
   * const { messages } = await tidemark.history.read({ fold: turn.folded.id });
   */
  read(
    which: { fold: string } | { conversation: string },
  ): Promise<{ messages: Message[]; earlier?: { at: number; message: Message }[] }>;
  /**
   * The conversations, the latest first.
   *
   * @example
   * for (const { id, messages } of await tidemark.history.list()) console.log(id, messages);
   */
  list(): Promise<ConversationInfo[]>;
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

/** Counts of what is one user's. */
export interface ForgottenUser {
  readonly memories: number;
  /** Earlier values of memories. */
  readonly past: number;
  readonly conversations: number;
  readonly messages: number;
  /** Pages, notes, records and logs, with their backups. */
  readonly files: number;
  /** Backups that are made anew, and damaged files put aside, which go. */
  readonly copies: number;
}

/**
 * The users of a workspace, by name, with whichever agent. With `workspace: false`, and in stores
 * of your own without `whole`, each rejects with "capability".
 */
export interface UsersApi {
  /**
   * Those with whom something was remembered or talked about, the latest first.
   *
   * @example
   * for (const { user, memories } of await tidemark.users.list()) console.log(user, memories);
   */
  list(): Promise<{ user: string; memories: number; conversations: number; updatedAt: number }[]>;
  /**
   * What the user may see and nothing else, as lines of JSON that `tidemark import` takes, each
   * with its end: the user's conversations, and the memories and pages of the user and of the
   * default agent.
   * Rejects with "config", "store" or "workspace".
   *
   * @example
   * await writeFile("ada.jsonl", tidemark.users.export("ada"));
   */
  export(user: string): AsyncIterable<string>;
  /**
   * Deletes all of the user's for good: memories, conversations, pages, notes, records, logs, and
   * in backups; `dry` only counts it. End what the user does first, and other processes. Rejects
   * with "config", "store" or "workspace".
   *
   * @example
   * const { memories, conversations } = await tidemark.users.forget("ada");
   */
  forget(user: string, options?: { dry?: boolean }): Promise<ForgottenUser>;
}

export interface TidyReport {
  /** Memories whose time was over. */
  readonly expired: number;
  /** Distillings that had failed and were done now. */
  readonly caughtUp: number;
  /** The newest copy of history. */
  readonly backup?: string;
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
}

export interface ToolOptions {
  /** Only these. Default: all that fit `inject`. */
  only?: readonly ToolName[];
  /** Tokens one answer may have. Default 2,000. */
  tokens?: number;
  /**
   * What tools are called: each by its name here, or all as in "pynchy", "agent-swarm" or
   * "synthorg".
   */
  names?: ToolNames;
  /**
   * What the system text says of them, in place of our own words (120 tokens at most). false:
   * nothing.
   */
  guidance?: string | false;
}

export interface FoldOptions {
  signal?: AbortSignal;
}

export interface PinInfo {
  readonly id: string;
  readonly text: string;
  /** About as many as it takes in every folded request. */
  readonly tokens: number;
  /** The one it holds in; absent: in all of the identity. */
  readonly conversation?: string;
}

export type PinTarget = string | { message: Message };
