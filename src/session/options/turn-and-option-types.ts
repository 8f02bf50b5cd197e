import type { Listen } from "../../core/errors-and-events.ts";
import type { Keep } from "../../core/history.ts";
import type { Identity, Levels, Scope, Writers } from "../../core/identity.ts";
import type { DistilFunction, Embedder, Format, ProviderRequest } from "../../core/request.ts";
import type { StrategyName } from "../../memory/recalling/rank.ts";
import type { Lifetimes } from "../../memory/saving/draft.ts";
import type { ModelOverrides } from "../../providers/common/models.ts";
import type { Truth } from "../../storage/port.ts";
import type { Lesson } from "../../workspace/pages/learnings.ts";
import type { WorkspaceFile } from "../../workspace/search/page-rows.ts";
import type { FileHit } from "../../workspace/search/page-search.ts";
import type { OpenFile } from "../../workspace/workspace.ts";
import type { ConsolidateOptions } from "./consolidate-options.ts";
import type { InjectAs, InjectStrategy } from "./inject-types.ts";
import type { Mark, WindowOptions } from "./save-and-fold-marks.ts";

export interface AdvancedOptions {
  /**
   * Tokens that calls behind the conversations may read and write in an hour; beyond it the
   * extractive distiller does the work. Default 20,000,000; false: all they need.
   */
  budget?: number | false;
  /** How long memories live, by category, kind, source and scope. */
  lifetimes?: Lifetimes;
  /**
   * What models can do where you know better than the table; by a part of the name, `*` for
   * anything.
   */
  models?: ModelOverrides;
  /** How memories are ranked. Default "tidemark". */
  ranking?: StrategyName;
}

export interface DistilOptions {
  /** Another model of the same client, a cheaper one say. */
  model?: string;
  /** Your own words on what matters. */
  instructions?: string;
  complete?: DistilFunction;
  /** Conversations below the marks are read by the model at `close` already, not at rest. */
  atClose?: "model";
}

export interface ProcedureOptions {
  /**
   * A folder for Agent Skills: a procedure waits in `proposals`, and is written there when it is
   * accepted. Default: none.
   */
  skills?: string;
}

export interface HistoryOptions {
  /**
   * "verbatim": as they come. "masked": without the secrets in them. Default: what this history
   * kept last, "verbatim" at first.
   */
  keep?: Keep;
}

export interface TurnRecallOptions {
  tokens?: number;
  /** 0…1, on the scale of a hit's `why`: its age does not count. */
  minScore?: number;
}

export interface BeginOptions {
  /**
   * The host's own name for this conversation: settles which one is meant where content alone
   * cannot.
   */
  conversation?: string;
  /** The provider whose form the request has, where its shape and its model do not tell. */
  format?: Format;
  /** Ends what the turn waits for; it goes on with what there is. */
  signal?: AbortSignal;
}

/** Tokens of the request as it is sent. */
export interface WindowLevel {
  readonly used: number;
  readonly limit: number;
  readonly level: number;
  readonly mark: Mark;
}

export interface FoldReport {
  readonly id: string;
  /** How many of the caller's messages the summary replaces. */
  readonly messages: number;
  readonly before: number;
  readonly after: number;
}

export interface Turn<R extends object = ProviderRequest> {
  /**
   * What to send, of the type that was given: the given request itself when nothing had to be
   * changed.
   */
  readonly request: R;
  /** How full the window is with it, in tokens and as a share of the limit. */
  readonly window: WindowLevel;
  /**
   * Set where this turn folded: how many messages were replaced, and tokens of the whole request
   * before and after.
   */
  readonly folded?: FoldReport;
  /** The sections that memory added, in tokens. */
  readonly injected: readonly { readonly section: string; readonly tokens: number }[];
  /**
   * Takes the provider's reply, `{ usage, reply }`, or a promise of either, which `close` waits
   * for. Never rejects. A turn ends once, a refused one and what `recover` gave in its place
   * together: the first reply is archived and booked, the same again does nothing, another one is
   * told of as `degraded`. What your next request holds wins in any case. After `close` it does
   * nothing.
   *
   * @example
   * await turn.end(await client.messages.create(turn.request));
   */
  end(reply: unknown): Promise<void>;
  /**
   * After an overflow: a smaller turn to send once. After anything else: undefined. Never rejects.
   *
   * @example
   * const smaller = await turn.recover(error);
   * if (!smaller) throw error;
   */
  recover(error: unknown): Promise<Turn<R> | undefined>;
}

/**
 * The Markdown files of the workspace, by scope. `files` and `search` pass over what cannot be read
 * and tell the listener; the rest rejects with "workspace".
 */
export interface WorkspaceApi {
  /** The folder; undefined where nothing is kept on disk. */
  readonly root: string | undefined;
  /**
   * All files that stand in the scopes, with their text.
   *
   * @example
   * const files = await tidemark.workspace.files(["agent:sky", "user:ada"]);
   */
  files(scopes: readonly Scope[]): Promise<WorkspaceFile[]>;
  /**
   * Pieces of files that meet the question, the best first, at most `limit` (10).
   *
   * @example
   * const [piece] = await tidemark.workspace.search("who may deploy?", { scopes: ["agent:sky"] });
   */
  search(
    query: string,
    options: { readonly scopes: readonly Scope[]; readonly limit?: number },
  ): Promise<FileHit[]>;
  /**
   * One of SOUL.md, USER.md, AGENTS.md, MEMORY.md, HEARTBEAT.md; "" where it is absent.
   *
   * @example
   * const soul = await tidemark.workspace.read("SOUL.md", "agent:sky");
   */
  read(name: OpenFile, scope: Scope): Promise<string>;
  /**
   * Writes such a file as a whole; the old text goes to .tidemark/backups.
   *
   * @example
   * await tidemark.workspace.write("USER.md", "Call me Ada.", "user:ada");
   */
  write(name: OpenFile, text: string, scope: Scope): Promise<void>;
  /**
   * The same for a text made from the old one, with no other change in between; `undefined` leaves
   * the file alone.
   *
   * @example
   * const add = (text: string) => `${text}\nNever push on Fridays.\n`;
   * await tidemark.workspace.edit("AGENTS.md", add, "agent:sky");
   */
  edit(name: OpenFile, change: (text: string) => string | undefined, scope: Scope): Promise<void>;
  /**
   * Notes a tool that failed, or a correction, in the scope's learnings.
   *
   * @example
   * const lesson = { kind: "error", tool: "deploy", text: "no such host", at: Date.now() };
   * await tidemark.workspace.learn(lesson, "agent:sky");
   */
  learn(lesson: Lesson, scope: Scope): Promise<void>;
}

export interface Options {
  /**
   * Folder of Markdown files, made if absent. false: nothing on disk, the database in memory.
   * Default "./workspace".
   */
  workspace?: string | false;
  /**
   * Who speaks: what is remembered and recalled belongs to them. Default `{ agent: "default" }`.
   */
  identity?: Identity;
  /**
   * Where all is stored. Default: SQLite in `.tidemark` of the workspace. "postgres://…" is a
   * PostgreSQL server that many processes share, by the package `pg`; `?schema=acme` and
   * `poolSize=10` may stand in it. One without methods of a search index is searched through one in
   * memory.
   */
  store?: string | Truth;
  /**
   * The address of a replica of that server: recall and search ask it, and the server where it does
   * not answer. What others saved is found when it has it. Default: the server is asked.
   */
  read?: string;
  /**
   * Default: the wrapped client with the request's own model; until one was seen, the extractive
   * distiller.
   */
  distil?: DistilFunction | "extractive" | DistilOptions;
  /** Sizes in tokens, marks as shares of the limit; a number: its tokens. */
  window?: number | WindowOptions;
  /**
   * "context": files and facts stand after the caller's system text. "tools": no facts, but a line
   * that says the memory tools are there. "self-edit": USER.md and the head of MEMORY.md, which the
   * agent edits by tools. A strategy of yours: its words in the place of facts. false: nothing is
   * added. Default "context".
   */
  inject?: InjectAs | InjectStrategy | false;
  /**
   * "user": what is added stands in the user's first message that is sent, not behind the system
   * text. Default "system".
   */
  injectAs?: "system" | "user";
  /**
   * Folders of documents that the agent reads. A fact that they say, or a record, a note or another
   * page of people's, is not told unasked; what is tagged "non-inferable" is. Default: all is told.
   */
  inferable?: readonly string[];
  /**
   * Finds memories by what they mean, too. Default: words only, said once by an event; false: words
   * only, as meant.
   */
  embed?: Embedder | false;
  /**
   * On each new message of the user's, what memory holds on it goes with it: at most `tokens`
   * (600), of a relevance of at least `minScore` (0.5; 0.3 where the message says "my" or "our" or
   * names what memory names). Default true, with `inject` false none.
   */
  recall?: boolean | TurnRecallOptions;
  /** Place cache breakpoints. Default true. */
  cache?: boolean;
  /**
   * "observe": count and report, change nothing. Default "on"; the environment's TIDEMARK=off
   * switches all off.
   */
  mode?: "on" | "observe";
  /**
   * Conversations are also written as pages, `conversations/DATE-ID.md`, for people and for search.
   * Default false.
   */
  archive?: boolean;
  /**
   * Encrypts the databases and their backups, by the package `better-sqlite3-multiple-ciphers`
   * beside this one; the pages stay plain text. Default: nothing is encrypted.
   */
  key?: string;
  /**
   * The roles that may write each category of the organisation's, such as `{ adr: ["architect"] }`.
   * Default: core_policy by "human"; the others by "human", "lead" and "senior".
   */
  writers?: Writers;
  /**
   * How long what is an identity's lives, by scope: of its scopes that are named the strictest
   * level counts, else `default`. "none": nothing is written, and nothing learnt. "session": all is
   * gone when its view or the process closes. "project": all but what a project, a team or an
   * organisation holds. Default "persistent".
   */
  levels?: Levels;
  /** How messages are stored. Default: as they come, in a file only its owner can read. */
  history?: HistoryOptions;
  /** Memory is kept from growing for ever; what goes is archived, and `memory.restore` finds it. */
  consolidate?: ConsolidateOptions;
  /** Procedures are learnt of failed tasks. */
  procedures?: ProcedureOptions;
  /**
   * Hears every event; "console" prints each as a line on stderr; false: nothing is said. Default:
   * what does not work as meant is said once a process.
   */
  listen?: Listen | "console" | false;
  /** Where the user lives, such as "Europe/Berlin": days are told so. Default: the machine's. */
  zone?: string;
  /** ms since epoch. */
  now?: () => number;
  /** Few hosts set these. */
  advanced?: AdvancedOptions;
}
