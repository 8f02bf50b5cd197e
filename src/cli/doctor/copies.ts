import { existsSync, readFileSync, statSync } from "node:fs";
import { basename } from "node:path";
import { backupsOf } from "../../store/backup.ts";
import { asidesOf } from "../../engine/upkeep/salvage-backup.ts";
import { databaseOf } from "../../engine/upkeep/salvage-files.ts";
import { backupFolder } from "../../engine/upkeep/salvage-history.ts";
import { bytes, count } from "../render/numbers.ts";
import { type Check, look, well } from "./check.ts";

/** Backups of history, and what was put aside as damaged, with what was said of it then. */
export function checksOfCopies(folder: string): Check[] {
  const backups = backupsOf(backupFolder(folder));
  const [newest] = backups;
  const asides = (["history", "memory index"] as const)
    .flatMap((what) => asidesOf(databaseOf(folder, what)))
    .filter((path) => !/\.txt$|-(?:wal|shm)$/.test(path));
  return [
    newest === undefined
      ? well("no backup of history yet; tidy() makes one")
      : well(
          `${count(backups.length, "backup")} of history, the newest of ${statSync(newest).mtime.toISOString().slice(0, 16).replace("T", " ")} UTC`,
        ),
    ...asides.map((path) =>
      look(
        `${basename(path)} (${bytes(statSync(path).size)}) was put aside as damaged${noteOf(path)}`,
        "delete it, and the files named like it, when you miss nothing",
      ),
    ),
  ];
}

const noteOf = (path: string): string =>
  existsSync(`${path}.txt`) ? `: ${readFileSync(`${path}.txt`, "utf8").trim()}` : "";
