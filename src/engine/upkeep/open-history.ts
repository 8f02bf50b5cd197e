import { existsSync, renameSync, rmSync } from "node:fs";
import { basename, resolve } from "node:path";
import { present } from "../../base/guards.ts";
import type { HistoryStore } from "../../model/history-store.ts";
import { backupsOf } from "../../store/repair/backup.ts";
import { type HistoryFileOptions, openHistory } from "../../store/history/file.ts";
import { cursorIn, integrityOf } from "../../store/repair/integrity.ts";
import { type Salvaged, salvageHistory } from "../../store/repair/salvage.ts";
import { exclusively } from "../../workspace/disk/lock.ts";
import { backupFolder, databaseOf, type UpkeepHost } from "./database-files.ts";
import {
  brokenToOpen,
  note,
  openMended,
  setAside,
  suspicion,
  unmark,
  wasUsed,
  watcher,
} from "./mend.ts";

/** The history of a workspace; a damaged one is mended first, and what is missing is said. */
export async function openSoundHistory(
  root: string | undefined,
  { now, emit, ...how }: UpkeepHost & Pick<HistoryFileOptions, "keep" | "mask">,
): Promise<HistoryStore> {
  if (root === undefined) return openHistory(":memory:", how);
  const file = databaseOf(root, "history");
  const moved = (error: string): void => emit({ type: "degraded", where: "history", error });
  if (!existsSync(file.path) && wasUsed(file)) moved(gone(root, file.path));
  return openMended(file, {
    wrong: suspicion(file),
    open: () => openHistory(file.path, { damaged: watcher(file, emit), moved, ...how }),
    mend: () => mendHistory(root, now()),
    emit,
  });
}

/**
 * Puts a damaged history aside and takes what can be read of it, and of the newest backup, into a
 * new one. Answers in a sentence what was kept and lost; nothing when the history is sound.
 */
export async function mendHistory(root: string, now: number): Promise<string | undefined> {
  const file = databaseOf(root, "history");
  return exclusively(resolve(root), async () => {
    // Another process may have been faster.
    const wrong = suspicion(file) ?? (await brokenToOpen(file, () => openHistory(file.path)));
    if (wrong === undefined) return undefined;
    const draft = `${file.path}.mending`;
    for (const end of ["", "-wal", "-shm"]) rmSync(draft + end, { force: true });
    const backup = backupsOf(backupFolder(root)).find((path) => integrityOf(path).length === 0);
    const cursor = cursorIn(databaseOf(root, "memory index").path);
    const salvaged = salvageHistory(file.path, draft, { backup, cursor });
    const aside = setAside(file, now);
    renameSync(draft, file.path);
    unmark(file);
    const told = sentence(salvaged, `${wrong}) and was put aside as ${basename(aside)}`, backup);
    note(`${aside}.txt`, told);
    return told;
  });
}

/** Deleting the file is how a person forgets all of it: nothing is put back unasked. */
function gone(root: string, path: string): string {
  const [backup] = backupsOf(backupFolder(root));
  const cure = `end what uses this workspace, and put the backup ${backup ?? ""} in its place`;
  const way = backup === undefined ? "" : ` If it was not meant to go: ${cure}.`;
  return `The history ${path} was gone, and a new one was begun.${way}`;
}

const many = (count: number, one: string, more = `${one}s`): string =>
  `${count} ${count === 1 ? one : more}`;

function sentence(
  { conversations, messages, lost, broken }: Salvaged,
  putAside: string,
  backup: string | undefined,
): string {
  const missing = present([
    lost.messages > 0 &&
      `${many(lost.messages, "message")} of ${many(lost.conversations, "conversation")}`,
    lost.folds > 0 && many(lost.folds, "fold"),
    lost.media > 0 &&
      `the bytes of ${many(lost.media, "picture or document", "pictures and documents")}`,
  ]);
  const nothing =
    messages > 0 ? "Nothing is known to be missing." : "How much is missing cannot be said.";
  return present([
    `The history was damaged (${putAside}; ${many(conversations, "conversation")} with`,
    `${many(messages, "message")} were read into a new one.`,
    broken.length > 0 &&
      backup !== undefined &&
      `What could not be read came from the backup ${basename(backup)}, as of its date.`,
    missing.length > 0 ? `Missing: ${missing.join(", ")}.` : nothing,
    broken.length > 0 &&
      "Not every page could be read: a conversation of which nothing is left is not counted.",
  ]).join(" ");
}
