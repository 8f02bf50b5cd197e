import type { FoldInfo } from "../src/core/folds.ts";
import type { Memory, Hit } from "../src/core/memory.ts";
import type { TurnInfo } from "../src/core/turns.ts";
import type { ConversationInfo } from "../src/session/options/memory-and-history-api.ts";

export type { TurnInfo };
export type { FoldDiff, FoldInfo, Glance } from "../src/core/folds.ts";
export type { Category, Hit, Memory, Why } from "../src/core/memory.ts";
export type { Health } from "../src/session/options/data-api.ts";
export type { Brief, Proposal } from "../src/session/options/knowledge-api.ts";
export type { ForgottenUser, Stats } from "../src/session/options/memory-and-history-api.ts";

/** A list as the API answers it: `after` is there while more follows. */
export interface Items<T> {
  items: T[];
  after?: string;
}

export interface TurnSums {
  name: string;
  turns: number;
  read: number;
  written: number;
  cached: number;
  dollars: number;
  folds: number;
  ms: number;
}

/** A conversation with its newest turn. */
export type TalkInfo = ConversationInfo & { last?: TurnInfo };

export interface Said {
  position: number;
  role: string;
  at?: number;
  message: { role?: string; content?: unknown };
  /** Characters of its texts that were cut off. */
  left?: number;
}
export interface Messages {
  items: Said[];
  total: number;
  folds: FoldInfo[];
}

export interface Past {
  values: { memory: Memory; until?: number }[];
  said: { conversation: string; at: number; role: string; text: string; position: number }[];
  turns: TurnInfo[];
}

export interface Prompt {
  text: string;
  sections: { section: string; tokens: number }[];
  told: string[];
}

export interface PageFile {
  path: string;
  scope: string;
  digest: string;
  learnt?: [from: number, to: number][];
  text?: string;
}

export interface User {
  user: string;
  memories: number;
  conversations: number;
  updatedAt: number;
}

export interface Whoami {
  identity: Record<string, string>;
  write: boolean;
  host: boolean;
  scopes: string[];
  version: string;
}

export type Hits = Items<Hit>;
