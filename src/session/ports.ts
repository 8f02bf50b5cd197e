import type { Means } from "../conversations/session-cache.ts";
import type { Sessions } from "../conversations/sessions.ts";
import { lru } from "../core/base.ts";
import type { Emit, Listen } from "../core/errors-and-events.ts";
import type { Keep } from "../core/history.ts";
import {
  agentScope,
  type Identity,
  type Level,
  type Rights,
  type Scope,
} from "../core/identity.ts";
import type { Memory } from "../core/memory.ts";
import type { Message, ProviderRequest } from "../core/request.ts";
import type { Memories } from "../memory/memories.ts";
import type { Dialect } from "../providers/common/dialect.ts";
import type { Storage } from "../storage/port.ts";
import type { WorkspaceAt } from "../storage/sqlite/database-file.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Embedding } from "./embedding.ts";
import type { Background, Patience, Timer } from "./options/background.ts";
import type { Notice, Spans } from "./options/listeners.ts";
import type { MeantOptions } from "./options/read-options.ts";
import type { InjectAs, InjectStrategy } from "./options/inject-types.ts";
import type { DistilOptions } from "./options/tidemark-api.ts";
import type { Marks } from "./options/save-and-fold-marks.ts";
import type {
  createUnboundNotice,
  Measure,
  ModelAsked,
  WindowRoom,
  Windows,
} from "./count-tokens.ts";

/** The time, names for what is made, and who hears of what happens. */
export interface Ground {
  readonly now: () => number;
  readonly newId: () => string;
  readonly emit: Emit;
  /** They hear what the host's listener hears. */
  readonly ears: Set<Listen>;
  readonly notice: Notice;
  readonly background: Background;
  readonly closed: boolean;
  /** Aborted when the process is about to end: what waits in the queue is asked no more. */
  readonly ending: AbortController;
}

/** Where all is kept that outlives the process. */
export interface Kept {
  /** How messages are stored. */
  readonly keep: Keep;
  readonly clean: Means["clean"];
  readonly sessions: Sessions;
  readonly store: Storage;
  readonly workspace: Workspace;
  /** The memories that the agent cannot read elsewhere. */
  readonly untold: (
    call: Pick<Call, "who" | "patience">,
    all: readonly Memory[],
  ) => Promise<readonly Memory[]>;
  /** The folder whose databases are Tidemark's own. */
  readonly files: WorkspaceAt | undefined;
  /**
   * What was forgotten stands in no copy of the database either: all of it, or the memories that
   * are named. Trouble is told.
   */
  readonly forgetCopies: (memories?: readonly string[]) => void;
}

/** How the host wants it. */
export interface Settings {
  readonly options: MeantOptions;
  /** The options of distilling, where they were given as such. */
  readonly distil: DistilOptions;
  /** How memory enters the system text, and how much of it. */
  readonly inject: InjectAs | false;
  /** The host's own, in the place of facts. */
  readonly strategy: InjectStrategy | undefined;
  /** How long what is said and saved lives; with "none" conversations teach nothing. */
  readonly level: Level;
  /** TIDEMARK=off: requests pass untouched and nothing is kept. */
  readonly off: boolean;
  /** That, or mode "observe": nothing is changed, and nothing learnt. */
  readonly observes: boolean;
  /** The folder that accepted procedures are written to as skills. */
  readonly skills: string | undefined;
  readonly timer: Timer;
  readonly spans: Spans;
}

export type Ports = Ground & Kept & Settings;

/** How requests are weighed and put together. */
export interface Weighing {
  readonly measure: Measure;
  readonly marks: Marks;
  readonly windows: Windows;
  readonly tellUnbound: ReturnType<typeof createUnboundNotice>;
}

/** Absent: memory is found by words only. */
export interface Embedded {
  readonly embedding?: Embedding;
}

/** One request as it came, and whose it is. */
export interface Call extends ModelAsked, WindowRoom {
  readonly who: Who;
  readonly dialect: Dialect;
  readonly given: ProviderRequest;
  /** The same with its messages as `messages`. */
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
  /** Without a project that may not learn of its work. */
  readonly identity: Identity;
  /** Key of the identity: the root of its conversations. */
  readonly root: string;
  readonly label?: string;
  readonly scopes: readonly Scope[];
  readonly rights: (asked?: { byTools?: boolean }) => Promise<Rights>;
  /** The scope of all that names none. */
  readonly home: Scope;
  readonly memories: Memories;
  /** The same, for what the program that opened saves. */
  readonly byHost: Memories;
  /** The same, for what the agent itself saves. */
  readonly byAgent: Memories;
  /** The same, for what holds words of a tool. */
  readonly byTool: Memories;
  /** Has memory know what people wrote to its files, for a reader: only that one waits for it. */
  readonly fresh: () => Promise<void>;
  readonly seen: Doings;
}

/** The identity in the hand of the program that opened with it: its word is the agent's. */
export const inHostsHand = (who: Who): Who => ({
  ...who,
  home: agentScope(who.identity),
  memories: who.byHost,
});

/**
 * Where what a task has taught is kept: with the project, so that the next agent has it, and with
 * the user where one is named.
 */
export const workHome = ({ identity: { project }, home }: Who): Scope =>
  project === undefined || home.startsWith("user:") ? home : `project:${project}`;

/** The identity in the hand of its agent, whose words are its own, whatever a person may do. */
export const inAgentsHand = (who: Who): Who => ({
  ...who,
  memories: who.byAgent,
  rights: () => who.rights({ byTools: true }),
});

/**
 * Is this an open task of another conversation's? It may be a stranger's: only a user's own are
 * told wherever that user is.
 */
export const isOthersTask = ({ identity, label }: Who, { key = "" }: Pick<Memory, "key">) =>
  identity.user === undefined &&
  key.startsWith("conversation/task:") &&
  key !== `conversation/${label}/open-request`;

/** Conversations of an identity that are remembered so. */
const SESSIONS = 1_000;

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
    /** A turn was ended. */
    ended: false,
    /** Replies seen, and how often a conversation grew though no turn was ended. */
    unended: { replies: 0, grew: 0 },
    /** Conversations whose reply was not of the provider's form. */
    junk: lru<string, true>(SESSIONS),
  };
}

export type Doings = ReturnType<typeof createDoings>;
