import { createSerial } from "../../base/async.ts";
import { lru } from "../../base/cache.ts";
import { type Signed } from "../../model/history.ts";
import { createEndings, type Endings } from "../runtime/endings.ts";
import { type Timer } from "../runtime/idle.ts";
import { type Who } from "./who.ts";

/** Sessions and identities of which something is remembered for as long as this process lives. */
const SESSIONS = 1_000;
const IDENTITIES = 2_048;
const WAITING = 4_096;

/** A summary the provider was asked to write and sign, for one that is prepared here of the same messages. */
export interface Signing {
  readonly key: string;
  readonly abort: AbortController;
  readonly done: Promise<void>;
  came?: { readonly signed: Signed; readonly at: number };
  over: boolean;
}

/** What this process knows of its own doing in one workspace. Nothing of it is written; it ends with the process. */
export function createProcessState(timer: Timer) {
  return {
    /** Jobs that a turn of this process left to the queue. */
    queued: new Set<string>(),
    /** Identities whose queue of earlier processes is empty. */
    caughtUp: new Set<string>(),
    /** The pass over the queue under way. */
    workingOff: undefined as AbortController | undefined,
    /** The reading of conversations at rest: by identity, one after another. */
    reading: { abort: new AbortController(), lines: new Map<string, Promise<number>>() },
    /** Conversations that went on since they were queued. */
    spoke: new Map<string, Who>(),
    /** Identities of which some conversations were queued: each of their pauses is one to read in. */
    waiting: lru<string, true>(WAITING),
    /** Identities whose conversations of earlier processes were read. */
    started: new Set<string>(),
    /** Two passes of the index of turns at once would do the same work twice. */
    indexing: createSerial(),
    /** Summaries that the provider signs, by session. */
    signing: new Map<string, Signing>(),
    /** Turns that wait at the same time. */
    endings: createEndings(timer) as Endings,
    /** Models that refused a beta they were listed with. */
    refusedBetas: new Set<string>(),
    /** Models whose window was guessed. */
    guessed: new Set<string>(),
    /** Sessions whose reply was not of the provider's form. */
    junkTold: lru<string, true>(SESSIONS),
    /** How much thinking was told to be left out, by session. */
    unboundTold: lru<string, number>(SESSIONS),
    /** By identity: replies seen, and how often a conversation grew though no turn was ended. */
    unended: lru<string, { replies: number; grew: number }>(IDENTITIES),
    /** Concurrent `close` calls share one promise. */
    closing: undefined as Promise<void> | undefined,
  };
}

export type ProcessState = ReturnType<typeof createProcessState>;
