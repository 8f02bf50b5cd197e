import { existsSync, renameSync, rmSync } from "node:fs";
import { basename, resolve } from "node:path";
import { present } from "../../base/guards.ts";
import type { HistoryStore } from "../../model/history-store.ts";
import { backupsOf } from "../../store/repair/backup.ts";
import { type HistoryFileOptions, openHistory } from "../../store/history/file.ts";
import { knownOfHistory } from "../../store/repair/integrity.ts";
import { type Salvaged, salvageHistory } from "../../store/repair/salvage.ts";
import { exclusively } from "../../workspace/disk/lock.ts";
import {
  type Around,
  backupFolder,
  brokenToOpen,
  databaseOf,
  openMended,
  note,
  setAside,
  suspicion,
  unmark,
  wasUsed,
  watcher,
} from "./salvage-files.ts";

/**
 * The history of a workspace; what can be read of a damaged one is taken into a new one, and what
 * is missing is said.
 */
export async function openSoundHistory(
  root: string | undefined,
  { now, emit, ...how }: Around & Pick<HistoryFileOptions, "keep" | "mask">,
): Promise<HistoryStore> {
  if (root === undefined) return openHistory(":memory:", how);
  const kept = databaseOf(root, "history");
  const moved = (error: string): void => emit({ type: "degraded", where: "history", error });
  const open = (): HistoryStore =>
    openHistory(kept.path, { damaged: watcher(kept, emit), moved, ...how });
  const wrong = suspicion(kept);
  if (!existsSync(kept.path) && wasUsed(kept)) moved(gone(root, kept.path));
  const history = await openMended(kept, {
    wrong,
    open,
    mend: () => mendHistory(root, now()),
    emit,
  });
  if (wrong === undefined) unmark(kept);
  return history;
}

/**
 * Sets a damaged history aside and salvages it. Answers what was lost and kept, in a sentence;
 * nothing when it is sound.
 */
export async function mendHistory(root: string, now: number): Promise<string | undefined> {
  const kept = databaseOf(root, "history");
  return exclusively(resolve(root), async () => {
    // Another process may have been faster.
    const wrong = suspicion(kept) ?? (await brokenToOpen(kept, () => openHistory(kept.path)));
    if (wrong === undefined) {
      unmark(kept);
      return undefined;
    }
    const draft = `${kept.path}.mending`;
    for (const end of ["", "-wal", "-shm"]) rmSync(draft + end, { force: true });
    const salvaged = salvageHistory(kept.path, draft, {
      backups: backupsOf(backupFolder(root)),
      ...knownOfHistory(databaseOf(root, "memory index").path),
    });
    const aside = setAside(kept, now);
    renameSync(draft, kept.path);
    unmark(kept);
    const told = sentence(salvaged, wrong, aside);
    note(`${aside}.txt`, told);
    return told;
  });
}

/** Deleting the file is how a person forgets all of it: nothing is put back unasked. */
function gone(root: string, path: string): string {
  const [backup] = backupsOf(backupFolder(root));
  return `The history ${path} was gone, and a new one was begun.${backup === undefined ? "" : ` If it was not meant to go: end what uses this workspace, and put the backup ${backup} in its place.`}`;
}

const many = (count: number, one: string, more = `${one}s`): string =>
  `${count} ${count === 1 ? one : more}`;

function sentence(
  { kept, messages, conversations, ownerless, folds, media, broken, fromBackup }: Salvaged,
  wrong: string,
  aside: string,
): string {
  const lost = present([
    messages > 0 && `${many(messages, "message")} of ${many(conversations, "conversation")}`,
    folds > 0 && many(folds, "fold"),
    media > 0 && `the bytes of ${many(media, "picture or document", "pictures and documents")}`,
  ]);
  const unknown =
    broken.length === 0
      ? ""
      : " Not every page could be read: a conversation of which nothing is left is not counted.";
  const nothing =
    kept.messages > 0 ? "Nothing is known to be missing." : "How much is missing cannot be said.";
  return present([
    `The history was damaged (${wrong}) and was put aside as ${basename(aside)}; ${many(kept.conversations, "conversation")} with ${many(kept.messages, "message")} were read into a new one.`,
    fromBackup > 0 && `${many(fromBackup, "conversation")} came from a backup, as of its date.`,
    ownerless > 0 &&
      `Of ${many(ownerless, "conversation")} it is not known whose they were: they are kept and shown to nobody.`,
    (lost.length > 0 ? `Missing: ${lost.join(", ")}.` : nothing) + unknown,
  ]).join(" ");
}
