import { remembering } from "./base.ts";
import { refuse, shown } from "./errors-and-events.ts";
import type { Scope } from "./identity.ts";
import type { MemoryKind, MemoryType, SearchPlace } from "./memory-kinds.ts";
import { is } from "./schema.ts";

/** A moment: ms since epoch, a Date, or ISO 8601 with a zone. Leaves as integer ms. */
export type Moment = number | Date | string;

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

/**
 * The tag of what was quoted and not told by a model: a model's later word on the same messages
 * takes its place.
 */
export const QUOTED = "quoted";

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
  /** In place of a kind; "working" is over in a day, "social" says whom it is `about`. */
  type?: MemoryType;
  about?: string;
  /** Subject, relation, object: ["Bob", "lives in", "Kiel"]; "alias" for another name of one. */
  edges?: readonly string[];
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
  /** 1 in the category asked, 0 where that held nothing and all were asked; else absent. */
  readonly category?: number;
}

export interface Hit {
  readonly id: string;
  readonly from: "memory" | "files" | "history";
  /** The text as it was saved, written or said; a long passage in part. */
  readonly content: string;
  /** The same by its first name. */
  readonly text: string;
  /** The scope of the agent that has published it. */
  readonly author?: string;
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

interface Narrowed {
  type?: MemoryType;
  /** It has all of them. */
  tags?: readonly string[];
  /** It was stated from then on, or before then. */
  since?: Moment;
  until?: Moment;
  /** Only what a team, a project or an organisation holds. */
  shared?: boolean;
  /** Nothing that this agent, as "agent:me", has published. */
  except?: string;
}

export interface RecallOptions extends Narrowed {
  limit?: number;
  category?: string;
  kind?: MemoryKind;
  scope?: string;
  /** Upper bound of the hits' texts together. */
  tokens?: number;
  asOf?: Moment;
}

export interface SearchOptions extends Pick<Narrowed, "shared" | "except"> {
  limit?: number;
  in?: readonly SearchPlace[];
}

/** A category that holds memories, and how many. */
export interface Category {
  readonly name: string;
  readonly memories: number;
}

export interface ListOptions extends Narrowed {
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

const ISO = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?(Z|[+-]\d{2}:?\d{2})?$/;
/** The farthest moment a Date can hold, in ms (ECMA-262 §21.4.1.1). */
const FARTHEST = 8.64e15;

const MOMENT = 'ms since 1970, a Date or ISO 8601 with a zone ("Z" or an offset such as "+02:00")';
export const moment = is<Moment>(MOMENT, (value) => msOf(value) !== undefined, {
  type: ["integer", "string"],
});

/** A moment as integer ms since epoch. `what` names the field in the error. */
export const momentOf = (value: Moment, what = "at"): number =>
  msOf(value) ?? refuse(`${what} must be ${MOMENT}, got ${shown(value)}.`);

/** Without a zone it would be another moment on each machine. */
function msOf(value: unknown): number | undefined {
  const given = typeof value === "string" ? parsed(value.trim()) : value;
  const ms = given instanceof Date ? given.getTime() : given;
  return typeof ms === "number" && Math.abs(ms) <= FARTHEST ? Math.round(ms) : undefined;
}

function parsed(text: string): number | undefined {
  const [, day, zone] = ISO.exec(text) ?? [];
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // Date.parse takes 30 February for a day in March.
  const isDay =
    Number.isFinite(midnight) && new Date(midnight).toISOString().startsWith(String(day));
  return zone !== undefined && isDay ? Date.parse(text) : undefined;
}

/** A moment as ISO 8601 in UTC; one that no Date can hold as the nearest that it can. */
export const isoOf = (at: number): string =>
  new Date(Number.isFinite(at) ? Math.max(-FARTHEST, Math.min(FARTHEST, at)) : 0).toISOString();

/** The day of a moment, as 2026-11-25, in UTC. */
export const dayOf = (at: number): string => isoOf(at).replace(/T.*$/, "");

/**
 * The same in a time zone, such as Europe/Berlin; in the machine's without one, which needs no
 * calendar: to load the first takes 5 to 20 ms.
 */
export const dayIn = (at: number, zone?: string): string =>
  zone ? calendarOf(zone).format(at) : dayOf(at - new Date(at).getTimezoneOffset() * 60_000);
const calendarOf = remembering(
  (timeZone) => new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }),
);

/** The same with its time, as 2026-11-25 10:30. */
export const minuteOf = (at: number): string => isoOf(at).slice(0, 16).replace("T", " ");

/** One value of a memory as a store keeps it. */
export interface Stored {
  readonly memory: Memory;
  /** When it was last stated: saved, saved again, given a new value. Recency counts from here. */
  readonly statedAt: number;
  readonly usedAt?: number;
  /** From when this value held; its successor ends it. */
  readonly validFrom: number;
  /** Digest of the normalised content: equal for what says the same in other letters. */
  readonly same: string;
  /** Its category was found, not given: it teaches none what its members are like. */
  readonly sorted?: true;
}

/** A value of a memory. */
export interface ValueName {
  readonly id: string;
  readonly version: number;
}

/** One step of a plan. `was` is the version the plan was made on. */
export type Change =
  | { readonly do: "insert"; readonly row: Stored }
  /**
   * The same value, other traits: id, version, content, `same`, `at`, `validFrom` and uses stay as
   * they are kept. Where it would take away or change a key, another writer gave one since, and
   * `commit` answers false.
   */
  | { readonly do: "amend"; readonly row: Stored; readonly was: number }
  /**
   * A new value of the same memory, in another scope where it names one; the old one is kept as
   * past where it was.
   */
  | { readonly do: "replace"; readonly row: Stored; readonly was: number }
  /** Superseded: past from `at` on. */
  | { readonly do: "end"; readonly id: string; readonly was: number; readonly at: number }
  /**
   * One that has ended holds again, as a new value: its last one, `was`, held until this one does.
   */
  | { readonly do: "resume"; readonly row: Stored; readonly was: number };

/**
 * A view that is behind what is stored: MEMORY.md of a scope; a line of its day's log; words that
 * are still to be taken off pages and copies. It stands until it is `paid`, by the next process
 * where this one dies.
 */
export interface Debt {
  readonly kind: "page" | "log" | "erase";
  readonly scope: Scope;
  readonly at: number;
  /** JSON of a log's line, whose memory's id stands at `memory.id`, or of what is to be erased. */
  readonly text?: string;
}
export type OwedDebt = Debt & { readonly id: number };
