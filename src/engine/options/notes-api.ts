import type { Scope } from "../../model/identity.ts";
import type { NoteInfo } from "../../workspace/documents/notes.ts";
import type { PromotedNote } from "./proposal-types.ts";

/**
 * Pages written down as they come, under `notes` in the folder of each scope. A name leads from the top of a scope's notes; the scope is
 * the agent's own unless given. Rejects with "config" for a name that cannot be one or a text that is too long, and with "workspace".
 */
export interface NotesApi {
  /**
   * Writes a note as a whole, at most 200,000 characters, without secrets; the old text goes to .tidemark/backups. Rejects with
   * "scope-denied", too.
   *
   * @example
   * await tidemark.notes.write("releases/friday.md", "Nothing goes out on a Friday.", { scope: "team:web" });
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
   * for (const { name, scope, bytes } of await tidemark.notes.list()) console.log(scope, name, bytes);
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
   * Moves a note to another scope, under its name; its old versions stay where it was. An agent's move to a team or project waits in
   * `proposals` (`advanced.promotion`), then the note is answered as it stands, with `proposal`. Rejects with "not-found",
   * "scope-denied" and "conflict", too.
   *
   * @example
   * const { proposal } = await tidemark.notes.promote("releases/friday.md", { to: "team:web" });
   */
  promote(name: string, options: { to: Scope; scope?: Scope }): Promise<PromotedNote>;
}
