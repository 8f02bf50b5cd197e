import {
  type Dirent,
  existsSync,
  lstatSync,
  promises as fs,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { asOurs, type Listen, reasonOf, refuse } from "../../core/errors-and-events.ts";
import { backupsOf } from "../../storage/sqlite/backup.ts";
import type { WorkspaceAt } from "../../storage/sqlite/database-file.ts";
import { brokenBy, integrityOf, isInUse } from "../../storage/sqlite/salvage.ts";
import { patiently } from "../../storage/sqlite/shared-file.ts";
import { exclusively } from "../../workspace/disk/disk-folder.ts";

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
type DatabaseFile = ReturnType<typeof databaseOf>;

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

const markOf = ({ path }: DatabaseFile): string => `${path}.suspect`;

/** The reason to mend a file before it is opened: it was emptied, or seen to be damaged. */
function suspicion(file: DatabaseFile): string | undefined {
  // A link and a folder are told of where the file is opened.
  const stat = lookAt(file.path);
  if (stat?.isFile() !== true) return undefined;
  // A file that is being made is empty, too; where there is a backup, one was made before.
  if (stat.size === 0 && backupsOf(join(dirname(file.path), "backups")).length > 0)
    return "it is empty";
  if (!existsSync(markOf(file))) return undefined;
  return integrityOf(file)[0] ?? "it was seen to be damaged";
}

/** The next start mends what is marked. No link is written through. */
export function mark(file: DatabaseFile): void {
  rmSync(markOf(file), { force: true });
  writeFileSync(markOf(file), "", { flag: "wx", mode: 0o600 });
}

/** Damage is told once a process; the mark makes the next start mend the file. */
export function watcher(file: DatabaseFile, emit: Listen): (thrown: unknown) => void {
  let told = false;
  return (thrown) => {
    if (told) return;
    told = true;
    try {
      mark(file);
    } catch {
      // A disk that takes no mark is no reason to fail what reads.
    }
    emit({
      type: "degraded",
      where: "database",
      error:
        `${file.path} is damaged (${reasonOf(thrown)}). What can be read of it is used; ` +
        'it is mended at the next start, or by "tidemark doctor --fix" when nothing else ' +
        "has it open.",
    });
  };
}

/** The file goes out of the way under the date and is never overwritten. Answers where it is. */
export function setAside(file: DatabaseFile, now: number): string {
  const { path } = file;
  if (isInUse(file))
    refuse(
      `${path} is damaged and another process has it open: what that writes would be lost. ` +
        `End it, then start again or run "tidemark doctor --fix".`,
      "store",
    );
  let aside = `${path}.damaged-${new Date(now).toISOString().replaceAll(":", "-")}`;
  while (existsSync(aside)) aside += "~";
  for (const end of ["-wal", "-shm", ""])
    if (existsSync(path + end)) renameSync(path + end, aside + end);
  return aside;
}

interface Opening<T> {
  readonly open: () => T;
  /** Mends a file with which that is wrong; answers in a sentence what was kept and lost. */
  readonly mend: (wrong: string) => string | Promise<string>;
  readonly emit: Listen;
}

/**
 * Opens a database; one that is wrong, or cannot be read, is mended first, and that is told. What
 * cannot be mended is used as far as it can be read; what cannot be opened either is an error that
 * says why.
 */
export async function openMended<T>(
  file: DatabaseFile,
  { open, mend, emit }: Opening<T>,
): Promise<T> {
  const { path } = file;
  const tell = (error: string): void => emit({ type: "degraded", where: "database", error });
  const tried = async (): Promise<{ opened: T } | { broken: string }> => {
    const suspected = suspicion(file);
    if (suspected !== undefined) return { broken: suspected };
    try {
      return { opened: await patiently(open) };
    } catch (thrown) {
      const broken = brokenBy(thrown);
      if (broken === undefined) throw thrown;
      return { broken };
    }
  };
  const first = await tried();
  if ("opened" in first) return first.opened;
  try {
    return await exclusively(dirname(dirname(path)), async () => {
      // Another process may have been faster.
      const again = await tried();
      if ("opened" in again) return again.opened;
      tell(await mend(again.broken));
      rmSync(markOf(file), { force: true });
      return patiently(open);
    });
  } catch (thrown) {
    const trouble = asOurs(
      thrown,
      "store",
      (reason) =>
        `${path} is damaged and could not be mended: ${reason}. Nothing was taken away; ` +
        `free some space or check who owns the folder, and start again.`,
    );
    const opened = await patiently(open).catch(() => {
      throw trouble;
    });
    tell(trouble.message);
    return opened;
  }
}
