import type { Level } from "../../core/identity.ts";
import type { Message } from "../../core/request.ts";
import type { Archived } from "../../memory/saving/consolidate.ts";
import type { ToolName, ToolNames } from "../../core/tool-names.ts";

export type * from "./memory-api.ts";
export type * from "./history-api.ts";

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
  /** Memories that others say, or that are too many: past, and not lost. */
  readonly archived: readonly Archived[];
  /** Distillings that had failed and were done now. */
  readonly caughtUp: number;
  /**
   * The identity's, from before its level (option `levels`) was given; nothing of it is deleted,
   * nor read. Absent: there is none.
   */
  readonly beyond?: {
    readonly level: Level;
    readonly memories: number;
    readonly conversations: number;
  };
  /** The newest copy of history. */
  readonly backup?: string;
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
