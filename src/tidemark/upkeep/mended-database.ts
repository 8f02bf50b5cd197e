import { renameSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { present } from "../../core/base.ts";
import { type Listen, reasonOf } from "../../core/errors-and-events.ts";
import { backupsOf } from "../../storage/sqlite/backup.ts";
import { openStorage, type Sqlite } from "../../storage/sqlite/sqlite-storage.ts";
import {
  isUndamaged,
  rebuildDerived,
  salvage,
  type Salvaged,
} from "../../storage/sqlite/salvage.ts";
import { onTables } from "../../storage/sqlite/schema.ts";
import { patiently } from "../../storage/sqlite/shared-file.ts";
import {
  backupFolder,
  databaseOf,
  lookAt,
  openMended,
  setAside,
  type UpkeepHost,
  type UpkeepOf,
  watcher,
} from "./mend.ts";

/** How a database that was made beside pages says so, and how messages are stored. */
export const [ADOPTED, KEEP] = ["adopted", "keep"] as const;

/**
 * The database of a workspace, or one in memory. A damaged one is mended first, and what is missing
 * is said; a new one beside pages of before is told.
 */
export async function openWorkspaceDatabase(
  root: string | undefined,
  { now, emit, key }: UpkeepHost,
): Promise<Sqlite> {
  if (root === undefined) return openStorage(":memory:");
  const place = { workspace: root, key };
  const file = databaseOf(place);
  const isEmpty = (lookAt(file.path)?.size ?? 0) === 0;
  const isNew = isEmpty && PAGES.some((name) => lookAt(join(root, name)));
  const opened = await openMended(file, {
    open: () =>
      openStorage(file.path, {
        damaged: watcher(file, emit),
        vectors: { missing: toldOf(emit) },
        key,
      }),
    mend: (wrong) => mended({ ...place, now }, wrong),
    emit,
  });
  if (isNew) {
    await opened.commit({ notes: { [ADOPTED]: new Date(now()).toISOString() } });
    emit({ type: "notice", about: "adopted", text: adopted(root, file.path) });
  }
  return opened;
}

export const toldOf =
  (emit: Listen, what = "sqlite-vec") =>
  (thrown: unknown): void =>
    emit({
      type: "degraded",
      where: "vectors",
      error:
        `${what} cannot be loaded (${reasonOf(thrown)}), so a question is ` +
        "compared with each vector in turn.",
    });

/** Pages of before, ours or another program's: ours are made after the database. */
const PAGES = ["MEMORY.md", "memory", "scopes", "conversations"];

function adopted(root: string, path: string): string {
  const [backup] = backupsOf(backupFolder(root));
  const cure =
    backup === undefined
      ? ""
      : ` If the one of before was not meant to go: end what uses this workspace, and put the ` +
        `backup ${backup} in its place.`;
  return (
    `${root} held pages and no database, so ${path} was begun: the lines of MEMORY.md are ` +
    `taken over as the user's words, and every other page stays as it is.${cure}`
  );
}

/**
 * Puts a damaged file aside and takes what can be read of it, and of the newest backup, into a new
 * one.
 */
function mended({ now, ...place }: UpkeepOf, wrong: string): string {
  const file = databaseOf(place);
  const { key } = place;
  const draft = `${file.path}.mending`;
  for (const end of ["", "-wal", "-shm"]) rmSync(draft + end, { force: true });
  const backup = backupsOf(backupFolder(place.workspace))
    .map((path) => ({ path, key }))
    .find(isUndamaged);
  const salvaged = salvage(file, { path: draft, key }, backup);
  const aside = setAside(file, now());
  renameSync(draft, file.path);
  return sentence(salvaged, `${wrong}) and was put aside as ${basename(aside)}`, backup?.path);
}

const many = (count: number, one: string, all = `${one}s`): string =>
  `${count} ${count === 1 ? one : all}`;

function sentence(
  { memories, conversations, messages, missing, torn }: Salvaged,
  putAside: string,
  backup: string | undefined,
): string {
  const known = missing > 0 ? `${many(missing, "message")} missing.` : "";
  const unknown = torn ? "How much is missing cannot be said." : "Nothing is known to be missing.";
  return present([
    `The database was damaged (${putAside}; ${many(memories, "memory", "memories")} and`,
    `${many(conversations, "conversation")} with ${many(messages, "message")} were read into a`,
    "new one.",
    torn &&
      backup !== undefined &&
      `What could not be read came from the backup ${basename(backup)}, as of its date.`,
    known || unknown,
  ]).join(" ");
}

/**
 * Makes the indexes of a workspace's database anew from what is true; answers how many values of
 * memories were read. Conversations and pages are read anew when they are searched next.
 */
export async function rebuildIndexes({ progress = () => {}, ...of }: UpkeepOf): Promise<number> {
  await (await openWorkspaceDatabase(of.workspace, { emit: () => {}, ...of })).close();
  return patiently(() =>
    onTables(databaseOf(of), (database) =>
      rebuildDerived(database, (values) => progress(values, "values read")),
    ),
  );
}
