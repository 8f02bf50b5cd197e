import type { Scope } from "../../core/identity.ts";
import type { Hit, Memory, Moment } from "../../core/memory.ts";
import type { NoteInfo } from "../../workspace/documents/notes.ts";
import type { StoredRecord } from "../../workspace/documents/records.ts";

/**
 * Pages written down as they come, under `notes` in the folder of each scope. A name leads from the
 * top of a scope's notes; unless given, that is the user's, else the agent's. Rejects with
 * "config" for a name that cannot be one or a text that is too long, and with "workspace".
 */
export interface NotesApi {
  /**
   * Writes a note as a whole, at most 200,000 characters, without secrets; the old text goes to
   * .tidemark/backups. Rejects with "scope-denied", too.
   *
   * @example
   * await tidemark.notes.write("releases.md", "Not on a Friday.", { scope: "team:web" });
   */
  write(name: string, text: string, options?: { scope?: Scope }): Promise<void>;
  /**
   * A note's text; undefined for one that is not there or out of scope.
   *
   * @example
   * const text = await tidemark.notes.read("releases/friday.md", { scope: "team:web" });
   */
  read(name: string, options?: { scope?: Scope }): Promise<string | undefined>;
  /**
   * What there is in every scope the identity reads, or in one.
   *
   * @example
   * for (const { name, scope } of await tidemark.notes.list()) console.log(scope, name);
   */
  list(options?: { scope?: Scope }): Promise<NoteInfo[]>;
  /**
   * Takes a note away; its text goes to .tidemark/backups. False where there is none.
   *
   * @example
   * await tidemark.notes.remove("releases/friday.md", { scope: "team:web" });
   */
  remove(name: string, options?: { scope?: Scope }): Promise<boolean>;
  /**
   * Moves a note to another scope, under its name; its old versions stay where it was. An agent's
   * move to a team or project waits in
   * `proposals`, then the note is answered as it stands, with `proposal`. Rejects with "not-found",
   * "scope-denied" and "conflict", too.
   *
   * @example
   * const { proposal } = await tidemark.notes.promote("releases/friday.md", { to: "team:web" });
   */
  promote(name: string, options: { to: Scope; scope?: Scope }): Promise<PromotedNote>;
}

export interface RecordInput {
  content: string;
  /** The folder it stands in: decision, procedure, principle, preference, incident, or any word. */
  category: string;
  /** The name of its file, without the ending. Default: from its first line. */
  name?: string;
  /** Other names of what it is about, for searches to meet. */
  aliases?: readonly string[];
  keywords?: readonly string[];
  source?: string;
  /** From then on it is found no more. */
  until?: Moment;
  /** Default: the user's, else the agent's. */
  scope?: Scope;
}

export interface RecordPatch extends Partial<
  Pick<RecordInput, "content" | "aliases" | "keywords" | "source">
> {
  /** null: for ever. */
  until?: Moment | null;
}

/**
 * Pages with front matter, one for each thing worth keeping whole. Writing rejects with "config",
 * "not-found", "scope-denied" or "workspace".
 */
export interface RecordsApi {
  /**
   * Writes `records/<category>/<name>.md`.
   *
   * @example
   * await tidemark.records.add({ category: "procedure", content: "# Rollback\nTag, deploy." });
   */
  add(input: RecordInput): Promise<StoredRecord>;
  /**
   * Changes what is given and leaves the rest, front matter of a person's own too; the old text
   * goes to .tidemark/backups.
   *
   * @example
   * await tidemark.records.update(id, { keywords: ["release"] });
   */
  update(id: string, patch: RecordPatch): Promise<StoredRecord>;
  /**
   * Moves it to another category; its id stays.
   *
   * @example
   * await tidemark.records.reclassify(id, "principle");
   */
  reclassify(id: string, category: string): Promise<StoredRecord>;
  /**
   * Leaves the file where it is and out of every search.
   *
   * @example
   * await tidemark.records.archive(id);
   */
  archive(id: string): Promise<StoredRecord>;
  /**
   * Lets searches find it again.
   *
   * @example
   * await tidemark.records.restore(id);
   */
  restore(id: string): Promise<StoredRecord>;
  /**
   * Removes the file and its old texts. False: there was none.
   *
   * @example
   * await tidemark.records.delete(id);
   */
  delete(id: string): Promise<boolean>;
  /**
   * The records in sight, the latest change first, at most `limit` (100). `archived: true`: those
   * that are archived.
   *
   * @example
   * const rules = await tidemark.records.list({ category: "principle" });
   */
  list(options?: {
    category?: string;
    archived?: boolean;
    scope?: Scope;
    limit?: number;
  }): Promise<StoredRecord[]>;
  /**
   * One by its id, archived or not; undefined for one that is unknown or out of sight.
   *
   * @example
   * const record = await tidemark.records.get(id);
   */
  get(id: string): Promise<StoredRecord | undefined>;
}

/** A memory as it stands; `proposal`: its move waits for a lead or a person under this id. */
export type Promoted = Memory & { readonly proposal?: string };

/** A note as it stands; `proposal`: its move waits for a lead or a person under this id. */
export type PromotedNote = NoteInfo & { readonly proposal?: string };

/** Something an agent may not do by itself. */
export type Proposal = ProposalOfMemory | ProposalOfNote;

interface ProposalOfMemory extends Proposing {
  /**
   * "promotion": the memory would move to `to`. "skill": it would be written as an Agent Skill.
   * "ending": it would be forgotten.
   */
  readonly kind: "promotion" | "skill" | "ending";
  readonly memory: Memory;
}

interface ProposalOfNote extends Proposing {
  /** The note would move to `to`. */
  readonly kind: "note";
  readonly note: NoteInfo & { readonly text: string };
  readonly memory?: undefined;
}

interface Proposing {
  readonly id: string;
  readonly to: Scope;
  /** The agent's scope. */
  readonly by: Scope;
  /** ms since epoch. */
  readonly at: number;
  /** What the memory or the note says. */
  readonly words: string;
  /** Of the words. */
  readonly digest: string;
}

/**
 * What waits to be decided by a lead or a person of the scope it is for. The proposer sees its own.
 */
export interface ProposalsApi {
  /**
   * What waits, the oldest first.
   *
   * @example
   * const [first] = await tidemark.proposals.list();
   */
  list(): Promise<Proposal[]>;
  /**
   * Does what was proposed; answers the memory or the note. Rejects with "not-found", with
   * "scope-denied" for a worker, "store" or "workspace", and with "conflict" where it no longer
   * says what `list` showed, by `words` or `digest`, or else what it said when it was proposed.
   *
   * @example
   * const [first] = await tidemark.proposals.list();
   * await tidemark.as({ role: "human", team: "crew" }).proposals.accept(first.id, first);
   */
  accept(id: string, shown?: { words?: string; digest?: string }): Promise<Memory | NoteInfo>;
  /**
   * Takes a proposal off; false where there is none. Its proposer may, too.
   *
   * @example
   * await tidemark.proposals.decline(id);
   */
  decline(id: string): Promise<boolean>;
}

export interface BriefOptions {
  /** All of it, headings and sources included. Default 1,000. */
  tokens?: number;
  /**
   * "prompt": fenced, for a system text or a message. "snippets": lines alone. "json": an array of
   * { source, score, text, unverified }.
   */
  format?: "prompt" | "snippets" | "json";
}

export interface Brief {
  /** Empty where nothing is known. */
  readonly text: string;
  readonly tokens: number;
  /** The hits that its lines were made of, in their order. */
  readonly hits: readonly Hit[];
}

export interface TaskInput {
  description: string;
  /** "tool": a stranger's words, as a ticket's, which no system text repeats. Default "host". */
  from?: "user" | "tool" | "host";
  /**
   * The host's own name of the task: the same id is one task, over restarts too. Default: a new
   * one.
   */
  id?: string;
  /** Things the host knows beside the description. */
  notes?: string;
  /** A task that is done over and over: it is remembered again only when its outcome changes. */
  repeat?: boolean;
  /** The most tokens of the brief. Default 1,000. */
  tokens?: number;
}

/** Is the agent to wake up by itself, and why, or why not. */
export interface Heartbeat {
  readonly due: boolean;
  readonly why: string;
  /**
   * What to wake up with: HEARTBEAT.md, what is open and what was remembered in the last two days,
   * within 4,000 tokens.
   */
  readonly prompt?: string;
}

/**
 * A task under way. It ends once, whatever process is first: `done` and `failed` answer false where
 * it had ended before, and change nothing then.
 */
export interface Task {
  readonly id: string;
  /** It says what is known, and that the task was begun before, where it was and has not ended. */
  readonly brief: Brief;
  note(text: string): Promise<void>;
  done(result?: unknown): Promise<boolean>;
  failed(error: unknown): Promise<boolean>;
}
