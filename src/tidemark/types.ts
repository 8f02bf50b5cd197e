import { type ModelOverrides } from "../dialect/capabilities.ts";
import { type Dialect } from "../dialect/dialect.ts";
import { type Asked } from "../model/capability.ts";
import { type Listen } from "../model/events.ts";
import { type Keep } from "../model/history.ts";
import { type Identity } from "../model/identity.ts";
import {
  type ForgetTarget,
  type Hit,
  type ListOptions,
  type Memory,
  type MemoryPatch,
  type Moment,
  type RecallOptions,
  type SaveInput,
  type SearchOptions,
} from "../model/memory.ts";
import { type FoldDiff, type FoldInfo, type Undone } from "../model/folds.ts";
import { type Account } from "../model/ledger.ts";
import { type Compact, type Complete, type DistilFunction, type Embedder } from "../model/ports.ts";
import { type Lifetimes } from "../memory/lifetimes.ts";
import { type RankingOptions } from "../memory/rank-options.ts";
import { type Format, type Message, type ProviderRequest } from "../model/request.ts";
import { type ThinkingOption } from "../model/thinking.ts";
import { type Mark, type WindowOptions } from "../window/limits.ts";
import { type MemoryTool, type ToolName } from "../tools/tools.ts";
import { type Workspace } from "../workspace/workspace.ts";
import { type BudgetOptions } from "./behind/budget.ts";
import { type Timer } from "./behind/idle.ts";

export type InjectAs = "context" | "tools" | "self-edit";

export interface Options {
  /** Folder of Markdown files, made if absent. false: nothing on disk, the database in memory. Default "./workspace". */
  workspace?: string | false;
  identity?: Identity;
  /** Default: the wrapped client with the request's own model; until one was seen, the extractive distiller. */
  distil?: DistilFunction | "extractive" | DistilOptions;
  window?: WindowOptions;
  /**
   * "context": files and facts stand after the caller's system text. "tools": no facts, but a line that says the memory tools
   * are there. "self-edit": USER.md and the head of MEMORY.md, which the agent edits by tools. false: nothing is added.
   * Default "context". `tokens`: of all that was learnt together (600); what people wrote into files has room beside it.
   */
  inject?: InjectAs | false | { as?: InjectAs; tokens?: number };
  /** How memories are ranked; its figures may come from the environment too (TIDEMARK_RECENCY_HALF_LIFE_DAYS, …). */
  ranking?: RankingOptions;
  /** How long memories live, by category, kind, source and scope. */
  lifetimes?: Lifetimes;
  /** Finds memories by what they mean, too. Default: words only, said once by an event; false: words only, as meant. */
  embed?: Embedder | false;
  /** On each new message of the user's, what memory holds on it goes with it: at most `tokens` (600), of at least `minScore` (0.25). Default false. */
  recall?: false | TurnRecallOptions;
  /** What models can do where you know better than the table; by a part of the name, `*` for anything. */
  models?: ModelOverrides;
  /** What becomes of thinking a fold would make invalid. Default "auto": left out, or dropped by the provider where it surely can. */
  thinking?: ThinkingOption;
  /** Place cache breakpoints. Default true. */
  cache?: boolean;
  /** "observe": count and report, change nothing. Default "on"; the environment's TIDEMARK=off switches all off. */
  mode?: "on" | "observe";
  /** How messages are stored, and with which key. Default: as they come, in a file only its owner can read. */
  history?: HistoryOptions;
  /** Hears every event; "console" prints each as a line on stderr. Without one, what does not work as meant is said once a process. */
  listen?: Listen | "console";
  /** Prints nothing at all, whatever happens. Default false. */
  quiet?: boolean;
  /** ms since epoch. */
  now?: () => number;
  /** Runs work after so many ms unless called off by what it answers. Default: a timer that keeps no process alive. */
  timer?: Timer;
}

export interface DistilOptions {
  /** Another model of the same client, a cheaper one say. */
  model?: string;
  /** What matters to you, in your own words. */
  instructions?: string;
  complete?: DistilFunction;
  /** What calls behind the conversation may read and write; beyond it the extractive distiller does the work. false: all they need. */
  budget?: BudgetOptions | false;
  /** ms without a turn after which what is not yet distilled is, from the flush mark on. Default 270,000; false: never. */
  idleAfter?: number | false;
  /**
   * Who reads what was said below the marks. "later": `close` reads it without a model and queues it, and the model reads it
   * once, in a pause or beside the next start. "model": `close` asks for it. "extractive": no model. Default "later".
   */
  atClose?: "later" | "model" | "extractive";
}

export interface HistoryOptions {
  /**
   * "verbatim": as they come. "masked": without the secrets in them. "none": no words at all, only digests, by which
   * conversations are known again. Default: what this history kept last, "verbatim" at first.
   */
  keep?: Keep;
  /** Encrypts the history on disk: a passphrase of 8 characters or more, or 32 bytes. Belongs to a history from its first day on. */
  key?: string | Uint8Array;
}

export interface TurnRecallOptions {
  tokens?: number;
  /** 0…1, on the scale of a hit's score. */
  minScore?: number;
}

export interface BeginOptions {
  /** The host's own name for this conversation: settles which one is meant where content alone cannot. */
  conversation?: string;
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
  /** What to send, of the type that was given: the given request itself when nothing had to be changed. */
  readonly request: R;
  readonly window: WindowLevel;
  readonly folded?: FoldReport;
  readonly injected: readonly { readonly section: string; readonly tokens: number }[];
  /**
   * Takes the provider's reply, or `{ usage, reply }`. Never rejects. A turn ends once, a refused one and what `recover` gave in its
   * place together: the first reply is archived and booked, the same again does nothing, another one is told of as `degraded`. What
   * your next request holds wins in any case. After `close` it does nothing.
   */
  end(reply: unknown): Promise<void>;
  /** After an overflow: a smaller turn to send once. After anything else: undefined. */
  recover(error: unknown): Promise<Turn<R> | undefined>;
}

export interface ImportedMessage {
  role: string;
  name?: string;
  text: string;
  at?: Moment;
  /** The host's own name of the message; hits give it back. */
  ref?: string;
}

export interface ConversationInfo {
  readonly id: string;
  readonly label?: string;
  readonly messages: number;
  readonly at: number;
  readonly folds: number;
}

export interface MemoryApi {
  save(memory: string | SaveInput): Promise<Memory>;
  recall(query: string, options?: RecallOptions): Promise<Hit[]>;
  search(query: string, options?: SearchOptions): Promise<Hit[]>;
  get(id: string): Promise<Memory | undefined>;
  list(options?: ListOptions): Promise<Memory[]>;
  update(id: string, patch: MemoryPatch, options?: { version?: number }): Promise<Memory>;
  forget(target: ForgetTarget): Promise<number>;
  /**
   * Brings back what ended within thirty days, as by a line deleted in MEMORY.md: by its id, by the mark its line had, or by words
   * that no other that ended says. Undefined where there is nothing to bring back.
   */
  undo(name: string): Promise<Memory | undefined>;
}

export interface HistoryApi {
  /** A past conversation; again with the same id adds only what is new. Answers how many messages were added. */
  import(conversation: { id: string; messages: readonly ImportedMessage[] }): Promise<number>;
  /**
   * Word for word: of a fold as its messages were shown then, of a conversation as they are shown now. `earlier`: what stood at
   * a place before, a message in another form or a reply that was made anew.
   */
  read(which: { fold: string } | { conversation: string }): Promise<{ messages: Message[]; earlier?: { at: number; message: Message }[] }>;
  list(): Promise<ConversationInfo[]>;
  forget(which: { conversation: string } | { before: Moment }): Promise<number>;
  /** The folds that were made, the latest first. */
  folds(which?: { conversation?: string }): Promise<FoldInfo[]>;
  /** What a fold kept, dropped and remembered, and where; undefined for one that is not there. */
  diff(fold: string): Promise<FoldDiff | undefined>;
  /** Brings a fold's messages back for the next call, with those of the folds made on top of it; undefined when there is nothing to bring back. */
  undo(fold: string): Promise<Undone | undefined>;
}

export interface TidyReport {
  /** Memories whose time was over. */
  readonly expired: number;
  /** Distillings that had failed and were done now. */
  readonly caughtUp: number;
  /** The newest copy of history. */
  readonly backup?: string;
}

export interface Stats {
  readonly conversations: number;
  /** Each once, in however many conversations it stands: branches share what they began with. */
  readonly messages: number;
  readonly folds: number;
  readonly memories: number;
  /** Since this process opened the workspace. */
  readonly session: { readonly turns: number; readonly tokensRead: number; readonly tokensWritten: number; readonly memoryCalls: number };
  /** Distillings waiting to be done again. */
  readonly queued: number;
  /** What calls have taken and saved, since the workspace was made. */
  readonly ledger: Ledger;
}

export interface Ledger {
  /** All of the identity, with conversations that were forgotten, and embedding where it is the identity that opened. */
  readonly total: Account;
  /** The latest first, at most 100. */
  readonly conversations: readonly (Account & { readonly conversation: string; readonly label?: string })[];
}

export interface ToolOptions {
  /** Only these. Default: all that fit `inject`. */
  only?: readonly ToolName[];
  /** Tokens one answer may have. Default 2,000. */
  tokens?: number;
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

export interface Tidemark {
  begin<R extends object>(request: R, options?: BeginOptions): Promise<Turn<R>>;
  /** Waits for the distiller, up to a minute; `signal` calls that off, and what comes of it is kept for the next fold. */
  fold(which?: { conversation: string } | { request: object }, options?: FoldOptions): Promise<(FoldReport & { facts: number }) | { refused: string }>;
  pin(what: PinTarget, options?: { conversation?: string }): Promise<string>;
  unpin(id: string): Promise<boolean>;
  /** Every pin of the identity, or those that hold in one conversation. */
  pins(options?: { conversation?: string }): Promise<PinInfo[]>;
  as(identity: Partial<Identity> & { conversation?: string }): Tidemark;
  readonly memory: MemoryApi;
  readonly history: HistoryApi;
  readonly workspace: Workspace;
  /** Memory as tools for an agent; where and how they are offered to the model is the host's to say. */
  tools(options?: ToolOptions): MemoryTool[];
  tidy(): Promise<TidyReport>;
  stats(): Promise<Stats>;
  /** Resolves when no background work is left, or after 60 s. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** What an adapter may add to `begin`: the client it wraps. */
export interface AdapterOptions extends BeginOptions {
  complete?: Complete;
  dialect?: Dialect;
  /** What the provider says of the request's model; while it is being asked, no guess lasts. */
  asked?: Asked;
  /** It names in the headers the betas that the request it is given needs. */
  addsBetas?: boolean;
  /** The provider itself is asked, with a key. */
  firstParty?: boolean;
  compact?: Compact;
  /** The server holds the conversation: it is kept and watched, and nothing of it can be folded or marked. */
  held?: boolean;
}
