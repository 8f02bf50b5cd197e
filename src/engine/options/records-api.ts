import type { Moment } from "../../model/memory.ts";
import type { Scope } from "../../model/identity.ts";
import type { StoredRecord } from "../../workspace/documents/records.ts";

export type { StoredRecord } from "../../workspace/documents/records.ts";

/** What is written above a record's text, for searches to meet. */
interface RecordWords {
  /** Other names of what it is about. */
  aliases?: readonly string[];
  keywords?: readonly string[];
  /** Where it comes from. */
  source?: string;
}

export interface RecordInput extends RecordWords {
  content: string;
  /** The folder it stands in: decision, procedure, principle, preference, incident, or any word. */
  category: string;
  /** Of its file, without the ending. Default: from its first line. */
  name?: string;
  /** From then on it is found no more. */
  until?: Moment;
  /** Default: the agent's own. */
  scope?: Scope;
}

export interface RecordPatch extends RecordWords {
  content?: string;
  /** null: for ever. */
  until?: Moment | null;
}

/** Pages with front matter, one for each thing worth keeping whole. Writing rejects with "config", "not-found", "scope-denied" or "workspace". */
export interface RecordsApi {
  /**
   * Writes `records/<category>/<name>.md`.
   *
   * @example
   * await tidemark.records.add({ category: "procedure", content: "# Rollback\nTag, deploy, tell the desk." });
   */
  add(input: RecordInput): Promise<StoredRecord>;
  /**
   * Changes what is given and leaves the rest, front matter of a person's own too; the old text goes to .tidemark/backups.
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
   * Removes the file; its text stays in .tidemark/backups. False: there was none.
   *
   * @example
   * await tidemark.records.delete(id);
   */
  delete(id: string): Promise<boolean>;
  /**
   * The records in sight, the latest change first, at most `limit` (100). `archived: true`: those that are archived.
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
