import type { Dialect } from "../../dialect/common/dialect.ts";
import type { Message, ProviderRequest } from "../../model/request.ts";
import type { Sessions } from "../../history/sessions.ts";
import type { Emit } from "../../model/events.ts";
import type { HistoryStore } from "../../model/history-store.ts";
import type { Complete } from "../../model/ports.ts";
import type { Store } from "../../model/store.ts";
import type { WorkspaceAt } from "../../store/sqlite/connect.ts";
import type { Binding } from "../../prompt/binding.ts";
import type { Mask } from "../../secrets/mask.ts";
import type { Marks } from "../../window/limits-and-marks.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { Background, Idle, Slots, Timer } from "../runtime/background.ts";
import type { Budget } from "../runtime/budget.ts";
import type { Embedding } from "./embedding.ts";
import type { ModelAsked, Thinking } from "./thinking.ts";
import type { WindowRoom, Windows } from "./window-size.ts";
import type { Measure } from "../runtime/measure.ts";
import type { Notice } from "../options/listeners.ts";
import type { Patience } from "../runtime/patience.ts";
import type { Spans } from "../runtime/tracing.ts";
import type { MeantOptions } from "../options/read-options.ts";
import type { DistilOptions, InjectAs } from "../options/types.ts";
import type { Memories } from "../../memory/memories.ts";
import type { Rights } from "../../model/rights.ts";
import type { Scope, Identity } from "../../model/identity.ts";
import { createSerial } from "../../base/async.ts";
import { lru } from "../../base/cache.ts";

/**
 * What one open workspace shares among all its identities. The only place with a clock, ids and
 * timers.
 */
export interface Core {
  readonly options: MeantOptions;
  /** The options of distilling, where they were given as such. */
  readonly distil: DistilOptions;
  /** How memory enters the system text, and how much of it. */
  readonly inject: InjectAs | false;
  readonly marks: Marks;
  /** TIDEMARK=off: requests pass untouched and nothing is kept. */
  readonly off: boolean;
  /** That, or mode "observe": nothing is changed, and nothing learnt. */
  readonly observes: boolean;
  readonly now: () => number;
  readonly newId: () => string;
  readonly emit: Emit;
  readonly history: HistoryStore;
  /** Lets go of the lock's file, which is kept open meanwhile. */
  readonly releaseLock: () => void;
  readonly sessions: Sessions;
  readonly store: Store;
  /** The folder whose databases are Tidemark's own. */
  readonly files: WorkspaceAt | undefined;
  readonly workspace: Workspace;
  /**
   * What was forgotten stands in no copy of the database either: all of it, or the memories that
   * are named. Trouble is told.
   */
  readonly forgetCopies: (memories?: readonly string[]) => void;
  /** The folder that accepted procedures are written to as skills. */
  readonly skills: string | undefined;
  readonly measure: Measure;
  readonly binding: Binding;
  /** Takes secrets out of a text, before it is written anywhere but the verbatim history. */
  readonly mask: () => Promise<Mask>;
  readonly background: Background;
  readonly spans: Spans;
  /** Bounds model calls behind the conversations, all sessions together. */
  readonly slots: Slots;
  readonly budget: Budget;
  readonly notice: Notice;
  /** How often a person took out of a scope's files what was remembered. */
  readonly endedByHand: ReadonlyMap<string, number>;
  readonly timer: Timer;
  readonly idle: Idle;
  /** The same for sessions below the marks: when they rest, and when that was no short break. */
  readonly rests: Idle;
  readonly breaks: Idle;
  /** And those whose pages are to be written. */
  readonly pauses: Idle;
  /** Absent: words only. */
  readonly embedding?: Embedding;
  /** The embedder's usage is counted in batches. */
  readonly embedded?: { flush(): Promise<void> };
  readonly windows: Windows;
  readonly thinking: Thinking;
  /**
   * The client an adapter wraps, last seen of each identity, by its root: lets queued work be done
   * between calls, under the key of the identity it is owed to.
   */
  readonly clients: Latest<Complete>;
  readonly process: ProcessState;
  /** Told at the close if no call came through the adapter that stands by. */
  expecting?: string;
  sawCall?: boolean;
  closed: boolean;
}

/** By identity, of those that were heard of last. */
type Latest<V> = ReturnType<typeof lru<string, V>>;

/** One request on its way: read, placed in its session, measured. */
export interface Call extends ModelAsked, WindowRoom {
  readonly core: Core;
  readonly who: Who;
  readonly dialect: Dialect;
  readonly request: ProviderRequest;
  /** How many leading messages are instructions, and the conversation behind them. */
  readonly preamble: number;
  readonly conversation: readonly Message[];
  /** For all that this turn may wait for. */
  readonly patience: Patience;
  /**
   * Only the conversation is at hand: tokens of its system text and tools. Nothing can go on from
   * such a request.
   */
  readonly unseen?: number;
}

/** On whose behalf a call is made. */
export interface Who {
  readonly identity: Identity;
  /** Key of the identity: the root of its conversations. */
  readonly root: string;
  readonly label?: string;
  readonly scopes: readonly Scope[];
  /** "agent" asks for what its agent may do by itself, though it speaks for a person. */
  readonly rights: (voice?: "agent") => Promise<Rights>;
  /** The scope that facts of conversations are kept in. */
  readonly learns: Scope;
  readonly memories: Memories;
  /** The same, for what the agent itself saves. */
  readonly byAgent: Memories;
  /** The same, for what holds words of a tool. */
  readonly byTool: Memories;
  /**
   * Has memory know what others wrote to its files, for a reader: only that one waits for it. True
   * where that was anything.
   */
  readonly fresh: () => Promise<boolean>;
  readonly seen: Doings;
}

/** An identity's doings in this process, as far as a later call asks for them. */
export function createDoings() {
  return {
    /** The last words of its user: an agent may forget only what those ask for. */
    said: "",
    /** Its newest conversation, and from which position on the model has that before it. */
    newest: undefined as { readonly session: string; readonly from: number } | undefined,
    /** The names of its tools, and the host's own words on them; false: none. */
    tools: undefined as
      { names: readonly string[]; guidance: string | false | undefined } | undefined,
    /** How often each tool was seen to answer. */
    called: new Map<string, number>(),
    /** A turn was ended. */
    ended: false,
    /** Replies seen, and how often a conversation grew though no turn was ended. */
    unended: { replies: 0, grew: 0 },
    /** Conversations whose reply was not of the provider's form. */
    junk: lru<string, true>(SESSIONS),
  };
}

export type Doings = ReturnType<typeof createDoings>;

/** Sessions and identities of which something is remembered for as long as this process lives. */
const SESSIONS = 1_000;
const IDENTITIES = 2_048;
const WAITING = 4_096;
/**
 * What this process knows of its own doing in one workspace. Nothing of it is written; it ends with
 * the process.
 */
export function createProcessState() {
  return {
    /**
     * Work that a turn of this process left to the queue waits for the flush mark, or for `tidy`:
     * it is nothing to catch up with.
     */
    queued: new Set<string>(),
    /** Identities whose queue of earlier processes is empty. */
    caughtUp: new Set<string>(),
    /**
     * Aborted when the process is about to end: nothing that waits in the queue is asked any more.
     */
    ending: new AbortController(),
    /** A pass over the queue is under way. */
    workingOff: false,
    /** The reading of conversations at rest: by identity, one after another. */
    reading: lru<string, ReturnType<typeof createSerial>>(IDENTITIES),
    /** Conversations that went on since they were queued. */
    spoke: lru<string, { readonly id: string; readonly who: Who }>(WAITING),
    /**
     * Identities that had a turn in this process: what their conversations said is noted when it
     * closes.
     */
    talked: lru<string, Who>(WAITING),
    /**
     * Sessions whose end the daily log does not tell yet: when they last had a turn, and in which
     * scope's log.
     */
    going: lru<string, { readonly id: string; readonly scope: Scope; readonly at: number }>(
      WAITING,
    ),
    /** Lines on what began and ended. */
    logged: 0,
    /**
     * Identities of which some conversations were queued: each of their pauses is one to read in.
     */
    waiting: lru<string, true>(WAITING),
    /** Identities whose conversations of earlier processes were read. */
    started: new Set<string>(),
    /** Conversations that went on since their pages were written. */
    unwritten: lru<string, { readonly id: string }>(WAITING),
    /** Pages of conversations are written one after another. */
    writingPages: createSerial(),
    /**
     * What writing MEMORY.md has taken, ms, as of then; the scopes whose page is not written yet,
     * and what calls that off.
     */
    latePages: {
      spent: 0,
      as: 0,
      waiting: new Set<Scope>(),
      cancel: undefined as (() => void) | undefined,
    },
    /** Identities whose conversations of earlier processes were looked for on pages. */
    pagesLookedAt: new Set<string>(),
    /** Two passes of the index of turns at once would do the same work twice. */
    indexing: createSerial(),
    indexed: (_messages: number): void => {},
    /** Concurrent `close` calls share one promise. */
    closing: undefined as Promise<void> | undefined,
  };
}

type ProcessState = ReturnType<typeof createProcessState>;
