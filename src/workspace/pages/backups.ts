import { type Scope } from "../../model/identity.ts";
import { type Folder, type Listed } from "../disk/folder.ts";
import { isoOf } from "../lines/marked-line.ts";
import { folderOf, type Place } from "../disk/paths.ts";

const KEPT = 20;

/** Backups lie outside the scopes, so that no search and no prompt meets an old text. */
const at = (scope: Scope, path: string): Place => ({
  base: ".tidemark",
  path: `backups/${folderOf(scope) || "root"}/${path}`,
});

export const backupsOf = (folder: Folder, name: string, scope: Scope): Promise<Listed[]> =>
  folder.list(".tidemark", at(scope, name).path);

/** Keeps `text` under the moment it was replaced; the oldest of more than twenty go. */
export async function backUp(
  folder: Folder,
  file: { name: string; text: string; now: number },
  scope: Scope,
): Promise<void> {
  const moment = isoOf(file.now).replaceAll(":", "-");
  const before = await backupsOf(folder, file.name, scope);
  const taken = new Set(before.map(({ place }) => place.path));
  // Two writes in one millisecond: "~" sorts behind "." and keeps the order of time.
  let path = at(scope, `${file.name}/${moment}.md`).path;
  for (let again = 1; taken.has(path); again += 1)
    path = at(scope, `${file.name}/${moment}~${String(again).padStart(4, "0")}.md`).path;
  await folder.create({ base: ".tidemark", path }, file.text);
  const all = [...taken, path].sort();
  for (const old of all.slice(0, Math.max(0, all.length - KEPT)))
    await folder.remove({ base: ".tidemark", path: old });
}
