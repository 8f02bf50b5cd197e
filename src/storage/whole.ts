import type { Scope } from "../core/identity.ts";

/** A row of what is true, as a copy or an archive holds it. */
export interface TableRow {
  readonly table: string;
  readonly row: Readonly<Record<string, unknown>>;
}

/** Conversations, pins and sums of these roots, memories of these scopes. */
export interface Owned {
  readonly isOwn: (root: string) => boolean;
  readonly scopes: readonly Scope[];
}

export interface Owner {
  readonly scope: Scope;
  readonly memories: number;
  readonly conversations: number;
  /** The last time something of theirs changed, ms since epoch. */
  readonly updatedAt: number;
}

/** As it stands at one moment. */
export interface Held {
  /** In portions of which none needs a later one. */
  rows(): AsyncIterable<TableRow[]>;
  /** Pages, where they are rows. */
  files?(): AsyncIterable<{ readonly file: string; readonly text: string }>;
}

/** A storage as a whole, for archives and moves, and for all that is one user's. */
export interface Whole {
  /** As errors name it: a file, or a server without its password. */
  readonly where: string;
  /** The latest first; a conversation is of its user, else of its agent. */
  owners(now: number): Promise<Owner[]>;
  conversations(
    isOwn: Owned["isOwn"],
  ): Promise<{ readonly sessions: readonly string[]; readonly messages: number }>;
  /** Absent: all of it. */
  reading<T>(of: Owned | undefined, work: (held: Held) => Promise<T>): Promise<T>;
  /**
   * Puts rows in, and answers those that were new. A conversation or memory that is there stays as
   * it is, and so does a memory whose key or words another has.
   */
  take(rows: readonly TableRow[]): Promise<TableRow[]>;
  /**
   * Deletes what is left of a scope and of roots when their memories, conversations and turns are
   * gone: pins, sums, names, words.
   */
  forgetNames(of: { readonly scope: Scope; readonly isOwn: Owned["isOwn"] }): Promise<void>;
}
