import type { Format, Message } from "./request.ts";
import type { Recalled } from "./turns.ts";

/**
 * One message of a session, in the order it was first seen. The body is read only when asked for.
 */
export interface Entry {
  /**
   * Hash of this message on the one before it: two sessions share a chain exactly as far as they
   * are the same.
   */
  readonly chain: string;
  /** Digest of all that makes it this message. */
  readonly content: string;
  /** Digest of the user's or the assistant's words in normal form; "" where there are none. */
  readonly said: string;
  readonly role: string;
  /** Archived by `end`: proof that this conversation was had here. */
  readonly reply: boolean;
  /** For a reply with thinking: digest of everything sent before it, and of the thinking itself. */
  readonly prefix?: string;
  readonly thought?: string;
  readonly at: number;
}

export interface NewEntry extends Entry {
  readonly body: Message;
  readonly name?: string;
  readonly ref?: string;
}

export interface Fold {
  readonly id: string;
  /** Entries before this position are replaced. */
  readonly upTo: number;
  /** The first user message, byte for byte: summary fence and pins. */
  readonly text: string;
  /** The bare summary, which the next one is made from. */
  readonly summary: string;
  readonly messages: number;
  /** Tokens of the whole request. */
  readonly before: number;
  readonly after: number;
  readonly at: number;
  /**
   * Entries from here on were its own to replace; those before, the fold before it had replaced.
   */
  readonly from?: number;
  /** Entries of the line when it was made: those behind `upTo` stayed word for word. */
  readonly length?: number;
  /** Entries that were sent shortened when it was made. */
  readonly shortened?: readonly number[];
  /** Ids of the pins in its text, in their order there. */
  readonly pins?: readonly string[];
  /** When its messages were brought back. */
  readonly undoneAt?: number;
}

/**
 * The longest result, text and call input a message may show, in characters; media 0: no pictures
 * and documents.
 */
export interface Bounds {
  readonly results?: number;
  readonly texts?: number;
  readonly inputs?: number;
  readonly media?: number;
}

/** A summary that may take the place of the entries before `upTo`; their facts are stored. */
export interface ReadySummary {
  /** The id of the fold to come: it stands in its text, which is measured beforehand. */
  readonly id: string;
  readonly upTo: number;
  /** The chain at `upTo - 1`: the summary holds only for exactly this beginning. */
  readonly chain: string;
  /** The fold it was made on, "" for none: after another one it says twice what that one says. */
  readonly fold: string;
  readonly summary: string;
  readonly facts: number;
}

/** State that must be byte-identical after a restart, and the counter's learning. Plain JSON. */
export interface SessionState {
  /** The sections after the caller's system text; undefined until first rendered in this epoch. */
  readonly frozen?: {
    readonly text: string;
    readonly sections: readonly { section: string; tokens: number }[];
    /** Ids of the memories in it. */
    readonly told?: readonly string[];
    /** What the host's strategy has to say is missing: it is asked again. */
    readonly isMissing?: true;
  };
  /**
   * Results and texts shortened in the request, by position: longest text allowed, in characters.
   */
  readonly shortened?: Readonly<Record<string, Bounds>>;
  /** Recalls of this epoch, by the position of the message each stands with. */
  readonly recalled?: Readonly<Record<string, Recalled>>;
  /** Reported tokens over estimated ones, by model. */
  readonly calibration?: Readonly<Record<string, number>>;
  /**
   * The last request's reported and estimated size, and how many messages it had where the provider
   * counted them.
   */
  readonly anchor?: {
    readonly reported: number;
    readonly estimated: number;
    readonly model: string;
    readonly messages?: number;
  };
  /** A later report that could not be believed by itself. */
  readonly doubt?: SessionState["anchor"];
  /**
   * Tokens outside the conversation, and the limit, as of the last request: what a fold on demand
   * plans with.
   */
  readonly last?: {
    readonly overhead: number;
    readonly limit: number;
    readonly format: Format;
  };
  /** A summary that waits for a fold to take it. */
  readonly ready?: ReadySummary;
  /** The provider refused thinking of entries before this one: none of it goes out again. */
  readonly refused?: { readonly upTo: number };
  /**
   * A fold was undone: which one stands since ("" for none), and the size of the first request
   * after it.
   */
  readonly undone?: { readonly on: string; readonly used?: number };
  /** How often a message was shown otherwise than before where it stands, by position. */
  readonly changes?: Readonly<Record<string, number>>;
}

export interface StoredMessage {
  readonly body: Message;
  readonly name?: string;
  readonly ref?: string;
  readonly at: number;
  readonly role: string;
}

/**
 * A message for the search index. `aside`: it stands in no line, but beside it: of these
 * "condensed" and "form" are listed, and what gave way of another role than assistant, but no reply
 * that was made anew. An aside has role "", and is of its `at`.
 */
export interface Unindexed extends StoredMessage {
  /** No number is given twice. */
  readonly row: number;
  readonly session: string;
  readonly root: string;
  readonly position: number;
  readonly aside: boolean;
}

export interface Session {
  readonly id: string;
  /** The identity's key: whose conversation it is. */
  readonly root: string;
  readonly label?: string;
  readonly imported: boolean;
  readonly at: number;
  readonly updatedAt: number;
  /** Entries the caller has sent back; what stands behind is provisional. */
  readonly confirmed: number;
  /** Entries before this position were distilled (facts stored or durably queued). */
  readonly watermark: number;
  /**
   * Entries before this position were read for facts without a model, at close or by the next
   * session.
   */
  readonly noted: number;
  readonly state: SessionState;
  /** Counts the writes: a change made from an older one is refused. */
  readonly revision: number;
}

/**
 * Distilling that failed, to be done again: facts of the entries [from, to). It is taken once there
 * are attempts.
 */
export interface Job {
  readonly id: string;
  readonly session: string;
  readonly from: number;
  readonly to: number;
  readonly attempts: number;
  readonly error: string;
  readonly notBefore: number;
}

/**
 * A message that stands in no place of the session's line. "condensed": a caller's own summary.
 * "replaced": what gave way at the line's end. "form": an earlier form of the message at `before`.
 */
export interface Aside {
  readonly before: number;
  readonly content: string;
  readonly kind: "condensed" | "replaced" | "form";
  readonly body: Message;
  /** A reply with thinking has one, for `bindings`; `asides` do not give it back. */
  readonly prefix?: string;
  readonly thought?: string;
  /**
   * Of a form and a summary: made when the form gave way, or the summary was first seen. Ids rise
   * with time.
   */
  readonly id?: string;
  /**
   * When the form gave way; of a replaced message its own moment. Where a change names none, its
   * session's `updatedAt`.
   */
  readonly at?: number;
}

/**
 * A message that its caller shows otherwise where it stands. The form there before is kept aside
 * under this id.
 */
export interface NewForm {
  readonly position: number;
  readonly entry: NewEntry;
  readonly id: string;
  /** When the form before gave way. */
  readonly at: number;
}

export interface Pin {
  readonly id: string;
  readonly text: string;
}

/** A memory, and the entries [first, last) it was distilled from. */
export interface Learnt {
  readonly memory: string;
  /** Named where a memory is asked for. */
  readonly session?: string;
  readonly first: number;
  readonly last: number;
}

export interface SessionChange {
  /** As it will be; its revision is one more than the one the change was made from. */
  readonly session: Session;
  /** Entries at and behind this position give way to `entries`; jobs reach no further then. */
  readonly from: number;
  readonly entries: readonly NewEntry[];
  readonly asides?: readonly Aside[];
  /**
   * Entries before `from` that are shown otherwise now, and the chains of all entries from a
   * position on.
   */
  readonly forms?: readonly NewForm[];
  /**
   * Before all else entries from a place on move: the new place of each, and of the end. One whose
   * place the next has is set aside; forms may fill the places between.
   */
  readonly moved?: { readonly from: number; readonly places: readonly number[] };
  readonly chains?: { readonly from: number; readonly chains: readonly string[] };
  readonly folds?: readonly Fold[];
  /** A known id changes attempts, error and `notBefore` alone. */
  readonly jobs?: readonly Job[];
  readonly doneJobs?: readonly string[];
  readonly learnt?: readonly Learnt[];
  /** Folds that no longer stand; they are still known by their ids. */
  readonly undone?: { readonly folds: readonly string[]; readonly at: number };
  /**
   * Copy the entries before `from`, their earlier forms, what was learnt of any of them, and the
   * pins, out of this session of its root and label: a fork. Nothing is set aside.
   */
  readonly copyOf?: string;
  /**
   * Given with a label alone: how many sessions of this root and label there were when none of them
   * was found to be the one. Where their number is another by now, nothing is written.
   */
  readonly siblings?: number;
  /** Refused where the session or a branch that shares this entry was distilled beyond it. */
  readonly unread?: number;
}

/** Messages are stored as they came, or with their secrets masked. */
export type Keep = "verbatim" | "masked";
