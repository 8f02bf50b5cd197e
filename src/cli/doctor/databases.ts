import { existsSync, statSync } from "node:fs";
import { basename } from "node:path";
import { present } from "../../base/guards.ts";
import { reasonOf } from "../../model/errors.ts";
import { asidesOf, backupFolder, databaseOf } from "../../engine/upkeep/database-files.ts";
import { mark } from "../../engine/upkeep/mend.ts";
import { rebuildIndex } from "../../engine/upkeep/rebuild.ts";
import { backupsOf } from "../../store/repair/backup.ts";
import { brokenBy, integrityOf } from "../../store/repair/integrity.ts";
import { openHistory } from "../../store/history/file.ts";
import { keptAs } from "../../store/history/kept.ts";
import { openSqliteStore } from "../../store/open-index.ts";
import { patiently } from "../../store/sqlite/busy.ts";
import type { WorkspaceAt } from "../../store/sqlite/connect.ts";
import { asked } from "../../store/sqlite/database.ts";
import { ownersNamed, rememberedIn } from "../input/others.ts";
import { bytes, count } from "../render/numbers.ts";
import { some } from "../render/layout.ts";
import { broken, type Check, look, well } from "./check.ts";

const KEPT = {
  verbatim: "messages are kept word for word",
  masked: "messages are kept without the secrets in them",
} as const;

/**
 * Both databases are sound to SQLite and open, memory says what the logs say; then the copies.
 * Rejects where they do not open with the key.
 */
export async function checksOfDatabases(at: WorkspaceAt): Promise<Check[]> {
  const history = databaseOf(at, "history");
  const { key } = at;
  const kept = await soundness(at, "history", () => openHistory(history.path, { key }));
  const index = await soundness(at, "memory index", (path) => openSqliteStore(path, { key }));
  const isWell = ({ state }: Check): boolean => state === "well";
  return [
    kept,
    ...(isWell(kept) ? [well(KEPT[asked(history, keptAs)])] : []),
    index,
    ...(index.state === "broken" ? [] : [...(await differences(at)), ...remembered(at)]),
    ...checksOfCopies(at),
  ];
}

async function soundness(
  at: WorkspaceAt,
  what: "history" | "memory index",
  open: (path: string) => { close(): Promise<void> },
): Promise<Check> {
  const file = databaseOf(at, what);
  const { path } = file;
  const name = basename(path);
  if (!existsSync(path))
    return look(`there is no ${name} yet`, "it is made with the first conversation");
  const damaged = (why: string): Check => ({
    ...broken(
      `${what} is damaged (${path}): ${why}`,
      'end what uses the workspace: the next start, or "tidemark doctor --fix", puts it aside ' +
        "and makes a new one of what can be read",
    ),
    mend: () => mark(file),
  });
  const wrong = statSync(path).isFile() ? integrityOf(file)[0] : undefined;
  if (wrong !== undefined) return damaged(wrong);
  try {
    await patiently(() => open(path).close());
  } catch (thrown) {
    const why = brokenBy(thrown);
    return why === undefined
      ? broken(reasonOf(thrown), "move it away, or put a backup in its place")
      : damaged(why);
  }
  return well(`${what} is sound (${name}, ${bytes(statSync(path).size)})`);
}

async function differences(at: WorkspaceAt): Promise<Check[]> {
  const { differed, unlogged, unread } = await rebuildIndex({ ...at, now: Date.now, dry: true });
  return present([
    differed + unlogged > 0
      ? look(
          `${count(differed + unlogged, "memory differs", "memories differ")} from the daily logs`,
          "edits by hand are taken over at the next start; or tidemark rebuild",
        )
      : well("memory says what the daily logs say"),
    unread.length > 0 &&
      look(
        `${count(unread.length, "line of the daily logs", "lines of the daily logs")} ` +
          `cannot be read: ${some(unread, 10)}`,
        "what memory holds of them stays as it is; mend them, or take them out whole to forget it",
      ),
  ]);
}

function remembered(at: WorkspaceAt): Check[] {
  const owners = rememberedIn(at);
  return owners.length === 0 ? [] : [well(`remembered for ${ownersNamed(owners)}`)];
}

/** Backups of history, and what was put aside as damaged. */
function checksOfCopies(at: WorkspaceAt): Check[] {
  const backups = backupsOf(backupFolder(at.workspace));
  const [newest] = backups;
  const asides = (["history", "memory index"] as const)
    .flatMap((what) => asidesOf(databaseOf(at, what)))
    .filter((path) => !/-(?:wal|shm)$/.test(path));
  return [
    newest === undefined
      ? well("no backup of history yet; tidy() makes one")
      : well(
          `${count(backups.length, "backup")} of history, the newest of ` +
            `${statSync(newest).mtime.toISOString().slice(0, 16).replace("T", " ")} UTC`,
        ),
    ...asides.map((path) =>
      look(
        `${basename(path)} (${bytes(statSync(path).size)}) was put aside as damaged`,
        "delete it, and the files named like it, when you miss nothing",
      ),
    ),
  ];
}
