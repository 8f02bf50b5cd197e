import type { Identity } from "../../core/identity.ts";
import type { MemoryTool } from "../../core/tool-names.ts";
import type {
  Brief,
  BriefOptions,
  Heartbeat,
  NotesApi,
  ProposalsApi,
  RecordsApi,
  Task,
  TaskInput,
} from "./knowledge-api.ts";
import type { OrgApi } from "./organisation-api.ts";
import type { HistoryApi, Stats, StatsOptions } from "./history-api.ts";
import type { DataApi, Health, StorageCapabilities } from "./data-api.ts";
import type {
  FoldOptions,
  MemoryApi,
  PinInfo,
  PinTarget,
  TidyReport,
  ToolOptions,
  UsersApi,
} from "./memory-and-history-api.ts";
import type { BeginOptions, FoldReport, Turn, WorkspaceApi } from "./turn-and-option-types.ts";

export type * from "./memory-and-history-api.ts";
export type * from "./turn-and-option-types.ts";
export type * from "./knowledge-api.ts";
export type * from "./data-api.ts";
export type * from "./organisation-api.ts";

export interface Tidemark {
  /**
   * Reads a request as the provider takes it (Anthropic Messages or OpenAI chat), archives its new
   * messages, and answers the request to send in its place, which is the given one where nothing
   * has to change. Rejects only with "window", "config" or "closed"; any other trouble is an event,
   * and the request goes as it came.
   *
   * @example
   * const turn = await tidemark.begin({ model: "claude-sonnet-5-5", max_tokens: 1000, messages });
   * const reply = await client.messages.create(turn.request);
   * await turn.end(reply);
   */
  begin<R extends object>(request: R, options?: BeginOptions): Promise<Turn<R>>;
  /**
   * Folds now: the conversation named, that of the request, or the last. Waits for the distiller,
   * up to a minute; `signal` calls that off, and what comes of it is kept for the next fold.
   * `before` and `after`: tokens of the whole request. Rejects with "config", "closed", "history",
   * "store" or "workspace".
   *
   * @example
   * const fold = await tidemark.fold({ conversation: "desk" });
   */
  fold(
    which?: { conversation: string } | { request: object },
    options?: FoldOptions,
  ): Promise<(FoldReport & { facts: number }) | { refused: string }>;
  /**
   * A text that stands in every later fold, byte for byte, of one conversation or of all; answers
   * its id. Rejects with "config" where pins would take more than 5 % of the limit together, with
   * "not-found" for an unknown conversation.
   *
   * @example
   * const id = await tidemark.pin("Invoices are always in euro.");
   */
  pin(what: PinTarget, options?: { conversation?: string }): Promise<string>;
  /**
   * Takes a pin off; false where there is none of that id.
   *
   * @example
   * await tidemark.unpin(id);
   */
  unpin(id: string): Promise<boolean>;
  /**
   * Every pin of the identity, or those that hold in one conversation.
   *
   * @example
   * for (const { text, tokens } of await tidemark.pins()) console.log(tokens, text);
   */
  pins(options?: { conversation?: string }): Promise<PinInfo[]>;
  /**
   * The same files for another user, agent or conversation. Throws "config".
   *
   * @example
   * const ada = tidemark.as({ user: "ada" });
   */
  as(identity: Partial<Identity> & { conversation?: string }): Tidemark;
  /**
   * Facts: what the next session should know.
   *
   * @example
   * await tidemark.memory.save("The deploy key lives in the blue vault.");
   */
  readonly memory: MemoryApi;
  /**
   * What agents want to share with their team or project, and may not by themselves.
   *
   * @example
   * for (const { id, to } of await tidemark.proposals.list()) console.log(id, to);
   */
  readonly proposals: ProposalsApi;
  /**
   * Every message, word for word.
   *
   * @example
   * const { messages } = await tidemark.history.read({ conversation: "desk" });
   */
  readonly history: HistoryApi;
  /**
   * The Markdown files: SOUL, USER, AGENTS, MEMORY, learnings.
   *
   * @example
   * await tidemark.workspace.write("USER.md", "Call me Ada.", "user:ada");
   */
  readonly workspace: WorkspaceApi;
  /**
   * Pages that agents and people write down as they like: `notes.write("ideas/cats.md", "Cats like
   * boxes.")`.
   */
  readonly notes: NotesApi;
  /**
   * Pages with front matter, by category: `records.add({ category: "procedure", content: "#
   * Rollback\nTag, then deploy." })`.
   */
  readonly records: RecordsApi;
  /**
   * What the organisation holds to: `org.write({ category: "adr", content, author: "ada" })`.
   */
  readonly org: OrgApi;
  /**
   * One user at a time, with all that is that user's: a host's to ask, and no agent's.
   *
   * @example
   * await tidemark.users.forget("ada");
   */
  readonly users: UsersApi;
  /**
   * Memory as tools for an agent; where and how they are offered to the model is the host's to say.
   * Throws "config".
   *
   * @example
   * for (const { name, description, schema } of tidemark.tools()) console.log(name, schema);
   */
  tools(options?: ToolOptions): MemoryTool[];
  /**
   * What memory, pages and past conversations hold on a task, in one text of at most `tokens`
   * (1,000); each line names its source and score. Nothing related: an empty text. Rejects with
   * "config" or "closed".
   *
   * @example
   * const { text } = await tidemark.brief("Move the billing service to the new cluster");
   */
  brief(query: string, options?: BriefOptions): Promise<Brief>;
  /**
   * Begins a task with a brief of what is known, and ends it with what came of it: its words, notes
   * and result are found by later searches, its outcome or failure is remembered. Rejects with
   * "config", "closed", "store", "history" or "workspace".
   *
   * @example
   * const task = await tidemark.task({ description: "Move the billing service" });
   * await task.done("Moved; the old cluster is kept until Friday.");
   */
  task(input: TaskInput): Promise<Task>;
  /**
   * Is there anything to wake up for by itself? What is said to the prompt is kept in history, and
   * remembered only where the agent saves it. Rejects with "closed" or "workspace".
   *
   * @example
   * const { due, prompt } = await tidemark.heartbeat();
   */
  heartbeat(): Promise<Heartbeat>;
  /**
   * Takes out what has expired, puts together what says the like, archives what is more than is
   * kept, does what was queued, backs history up. `dryRun` only tells.
   *
   * @example
   * const { expired, archived, backup } = await tidemark.tidy();
   */
  tidy(options?: { dryRun?: boolean }): Promise<TidyReport>;
  /**
   * Counts, and what calls took: tokens and money, by purpose; with `since` or `by` sums of turns,
   * days with the latest first, else those that read most. Rejects with "config" or "history".
   *
   * @example
   * const { calls } = await tidemark.stats();
   */
  stats(options?: StatsOptions): Promise<Stats>;
  /** Tasks, costs, messages and more: `data.costs.save({ agent: "scout", dollars: 0.02 })`. */
  readonly data: DataApi;
  /** What the storage that was opened can do. */
  readonly capabilities: StorageCapabilities;
  /**
   * Whether the store and the pages can be read and written at this moment. Never rejects, and
   * takes `window.patience` at most.
   *
   * @example
   * const { ok, trouble } = await tidemark.health();
   */
  health(): Promise<Health>;
  /**
   * Resolves when no background work is left, or after 60 s.
   *
   * @example
   * await tidemark.idle();
   */
  idle(): Promise<void>;
  /**
   * Drains for at most 10 s, and closes every view; the rest is queued for the next start. Of a
   * view that `as` made: closes it alone, at once; a turn or task it began may still end.
   *
   * @example
   * await tidemark.close();
   */
  close(): Promise<void>;
}
