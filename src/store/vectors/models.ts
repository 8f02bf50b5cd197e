import type { Desk } from "../sqlite/database.ts";
import type { Scopes } from "../sqlite/scopes.ts";

/** A vector is found, or set aside (past values; texts an embedder makes nothing of). */
export const LIVE = 0;
export const ASIDE = -1;

export interface ModelRow {
  readonly number: number;
  readonly name: string;
  readonly dimensions: number;
  readonly notes: string | null;
}

/**
 * The model in use, by this process and by the database: another process may have changed it
 * meanwhile.
 */
export function vectorModels({ row, run, value, inOne }: Desk) {
  const find = row<ModelRow>(
    "select number, name, dimensions, notes from vector_model where name = ? and dimensions = ?",
  );
  const add = run("insert into vector_model (name, dimensions) values (?, ?)");
  // What another model took over meanwhile is missing again.
  const choose = run(
    "update vector_model set current = (number = @number), swept = 0 " +
      "where current <> (number = @number)",
  );
  const isCurrent = value<number>("select current from vector_model where number = ?");
  const note = run("update vector_model set notes = ? where number = ?");
  let inUse: ModelRow | undefined;

  return {
    /** Answers what was noted of the model before. */
    use: inOne((name: string, dimensions: number, notes?: string) => {
      // Known, it is not written: other processes would read all their vectors anew.
      if (find(name, dimensions) === undefined) add(name, dimensions);
      inUse = find(name, dimensions);
      choose({ number: inUse?.number });
      if (notes !== undefined) note(notes, inUse?.number);
      return notes ?? inUse?.notes ?? undefined;
    }),
    /** Undefined when there is none, or when another process has put another model in its place. */
    current: (): ModelRow | undefined =>
      inUse !== undefined && isCurrent(inUse.number) === 1 ? inUse : undefined,
  };
}

/** How vectors are compared, where that is not the usual way. */
export interface VectorOptions {
  /** Scopes with fewer vectors are compared one by one. */
  readonly few?: number;
  /** Loads sqlite-vec; throws where there is none. */
  readonly load?: () => void;
  /** Is told once that sqlite-vec could not be loaded. */
  readonly missing?: (thrown: unknown) => void;
}

/**
 * Whether sqlite-vec is there, loaded when that first matters: without an embedder nothing needs
 * it.
 */
export function extension({ load, missing }: VectorOptions): () => boolean {
  let isThere: boolean | undefined;
  return () => {
    if (isThere !== undefined) return isThere;
    try {
      load?.();
      isThere = load !== undefined;
    } catch (thrown) {
      isThere = false;
      missing?.(thrown);
    }
    return isThere;
  };
}

/** The parts of the vector index share it. */
export interface VectorRoom extends Desk {
  readonly few: number;
  readonly scans: () => boolean;
  readonly scopes: Scopes;
  readonly models: ReturnType<typeof vectorModels>;
}
