import { type Connection } from "../sqlite/database.ts";
import { type Scopes } from "../sqlite/scopes.ts";

/** Where a vector stands: found, or set aside (past values; texts an embedder makes nothing of). */
export const LIVE = 0;
export const ASIDE = -1;

export interface ModelRow {
  readonly number: number;
  readonly name: string;
  readonly dimensions: number;
  readonly notes: string | null;
}

interface Models {
  use(name: string, dimensions: number): ModelRow;
  note(notes: string): void;
  /** Undefined when there is none, or when another process has put another model in its place. */
  current(): ModelRow | undefined;
}

/** The model in use, by this process and by the database: another process may have changed it meanwhile. */
export function vectorModels(database: Connection): Models {
  const find = database.prepare(
    "select number, name, dimensions, notes from vector_model where name = ? and dimensions = ?",
  );
  const add = database.prepare("insert into vector_model (name, dimensions) values (?, ?)");
  const choose = database.prepare(
    "update vector_model set current = (number = ?) where current <> (number = ?)",
  );
  const isCurrent = database.prepare("select current from vector_model where number = ?").pluck();
  const note = database.prepare("update vector_model set notes = ? where number = ?");
  let inUse: ModelRow | undefined;

  const use = database.transaction((name: string, dimensions: number): ModelRow => {
    const known = find.get(name, dimensions) as ModelRow | undefined;
    if (known === undefined) add.run(name, dimensions);
    const model = known ?? (find.get(name, dimensions) as ModelRow);
    choose.run(model.number, model.number);
    inUse = model;
    return model;
  });

  return {
    use: (name, dimensions) => use.immediate(name, dimensions),
    note(notes) {
      if (inUse !== undefined) note.run(notes, inUse.number);
    },
    current: () => (inUse !== undefined && isCurrent.get(inUse.number) === 1 ? inUse : undefined),
  };
}

/** What the parts of the vector index share. */
export interface VectorRoom {
  readonly database: Connection;
  readonly scopes: Scopes;
  readonly models: Models;
}
