import type { Scope } from "../../model/identity.ts";
import type { Lesson } from "../../workspace/pages/learnings.ts";
import type { WorkspaceFile } from "../../workspace/search/page-files.ts";
import type { FileHit } from "../../workspace/search/page-search.ts";
import type { OpenFile } from "../../workspace/workspace.ts";

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
