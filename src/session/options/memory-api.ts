import type { Scope } from "../../core/identity.ts";
import type {
  Category,
  ForgetTarget,
  Hit,
  InjectInput,
  ListOptions,
  Memory,
  MemoryPatch,
  Moment,
  RecallOptions,
  SaveInput,
  SearchOptions,
} from "../../core/memory.ts";
import type { EntityChange, EntityFact } from "./entity-api.ts";
import type { PastValue } from "../../memory/memories.ts";
import type { TurnInfo } from "../../core/turns.ts";
import type { MemoryPage, PageOptions } from "../../memory/recalling/page.ts";
import type { Promoted } from "./knowledge-api.ts";

export interface MemoryPast {
  readonly values: readonly PastValue[];
  /**
   * In the identity's own conversations; of five messages, those that share most with it first, 300
   * characters at most of each.
   */
  readonly said: readonly {
    readonly conversation: string;
    readonly position: number;
    /** ms since epoch. */
    readonly at: number;
    readonly role: string;
    readonly text: string;
  }[];
  /** Of the identity's own, which told or recalled it: the latest 100, the latest first. */
  readonly turns: readonly TurnInfo[];
}

/**
 * Facts of one identity. Reading answers what it can and tells the listener of trouble; writing
 * rejects with `TidemarkError`.
 */
export interface MemoryApi {
  /**
   * Remembers a text: daily log first, then the database and MEMORY.md. One that says what is known
   * already is confirmed, not doubled; the same `key` takes the place of what was. Rejects with
   * "config", "scope-denied", "store" or "workspace".
   *
   * @example
   * await tidemark.memory.save({ content: "Invoices are in euro.", key: "currency" });
   */
  save(memory: string | SaveInput): Promise<Memory>;
  /**
   * Facts for a question, the best first, at most `limit` (10). Nothing related: `[]`. Rejects with
   * "config" only.
   *
   * @example
   * const [hit] = await tidemark.memory.recall("which currency?", { limit: 3 });
   * console.log(hit?.content, hit?.score); // score: 0…1, absolute
   */
  recall(query: string, options?: RecallOptions): Promise<Hit[]>;
  /**
   * The same over facts, files of the workspace and past conversations, in one list. Rejects with
   * "config" only.
   *
   * @example
   * const hits = await tidemark.memory.search("who broke the build?", { in: ["history"] });
   */
  search(query: string, options?: SearchOptions): Promise<Hit[]>;
  /**
   * One memory by its id; undefined for an id that is unknown or out of scope. `use`: it is read to
   * be used, which counts as being found does. Rejects with "config" or "retrieval".
   *
   * @example
   * const memory = await tidemark.memory.get(id);
   */
  get(id: string, options?: { use?: boolean }): Promise<Memory | undefined>;
  /**
   * The values of a memory, the latest first, who said it, and the turns that used it; undefined
   * for an id that is unknown or out of scope. Rejects with "retrieval".
   *
   * @example
   * const { said } = (await tidemark.memory.past(id)) ?? {};
   */
  past(id: string): Promise<MemoryPast | undefined>;
  /**
   * What is known of a name, such as a service or a person, or was at `asOf`: what holds longest
   * first. Rejects with "config" for what is no name, or "retrieval".
   *
   * @example
   * const [{ memory, since }] = await tidemark.memory.about("billing");
   */
  about(entity: string, options?: { asOf?: Moment }): Promise<EntityFact[]>;
  /**
   * What became of what was known of a name, from `since` on, the earliest first. Rejects as
   * `about` does.
   *
   * @example
   * for (const { text } of await tidemark.memory.changes("billing")) console.log(text);
   */
  changes(entity: string, options?: { since?: Moment }): Promise<EntityChange[]>;
  /**
   * What is remembered, the latest change first, at most `limit` (100). Rejects with "config" or
   * "retrieval".
   *
   * @example
   * const rules = await tidemark.memory.list({ category: "principle", limit: 10 });
   */
  list(options?: ListOptions): Promise<Memory[]>;
  /**
   * What is remembered, page by page: `order` "updated" (the default), "stated", "importance" or
   * "used", the highest first, at most `limit` (100) of those that hold all words of `text`, or
   * words that begin so. `asOf`: the values that held then. `after` is there where more follow, for
   * the next call. Rejects with "config" or "retrieval".
   *
   * @example
   * const { memories, after } = await tidemark.memory.page({ text: "invoic" });
   */
  page(options?: PageOptions): Promise<MemoryPage>;
  /**
   * The categories of what the identity may see, the fullest first. Rejects with "retrieval".
   *
   * @example
   * const [{ name, memories }] = await tidemark.memory.categories();
   */
  categories(): Promise<readonly Category[]>;
  /**
   * Changes a memory; its earlier value stays findable with `asOf`. Rejects with "conflict" where
   * `version` is given and is no longer the memory's, with "not-found", "config", "scope-denied",
   * "store" or "workspace".
   *
   * @example
   * await tidemark.memory.update(id, { content: "Invoices are in francs." }, { version: 1 });
   */
  update(id: string, patch: MemoryPatch, options?: { version?: number }): Promise<Memory>;
  /**
   * Moves a memory to a scope the identity may add to. It keeps its id, origin and uses; `asOf`
   * before it finds it where it was. An agent's move to a team or project waits as a `proposal`.
   * Rejects with "conflict" where the words or the key stand there already, with "not-found",
   * "config", "scope-denied", "store" or "workspace".
   *
   * @example
   * const { proposal } = await tidemark.memory.promote(id, { to: "team:crew" });
   */
  promote(id: string, options: { to: Scope }): Promise<Promoted>;
  /**
   * A copy of a memory for a team, a project or an organisation, of the same origin; its hits name
   * the `author`, and the same published again is one. Rejects with "not-found", "config",
   * "scope-denied", "store" or "workspace".
   *
   * @example
   * await tidemark.memory.publish(id, { to: "project:web" });
   */
  publish(id: string, options: { to: Scope }): Promise<Memory>;
  /**
   * Ends a memory, saying by whom and why; one that was published may be ended or changed by its
   * author, a lead or a person. False where there is none. Rejects with "scope-denied", "store" or
   * "workspace".
   *
   * @example
   * await tidemark.memory.retract(id, { reason: "We deploy by hand again." });
   */
  retract(id: string, options?: { reason?: string }): Promise<boolean>;
  /**
   * A lead's word to an agent of its team, or to a scope of its own: marked as such, first among
   * the facts of the next epoch. Rejects with "config", "scope-denied", "store" or "workspace".
   *
   * @example
   * await tidemark.memory.inject({ to: "team:crew", content: "Tests run before every push." });
   */
  inject(memory: InjectInput): Promise<Memory>;
  /**
   * Ends a memory as a line deleted in MEMORY.md does: it holds no more, and `undo` brings it back.
   * False for what has ended, is unknown or out of scope. Rejects with "conflict" where `version`
   * is given and is no longer the memory's, with "config", "scope-denied", "store" or "workspace".
   *
   * @example
   * await tidemark.memory.end(id);
   */
  end(id: string, options?: { version?: number }): Promise<boolean>;
  /**
   * Deletes for good, from search, pages, logs and backups, and answers how many went; 0 for what
   * is unknown or out of scope. Rejects with "conflict" where `version` is given and is no longer
   * the memory's, with "config", "scope-denied", "store" or "workspace".
   *
   * @example
   * await tidemark.memory.forget({ key: "currency" });
   */
  forget(target: ForgetTarget, options?: { version?: number }): Promise<number>;
  /**
   * Brings back what ended within thirty days, by `end` or a line deleted in MEMORY.md: by its id
   * or the mark its line had. Undefined where there is nothing to bring back. Rejects with "store"
   * or "workspace".
   *
   * @example
   * await tidemark.memory.undo("7k2p");
   */
  undo(name: string): Promise<Memory | undefined>;
  /**
   * Brings back, word for word, what consolidation put into the archive; `tidy` and the event
   * `archived` name it. Undefined where there is nothing of that id. Rejects with "store" or
   * "workspace".
   *
   * @example
   * const { archived } = await tidemark.tidy();
   * for (const { id } of archived) await tidemark.memory.restore(id);
   */
  restore(id: string): Promise<Memory | undefined>;
}
