import type { Scope } from "./identity.ts";

/** A moment: ms since epoch, a Date, or ISO 8601 with a zone. Leaves as integer ms. */
export type Moment = number | Date | string;

export const KINDS = ["fact", "learning", "record", "procedure", "episode", "policy"] as const;
export type MemoryKind = (typeof KINDS)[number];

/** One remembered thing. Times are integer ms since epoch; importance is 0…1. */
export interface Memory {
  readonly id: string;
  readonly content: string;
  readonly scope: Scope;
  readonly kind: MemoryKind;
  readonly category: string;
  readonly key?: string;
  readonly importance: number;
  /**
   * Which process made it: "manual", "distilled", "task_completion", … decides how long it lives.
   */
  readonly source: string;
  readonly origin: Origin;
  readonly tags: readonly string[];
  readonly at: number;
  readonly updatedAt: number;
  readonly expiresAt?: number;
  readonly uses: number;
  readonly version: number;
}

/** The source of what a lead has told an agent or its team; only `memory.inject` gives it. */
export const LEAD_SOURCE = "lead";

export const placeInFiles = ({ ref = "", heading = "" }: Hit): string =>
  heading === "" ? ref : `${ref} › ${heading}`;

/** The voice its reader is told: the lead's, or its origin. */
export const voiceOf = ({ source, origin }: Memory): string =>
  source === LEAD_SOURCE ? "lead" : origin;

export interface SaveInput {
  content: string;
  key?: string;
  category?: string;
  kind?: MemoryKind;
  scope?: string;
  /** 0…1, default 0.5. */
  importance?: number;
  source?: string;
  tags?: readonly string[];
  at?: Moment;
  /**
   * When it ends: found no more from then on. Default: as long as its category, kind or source
   * lives.
   */
  until?: Moment;
}

export const LEAD_CATEGORIES = [
  "mistake-pattern",
  "best-practice",
  "codebase-knowledge",
  "preference",
] as const;

/** A lead tells this to an agent of its team, or to a scope of its own. */
export interface InjectInput {
  to: Scope;
  content: string;
  /** "mistake-pattern", "best-practice", "codebase-knowledge" or "preference". */
  category?: string;
}

/** How much each part said for a hit, each 0…1. */
export interface Why {
  readonly words: number;
  readonly meaning: number;
  readonly recency: number;
  readonly use: number;
  readonly importance: number;
}

export interface Hit {
  readonly id: string;
  readonly from: "memory" | "files" | "history";
  /** The text as it was saved, written or said; a long passage in part. */
  readonly content: string;
  /** The same by its first name. */
  readonly text: string;
  /** Absolute, 0…1: unrelated memories do not move it. */
  readonly score: number;
  readonly why: Why;
  /** The host's own reference of an imported turn, or a file's path. */
  readonly ref?: string;
  /** A file's headings above the passage, outermost first. */
  readonly heading?: string;
  readonly memory?: Memory;
  /** A fact has the door that saved it, a turn its conversation, a file "file_index". */
  readonly source: string;
  /**
   * Of a turn: who spoke. "tool" where any of it is what a tool answered, which is not vouched for.
   */
  readonly role?: string;
  /** A turn has the time it was said, ms since epoch. */
  readonly at?: number;
}

export interface RecallOptions {
  limit?: number;
  category?: string;
  kind?: MemoryKind;
  scope?: string;
  /** Upper bound of the hits' texts together. */
  tokens?: number;
  asOf?: Moment;
}

export interface SearchOptions {
  limit?: number;
  in?: readonly ("memory" | "files" | "history")[];
}

export interface ListOptions {
  limit?: number;
  scope?: string;
  category?: string;
  kind?: MemoryKind;
  /** Only what was last changed after this moment. */
  after?: Moment;
}

export interface MemoryPatch {
  content?: string;
  category?: string;
  kind?: MemoryKind;
  importance?: number;
  tags?: readonly string[];
  /** When it ends. */
  until?: Moment;
}

export type ForgetTarget = string | { key: string } | { source: string };

/**
 * Where the words came from; decides trust. Tool and untrusted text never enters the frozen prompt.
 */
export type Origin = (typeof ORIGINS)[number];

/** The most trusted first: the one order of trust. */
export const ORIGINS = ["host", "user", "agent", "tool", "untrusted"] as const;

/** Trusted enough to stand in the system text. */
export const isTrusted = (origin: Origin): boolean =>
  origin === "host" || origin === "user" || origin === "agent";

export const lessTrusted = (one: Origin, other: Origin): boolean =>
  ORIGINS.indexOf(one) > ORIGINS.indexOf(other);

/** Without any origin the word is untrusted. */
export const leastOf = (origins: readonly Origin[]): Origin =>
  ORIGINS.findLast((origin) => origins.includes(origin)) ?? "untrusted";
