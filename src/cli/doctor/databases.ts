import { existsSync, statSync } from "node:fs";
import { basename } from "node:path";
import { reasonOf } from "../../model/errors.ts";
import { asidesOf, backupFolder, databaseOf } from "../../engine/upkeep/database-files.ts";
import { mark } from "../../engine/upkeep/mend.ts";
import { ADOPTED, KEEP } from "../../engine/upkeep/open-database.ts";
import { backupsOf } from "../../store/repair/backup.ts";
import { brokenBy, integrityOf } from "../../store/repair/integrity.ts";
import { openStorage } from "../../store/open.ts";
import { patiently } from "../../store/sqlite/busy.ts";
import type { WorkspaceAt } from "../../store/sqlite/connect.ts";
import { asked, valueOf } from "../../store/sqlite/database.ts";
import { ownersNamed, rememberedIn } from "../input/others.ts";
import { bytes, count } from "../render/numbers.ts";
import { broken, type Check, look, well } from "./check.ts";

const noteIn = (at: WorkspaceAt, name: string): unknown =>
  asked(databaseOf(at), (database) =>
    valueOf(database, "select text from note where name = ?", name),
  );

const keptIn = (at: WorkspaceAt): string =>
  noteIn(at, KEEP) === "masked"
    ? "messages are kept without the secrets in them"
    : "messages are kept word for word";

/**
 * The database is sound to SQLite and opens; how it came to be; then the copies. Rejects where it
 * does not open with the key.
 */
export async function checksOfDatabase(at: WorkspaceAt): Promise<Check[]> {
  const sound = await soundness(at);
  return [
    sound,
    ...(sound.state === "well" ? [well(keptIn(at)), ...adopted(at)] : []),
    ...(sound.state === "broken" ? [] : remembered(at)),
    ...checksOfCopies(at),
  ];
}

async function soundness(at: WorkspaceAt): Promise<Check> {
  const file = databaseOf(at);
  const { path } = file;
  if (!existsSync(path))
    return look(`there is no ${basename(path)} yet`, "it is made with the first conversation");
  const damaged = (why: string): Check => ({
    ...broken(
      `the database is damaged (${path}): ${why}`,
      'end what uses the workspace: the next start, or "tidemark doctor --fix", puts it aside ' +
        "and makes a new one of what can be read",
    ),
    mend: () => mark(file),
  });
  const wrong = statSync(path).isFile() ? integrityOf(file)[0] : undefined;
  if (wrong !== undefined) return damaged(wrong);
  try {
    await patiently(() => openStorage(path, at).close());
  } catch (thrown) {
    const why = brokenBy(thrown);
    return why === undefined
      ? broken(reasonOf(thrown), "move it away, or put a backup in its place")
      : damaged(why);
  }
  return well(`the database is sound (${basename(path)}, ${bytes(statSync(path).size)})`);
}

/** A database that was begun beside pages of before says so. */
function adopted(at: WorkspaceAt): Check[] {
  const found = noteIn(at, ADOPTED);
  if (typeof found !== "string") return [];
  return [
    look(
      `the database was begun on ${found.slice(0, 16).replace("T", " ")} UTC beside pages of ` +
        "before: lines of MEMORY.md were taken over, conversations of before are not in it",
      "where that was not meant: end what uses the workspace, and put a backup in its place",
    ),
  ];
}

function remembered(at: WorkspaceAt): Check[] {
  const owners = rememberedIn(at);
  return owners.length === 0 ? [] : [well(`remembered for ${ownersNamed(owners)}`)];
}

/** Backups, and what was put aside as damaged. */
function checksOfCopies(at: WorkspaceAt): Check[] {
  const backups = backupsOf(backupFolder(at.workspace));
  const [newest] = backups;
  const asides = asidesOf(databaseOf(at)).filter((path) => !/-(?:wal|shm)$/.test(path));
  return [
    newest === undefined
      ? well("no backup yet; tidy() makes one")
      : well(
          `${count(backups.length, "backup")}, the newest of ` +
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
