import {
  existsSync,
  type Dirent,
  lstatSync,
  promises as fs,
  readdirSync,
  type Stats,
} from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { Listen } from "../../model/events.ts";
import type { WorkspaceAt } from "../../store/sqlite/connect.ts";

/** Hears how far a long work is: "12,000 messages read". */
export type Progress = (done: number, what: string) => void;

/** The upkeep of a workspace has its key, and tells the time and what happens. */
export interface UpkeepHost extends Pick<WorkspaceAt, "key"> {
  readonly now: () => number;
  readonly emit: Listen;
  readonly progress?: Progress;
}

/** A workspace whose upkeep is asked for. */
export interface UpkeepOf extends WorkspaceAt, Partial<Omit<UpkeepHost, "key" | "now">> {
  readonly now: UpkeepHost["now"];
}

/**
 * All that lies below a folder, links not followed, each named from the root; nothing where there
 * is no such folder.
 */
export async function entriesIn(
  root: string,
  folder = "",
): Promise<{ path: string; entry: Dirent }[]> {
  const top = join(root, folder);
  if (!existsSync(top)) return [];
  const entries = await fs.readdir(top, { recursive: true, withFileTypes: true });
  return entries
    .map((entry) => ({
      path: relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, "/"),
      entry,
    }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

export const backupFolder = (root: string): string => join(resolve(root), ".tidemark", "backups");

/** The database of a workspace is spoken of in messages. */
export type DatabaseFile = ReturnType<typeof databaseOf>;

export const databaseOf = ({ workspace, key }: WorkspaceAt) => ({
  key,
  path: join(resolve(workspace), ".tidemark", "tidemark.db"),
});

export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // A file in a folder's place, a folder without the right to enter: opening says it better.
    return undefined;
  }
}

/** Files of a database that were put aside as damaged, with the notes beside them. */
export const asidesOf = ({ path }: DatabaseFile): string[] =>
  existsSync(dirname(path))
    ? readdirSync(dirname(path))
        .filter((name) => name.startsWith(`${basename(path)}.damaged-`))
        .map((name) => join(dirname(path), name))
    : [];
