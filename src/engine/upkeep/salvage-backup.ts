import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { reasonOf, troubleOf } from "../../model/errors.ts";
import { type Listen } from "../../model/events.ts";
import { backUpHistory, backupsOf } from "../../store/repair/backup.ts";
import { databaseOf, type Kept } from "./salvage-files.ts";
import { backupFolder } from "./salvage-history.ts";

interface Room {
  readonly root: string | undefined;
  readonly now: () => number;
  readonly emit: Listen;
}

/** A copy of history as it is now, unless the newest one is; trouble with it is told. Answers where it is. */
export function backUp({ root, now, emit }: Room): string | undefined {
  if (root === undefined) return undefined;
  const { path } = databaseOf(root, "history");
  const folder = backupFolder(root);
  try {
    const [newest] = backupsOf(folder);
    const changed = Math.max(
      ...[path, `${path}-wal`].map(
        (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0,
      ),
    );
    if (newest !== undefined && statSync(newest).mtimeMs > changed) return newest;
    return backUpHistory(path, { folder, now: now() });
  } catch (thrown) {
    emit({ type: "degraded", where: "backup", ...troubleOf(thrown) });
    return undefined;
  }
}

/** What was put aside of a database, with the note beside it. */
export const asidesOf = ({ path }: Kept): string[] =>
  existsSync(dirname(path))
    ? readdirSync(dirname(path))
        .filter((name) => name.startsWith(`${basename(path)}.damaged-`))
        .map((name) => join(dirname(path), name))
    : [];

/** What was forgotten stands in no copy either: backups are made anew, and what was put aside goes, since no part of it can be forgotten. */
export function forgetCopies(room: Room): void {
  if (room.root === undefined) return;
  const backups = backupsOf(backupFolder(room.root));
  const asides = asidesOf(databaseOf(room.root, "history"));
  try {
    for (const file of [...backups, ...asides]) rmSync(file, { force: true });
  } catch (thrown) {
    room.emit({
      type: "degraded",
      where: "backup",
      error: `What was forgotten may still stand in ${[...backups, ...asides].join(", ")}: ${reasonOf(thrown)}. Delete it by hand.`,
    });
  }
  if (asides.length > 0)
    room.emit({
      type: "notice",
      about: "forgotten",
      text: `${asides.map((file) => basename(file)).join(", ")} went too: what was put aside of a damaged history may hold what was forgotten.`,
    });
  if (backups.length > 0) backUp(room);
}
