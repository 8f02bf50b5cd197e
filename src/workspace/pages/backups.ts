import type { Scope } from "../../model/identity.ts";
import type { Folder, Listed } from "../disk/folder.ts";
import { isoOf } from "../../model/moment.ts";
import { folderOf, type FilePlace, ownFile } from "../disk/paths.ts";

const KEPT = 20;

/** Backups lie outside the scopes, so that no search and no prompt meets an old text. */
export const backupAt = (scope: Scope, path: string): FilePlace =>
  ownFile(`backups/${folderOf(scope) || "root"}/${path}`);

/** A moment as part of a file's name. */
export const stampName = (at: number): string => isoOf(at).replaceAll(":", "-");

export const backupsOf = (folder: Folder, name: string, scope: Scope): Promise<Listed[]> =>
  folder.list(backupAt(scope, name));

/** Keeps `text` under the moment it was replaced; the oldest of more than twenty go. */
export async function backUp(
  folder: Folder,
  { name, text, now }: { name: string; text: string; now: number },
  scope: Scope,
): Promise<void> {
  const before = await backupsOf(folder, name, scope);
  const taken = before.map(({ place }) => place.path);
  // Two writes in one millisecond: "~" sorts behind "." and keeps the order of time.
  const named = (again: number): FilePlace => {
    const number = again === 0 ? "" : `~${String(again).padStart(4, "0")}`;
    return backupAt(scope, `${name}/${stampName(now)}${number}.md`);
  };
  let again = 0;
  while (taken.includes(named(again).path)) again += 1;
  await folder.create(named(again), text);
  for (const path of [...taken, named(again).path].sort().slice(0, -KEPT))
    await folder.remove(ownFile(path));
}
