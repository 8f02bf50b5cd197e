import type { Scope } from "../model/identity.ts";
import type { conversationsIn } from "./documents/conversations.ts";
import type { LogLine } from "./log/daily-log.ts";
import type { Lesson } from "./pages/learnings.ts";
import type { Logbook } from "./log/logbook.ts";
import type { Notes } from "./documents/notes.ts";
import type { Pages } from "./pages/page-copies.ts";
import type { PromptCaps, PromptTexts } from "./pages/prompt-files.ts";
import type { ReceiptLine } from "./lines/receipt-line.ts";
import type { Records } from "./documents/records.ts";
import type { skillsIn } from "./documents/skills.ts";
import type { WorkspaceFile } from "./search/page-files.ts";
import type { Brought } from "./search/page-rows.ts";
import type { ByMeaning, FileHit } from "./search/page-search.ts";

/** Files a person and an agent may read and write as a whole. */
export const OPEN_FILES = ["SOUL.md", "USER.md", "AGENTS.md", "MEMORY.md", "HEARTBEAT.md"] as const;
export type OpenFile = (typeof OPEN_FILES)[number];

/** How often memories were used, which agents were seen, what waits to be decided, which preferences were proposed once. */
type Note = "uses" | "agents" | "proposals" | "preferences";

/** How memories are forgotten: with what says the same (default), and whether they went by themselves. */
export interface Forgetting {
  readonly sayings?: boolean;
  readonly expired?: boolean;
}

/** Which memories a line must belong to. The predicate sees lines of the daily logs. */
export type Which = readonly string[] | ((line: LogLine) => boolean);

/**
 * The folder of Markdown files, scope by scope. Reading (`prompt`, `files`, `search`) passes over a file that cannot be
 * read and tells the listener; everything else rejects with TidemarkError "workspace".
 */
export interface Workspace {
  /** The folder, undefined when nothing is kept on disk. */
  readonly root: string | undefined;
  /** Makes what is absent, changes nothing that is there. */
  scaffold(scopes: readonly Scope[]): Promise<void>;
  /** The texts of the system prompt, each within its cap; of MEMORY.md what a person keeps there: the rest is memory's to tell. */
  prompt(scopes: readonly Scope[], caps?: Partial<PromptCaps>): Promise<PromptTexts>;
  /** MEMORY.md as it shows what memory holds. */
  readonly pages: Pages;
  /** What agents and people write down as they like. */
  readonly notes: Notes;
  /** The pages under `records`. */
  readonly records: Records;
  /** What was written of memories as Agent Skills, outside the workspace. */
  readonly skills: ReturnType<typeof skillsIn>;
  /** The pages under `conversations`, which are written behind conversations. */
  readonly conversations: ReturnType<typeof conversationsIn>;
  /** Out of MEMORY.md, its backups and the daily logs, where tombstones stay. Answers how many memories were met. */
  forget(which: Which, scope: Scope, options?: Forgetting): Promise<number>;
  /** On disk when it resolves, with one fsync a day of the log; the receipt last. */
  log(lines: readonly LogLine[], scope: Scope, receipt?: ReceiptLine): Promise<void>;
  /** No other process changes a file of the workspace meanwhile; what `work` changes in them stands if it succeeds, else none of it. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** The daily logs as a journal. */
  readonly journal: Logbook;
  /** Changes a note of the machine's own, beside the databases; no other change of it comes in between. */
  keep(name: Note, change: (text: string | undefined) => string | undefined): Promise<void>;
  kept(name: Note): Promise<string | undefined>;
  learn(lesson: Lesson, scope: Scope): Promise<void>;
  files(scopes: readonly Scope[]): Promise<WorkspaceFile[]>;
  /** What another program wrote is found within two seconds of the clock, what was written here at once. */
  search(
    query: string,
    options: {
      readonly scopes: readonly Scope[];
      readonly limit?: number;
      readonly near?: ByMeaning;
    },
  ): Promise<FileHit[]>;
  /** Brings what was written here into the index now; trouble is told. */
  settle(scope: Scope): Promise<void>;
  /**
   * Reads a page that another program has changed, or all pages in a folder, now; `path` from the root, "" for all. `known`: scopes
   * whose folder's name does not tell them. Rejects with "config" or "workspace".
   */
  index(path: string, known?: readonly Scope[]): Promise<Brought>;
  /** "" when the file is absent. */
  read(name: OpenFile, scope: Scope): Promise<string>;
  /** At most WRITE_BOUND characters; the old text goes to .tidemark/backups. */
  write(name: OpenFile, text: string, scope: Scope): Promise<void>;
  /** The same for a text made from the old one, with no other change in between; undefined leaves the file alone. */
  edit(name: OpenFile, change: (text: string) => string | undefined, scope: Scope): Promise<void>;
}
