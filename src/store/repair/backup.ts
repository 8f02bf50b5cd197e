import {
  chmodSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { asked, guarded, refuseLink } from "../sqlite/database.ts";
import { integrityOf } from "./integrity.ts";

/** The newest so many are kept. */
const KEPT = 3;
const NAME = /^history-\d{4}-.*\.db$/;

/** Backups of history, the newest first. */
export function backupsOf(folder: string): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map(({ name }) => name)
    .filter((name) => NAME.test(name))
    .sort()
    .reverse()
    .map((name) => join(folder, name));
}

/** Copies a history while it is in use; a copy that is not sound is none. Answers where it stands. Rejects with "history". */
export function backUpHistory(
  path: string,
  { folder, now }: { folder: string; now: number },
): string {
  const made = join(folder, `history-${new Date(now).toISOString().replaceAll(":", "-")}.db`);
  return guarded("history", `The history at ${path} could not be backed up to ${folder}`, () => {
    refuseLink(folder, "history");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const draft = `${made}.tmp`;
    try {
      rmSync(draft, { force: true });
      closeSync(openSync(draft, "wx", 0o600));
      asked(path, (database) => database.prepare("vacuum into ?").run(draft));
      const [wrong] = integrityOf(draft);
      if (wrong !== undefined) throw new Error(wrong);
      chmodSync(draft, 0o600);
      toDisk(draft);
      renameSync(draft, made);
      toDisk(dirname(made));
    } finally {
      rmSync(draft, { force: true });
    }
    for (const old of backupsOf(folder).slice(KEPT)) rmSync(old);
    return made;
  });
}

/** Windows cannot open a folder and needs no such call. */
function toDisk(path: string): void {
  if (process.platform === "win32") return;
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
}
