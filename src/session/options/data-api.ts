import type { Dict } from "../../core/base.ts";
import type { DataMember, DataSum } from "../../storage/data-port.ts";

type Name<T> = keyof T & string;
type Where<T> = { readonly [Each in keyof T]?: DataMember | undefined };

export interface RepositoryOptions<T> {
  /** The member that a row is known by: a text. */
  key: Name<T>;
  /** Rows are listed and summed by these: texts of at most 500 characters, numbers, booleans. */
  indexes?: readonly Name<T>[] | undefined;
  /** No row is changed or taken out. */
  appendOnly?: boolean | undefined;
}

/** Rows of JSON by key, of the workspace: of no identity, and seen by each view. */
export interface Repository<T extends object> {
  /**
   * Puts a row in the place of the one of its key, and answers it as it is kept, on disk by then. A
   * key that is left out is drawn, and sorts behind those of before. `was`: only where the row is
   * still this one; rejects with "conflict" where not, or where an append-only repository has it.
   *
   * @example
   * const mine = await tidemark.data.tasks.save({ ...task, status: "taken" }, { was: task });
   */
  save(row: T | Omit<T, "id">, options?: { was?: T | undefined }): Promise<T>;
  /** The row of a key; undefined where there is none. */
  get(key: string): Promise<T | undefined>;
  /**
   * Rows with these values of indexes, by key: at most `limit` (100, up to 1,000) of those behind
   * `after`. A limit below 0: the last so many, of those before `after`.
   *
   * @example
   * const latest = await tidemark.data.messages.list({ channel: "ops" }, -20);
   */
  list(where?: Where<T>, limit?: number, after?: string): Promise<T[]>;
  /** Takes a row out; false where there is none. */
  delete(key: string): Promise<boolean>;
  /**
   * Counts rows, and the numbers in `of`, for each value of an index: the 1,000 with most rows.
   *
   * @example
   * const [most] = await tidemark.data.costs.aggregate({ of: "dollars", by: "agent" });
   */
  aggregate(asked?: { of?: Name<T>; by?: Name<T>; where?: Where<T> }): Promise<DataSum[]>;
}

/** Rows of the ready ones are found by these; the key of each is `id`. */
export const READY = {
  tasks: "status agent project",
  costs: "agent task model",
  messages: "channel sender",
  /** Append only. */
  audit: "action agent",
  /** Contexts that wait for an approval. */
  parked: "agent approval",
  /** States of agents. */
  agents: "status",
  checkpoints: "task execution",
  heartbeats: "agent",
  settings: "namespace",
  artifacts: "task agent kind",
  projects: "status lead",
  presets: "kind",
} as const;
type Ready = typeof READY;
type MembersIn<Text> = Text extends `${infer First} ${infer Rest}`
  ? First | MembersIn<Rest>
  : Text & string;

/**
 * Operational data of a company's agents. Each method rejects with "config", "closed", "store", or
 * with "capability" where the storage has no room for it. A row with a member `user` goes when that
 * user is forgotten.
 */
export type DataApi = {
  /** Beside these members a row has what you like. */
  readonly [Each in keyof Ready]: Repository<
    Dict & { readonly id: string } & { readonly [Member in MembersIn<Ready[Each]>]?: DataMember }
  >;
} & {
  /**
   * Rows of your own. Throws "config".
   *
   * @example
   * const orders = tidemark.data.repository("orders", { key: "id", indexes: ["status"] });
   */
  repository<T extends object = Dict>(
    name: string,
    how: RepositoryOptions<NoInfer<T>>,
  ): Repository<T>;
};

/** The storage that was opened can do this; all else is refused with "capability". */
export interface StorageCapabilities {
  /** "own": the host's. */
  storage: "sqlite" | "memory" | "postgres" | "own";
  data: boolean;
  /** Memory can be found by meaning. */
  vectors: boolean;
  encrypted: boolean;
  /** Processes on many machines share it. */
  machines: boolean;
  /** `tidy` backs it up, and `users` tells users apart. */
  files: boolean;
}

export interface Health extends Pick<StorageCapabilities, "storage"> {
  /** All three that follow. */
  ok: boolean;
  reads: boolean;
  writes: boolean;
  /** Files of the workspace can be written. */
  pages: boolean;
  /** Pages that are behind, and queued work of this identity. */
  owed: number;
  waiting: number;
  /** A sentence for each thing that fails. */
  trouble: string[];
  ms: number;
}
