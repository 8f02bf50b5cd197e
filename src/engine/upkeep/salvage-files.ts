import {
  closeSync,
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
import { asOurs, reasonOf, refuse, TidemarkError } from "../../model/errors.ts";
import type { Listen } from "../../model/events.ts";
import { unsoundRows } from "../../store/repair/salvage.ts";
import { openAnew } from "../../workspace/disk/atomic.ts";
import { patiently } from "../../store/sqlite/busy.ts";
import { brokenBy, cutShort, integrityOf, isInUse } from "../../store/repair/integrity.ts";

/** What the repair of a workspace needs of its surroundings. */
export interface Around {
  readonly now: () => number;
  readonly emit: Listen;
}

/** A workspace whose upkeep is asked for. */
export interface Given extends Pick<Around, "now">, Partial<Pick<Around, "emit">> {
  readonly workspace: string;
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

/** A database file of a workspace, how to speak of it, and the code of what goes wrong with it. */
export type Kept = ReturnType<typeof databaseOf>;

export const databaseOf = (root: string, what: "history" | "memory index") => {
  const isHistory = what === "history";
  return {
    path: join(resolve(root), ".tidemark", isHistory ? "history.db" : "index.db"),
    what,
    code: isHistory ? ("history" as const) : ("store" as const),
  };
};

/** Written when a process ends well. */
export const wasUsed = ({ path }: Kept): boolean => existsSync(join(dirname(path), "journal.json"));

const markOf = ({ path }: Kept): string => `${path}.suspect`;

export function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // A file in a folder's place, a folder without the right to enter: opening says it better.
    return undefined;
  }
}

/** Was the file seen to be broken by the process that used it, or is it shorter than it says? */
export function suspicion(kept: Kept): string | undefined {
  // A link and a folder are told of where the file is opened.
  const stat = lookAt(kept.path);
  if (stat?.isFile() !== true) return undefined;
  // A file that is being made is empty, too; where a process has ended before, none is.
  const short =
    cutShort(kept.path) ?? (stat.size === 0 && wasUsed(kept) ? "it is empty" : undefined);
  if (short !== undefined) return short;
  return isMarked(kept)
    ? (integrityOf(kept.path)[0] ?? (kept.what === "history" ? unsoundRows(kept.path) : undefined))
    : undefined;
}

/** Lets the next start, or a repair, look through the file. */
export const mark = (kept: Kept, why: string): void => note(markOf(kept), why);
/** For a person who finds the file in a year. */
export function note(path: string, text: string): void {
  const file = openAnew(path);
  try {
    writeFileSync(file, `${text}\n`);
  } finally {
    closeSync(file);
  }
}

export const isMarked = (kept: Kept): boolean => existsSync(markOf(kept));
export const unmark = (kept: Kept): void => rmSync(markOf(kept), { force: true });

/** Told once a process; the mark makes the next start look through the file before it uses it. */
export function watcher(kept: Kept, emit: Listen): (thrown: unknown) => void {
  let told = false;
  return (thrown) => {
    if (told) return;
    told = true;
    let noted = "";
    try {
      mark(kept, reasonOf(thrown));
    } catch (trouble) {
      noted = ` (that could not be noted: ${reasonOf(trouble)})`;
    }
    emit({
      type: "degraded",
      where: kept.what,
      error: `${kept.path} is damaged (${reasonOf(thrown)}). What can be read of it is used; it is mended at the next start, or by "tidemark doctor --fix" when nothing else has it open${noted}.`,
    });
  };
}

/**
 * Out of the way under the date, never overwritten. Answers where it is. Rejects with "history" or
 * "store".
 */
export function setAside({ path, code }: Kept, now: number): string {
  if (isInUse(path))
    refuse(
      `${path} is damaged and another process has it open: what that writes would be lost. End it, then start again or run "tidemark doctor --fix".`,
      code,
    );
  let aside = `${path}.damaged-${new Date(now).toISOString().replaceAll(":", "-")}`;
  while (existsSync(aside)) aside += "~";
  try {
    for (const end of ["-wal", "-shm", ""])
      if (existsSync(path + end)) renameSync(path + end, aside + end);
    return aside;
  } catch (trouble) {
    throw new TidemarkError(
      code,
      `The damaged file ${basename(path)} in ${dirname(path)} could not be put aside: ${reasonOf(trouble)}. Move it away and start again.`,
      { cause: trouble },
    );
  }
}

/**
 * Opens a database; one that is `wrong`, or cannot be read, is mended first, and that is told. What
 * cannot be mended is used as far as it can be read; what cannot be opened either is an error that
 * says why.
 */
export async function openMended<T>(
  { path, what, code }: Kept,
  {
    wrong,
    open,
    mend,
    emit,
  }: {
    wrong: string | undefined;
    open: () => T;
    mend: () => Promise<string | undefined>;
    emit: Listen;
  },
): Promise<T> {
  const tell = (error: string): void => emit({ type: "degraded", where: what, error });
  if (wrong === undefined) {
    try {
      return await patiently(open);
    } catch (thrown) {
      if (brokenBy(path, thrown) === undefined) throw thrown;
    }
  }
  let trouble: TidemarkError | undefined;
  try {
    const told = await mend();
    if (told !== undefined) tell(told);
  } catch (thrown) {
    trouble = asOurs(
      thrown,
      code,
      (reason) =>
        `${path} is damaged and could not be mended: ${reason}. Nothing was taken away; free some space or check who owns the folder, and start again.`,
    );
  }
  try {
    const opened = await patiently(open);
    if (trouble !== undefined) tell(trouble.message);
    return opened;
  } catch (thrown) {
    throw trouble ?? thrown;
  }
}

/** Why a database does not open; undefined where it does, or is not there. */
export async function brokenToOpen(
  { path }: Kept,
  open: () => { close(): Promise<void> },
): Promise<string | undefined> {
  if (!existsSync(path)) return undefined;
  try {
    await patiently(() => open().close());
    return undefined;
  } catch (thrown) {
    const broken = brokenBy(path, thrown);
    if (broken === undefined) throw thrown;
    return broken;
  }
}

/** What was put aside of a database, with the note beside it. */
export const asidesOf = ({ path }: Kept): string[] =>
  existsSync(dirname(path))
    ? readdirSync(dirname(path))
        .filter((name) => name.startsWith(`${basename(path)}.damaged-`))
        .map((name) => join(dirname(path), name))
    : [];
