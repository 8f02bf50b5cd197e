import { existsSync, renameSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { present } from "../../base/guards.ts";
import type { HistoryStore } from "../../model/history-store.ts";
import { backupsOf } from "../../store/repair/backup.ts";
import { type HistoryFileOptions, openHistory } from "../../store/history/file.ts";
import { cursorIn, isSound } from "../../store/repair/integrity.ts";
import { type Salvaged, salvageHistory } from "../../store/repair/salvage.ts";
import { asked } from "../../store/sqlite/database.ts";
import { backupFolder, databaseOf, type UpkeepHost, type UpkeepOf } from "./database-files.ts";
import { openMended, setAside, suspicion, wasUsed, watcher } from "./mend.ts";

/** The history of a workspace; a damaged one is mended first, and what is missing is said. */
export async function openSoundHistory(
  root: string | undefined,
  { now, emit, ...how }: UpkeepHost & Pick<HistoryFileOptions, "keep" | "mask">,
): Promise<HistoryStore> {
  if (root === undefined) return openHistory(":memory:", how);
  const place = { workspace: root, key: how.key };
  const file = databaseOf(place, "history");
  const moved = (error: string): void => emit({ type: "degraded", where: "history", error });
  if (!existsSync(file.path) && wasUsed(file)) {
    // A new history gets the key of the index beside it, or none is made.
    const index = databaseOf(place, "memory index");
    if (existsSync(index.path)) asked(index, () => undefined);
    moved(gone(root, file.path));
  }
  return openMended(file, {
    wrong: suspicion,
    open: () => openHistory(file.path, { damaged: watcher(file, emit), moved, ...how }),
    mend: (wrong) => mendHistory({ ...place, now }, wrong),
    emit,
  });
}

/**
 * Puts a damaged history aside and takes what can be read of it, and of the newest backup, into a
 * new one.
 */
function mendHistory({ now, ...place }: UpkeepOf, wrong: string): string {
  const file = databaseOf(place, "history");
  const { key } = place;
  const draft = `${file.path}.mending`;
  for (const end of ["", "-wal", "-shm"]) rmSync(draft + end, { force: true });
  const backup = backupsOf(backupFolder(place.workspace))
    .map((path) => ({ path, key }))
    .find(isSound);
  const cursor = cursorIn(databaseOf(place, "memory index"));
  const salvaged = salvageHistory(file, { path: draft, key }, { backup, cursor });
  const aside = setAside(file, now());
  renameSync(draft, file.path);
  return sentence(salvaged, `${wrong}) and was put aside as ${basename(aside)}`, backup?.path);
}

/** Deleting the file is how a person forgets all of it: nothing is put back unasked. */
function gone(root: string, path: string): string {
  const [backup] = backupsOf(backupFolder(root));
  const cure = `end what uses this workspace, and put the backup ${backup ?? ""} in its place`;
  const way = backup === undefined ? "" : ` If it was not meant to go: ${cure}.`;
  return `The history ${path} was gone, and a new one was begun.${way}`;
}

const many = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;

function sentence(
  { conversations, messages, missing, torn }: Salvaged,
  putAside: string,
  backup: string | undefined,
): string {
  const known = missing > 0 ? `${many(missing, "message")} missing.` : "";
  const unknown = torn ? "How much is missing cannot be said." : "Nothing is known to be missing.";
  return present([
    `The history was damaged (${putAside}; ${many(conversations, "conversation")} with`,
    `${many(messages, "message")} were read into a new one.`,
    torn &&
      backup !== undefined &&
      `What could not be read came from the backup ${basename(backup)}, as of its date.`,
    known || unknown,
  ]).join(" ");
}
