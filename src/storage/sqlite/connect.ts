import { closeSync, openSync, readSync } from "node:fs";
import { asDict } from "../../core/base.ts";
import { refuse } from "../../core/errors-and-events.ts";
import { type Connection, Database, keyedDatabase } from "../../core/installed.ts";

/** A database file, and the key it is encrypted with. */
export interface DatabaseAt {
  readonly path: string;
  readonly key?: string | undefined;
}

/** A workspace, and the key of its databases. */
export interface WorkspaceAt extends Pick<DatabaseAt, "key"> {
  readonly workspace: string;
}

type How = ConstructorParameters<typeof Database>[1];

/**
 * Opens the file. No other place does: the key of an encrypted one is given here. Throws "config"
 * where file and key do not go together; any other trouble shows where the file is read.
 */
export function connect({ path, key }: DatabaseAt, how: How): Connection {
  const isPlain = key === undefined || path === ":memory:";
  const database = isPlain ? new Database(path, how) : keyedDatabase(path, key, how);
  try {
    // SQLite would write what it sorts to files beside, and not encrypt them.
    if (!isPlain) database.pragma("temp_store = MEMORY");
    database.pragma("schema_version");
  } catch (thrown) {
    const why = asDict(thrown).code === "SQLITE_NOTADB" ? misfit(path, key) : undefined;
    if (why === undefined) return database;
    database.close();
    refuse(`${path} ${why}`);
  }
  return database;
}

const HEAD = 24;
const PLAIN = "SQLite format 3\0";
/** The header of an encrypted file is chance but for its sizes; these three are always the same. */
const [SIZES, SIZES_AT] = ["@  ", 21];

function misfit(path: string, key: string | undefined): string | undefined {
  const head = Buffer.alloc(HEAD);
  const file = openSync(path, "r");
  readSync(file, head, 0, HEAD, 0);
  closeSync(file);
  const text = head.toString("latin1");
  if (text.startsWith(PLAIN))
    return key === undefined
      ? undefined
      : "is not encrypted: open it without a key; for one that is, export the workspace so, and " +
          "import that with the key.";
  // The byte before says how much of each page the cipher takes.
  if (head[SIZES_AT - 1] === 0 || !text.startsWith(SIZES, SIZES_AT)) return undefined;
  return key === undefined
    ? 'is encrypted: give its key, by the option "key" or as TIDEMARK_KEY to the command line.'
    : "does not open with this key: give the one it was made with; if this is that one, the " +
        "file is damaged, and a backup belongs in its place.";
}
