import { promises as fs } from "node:fs";
import { join, resolve } from "node:path";
import { makeFolders, PRIVATE } from "../../core/base.ts";
import { DEFAULT_SCOPE, type Scope, type ScopeKind } from "../../core/identity.ts";
import { isoOf } from "../../core/memory.ts";
import {
  fileOf,
  type FilePlace,
  type Folder,
  folderOf,
  type Listed,
  locate,
  ownFile,
  ownPath,
  scopeKind,
  troubled,
  troubleWith,
} from "../disk/folder.ts";
import { sweep, sweepDrafts } from "../disk/write-whole.ts";

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
  const named = (at: number): FilePlace => backupAt(scope, `${name}/${stampName(at)}.md`);
  // Two writes in one millisecond keep their order.
  let at = now;
  while (taken.includes(named(at).path)) at += 1;
  await folder.create(named(at), text);
  for (const path of [...taken, named(at).path].sort().slice(0, -KEPT))
    await folder.remove(ownFile(path));
}

export type Templates = ReadonlyMap<string, string>;

/**
 * SOUL.md and AGENTS.md stand at the root for the whole fleet; an agent of its own mind is given
 * its own by hand.
 */
const STARTING_FILES: Readonly<Record<ScopeKind, string>> = {
  agent: "USER.md MEMORY.md HEARTBEAT.md learnings/errors.md learnings/corrections.md",
  user: "USER.md MEMORY.md learnings/errors.md learnings/corrections.md",
  team: "MEMORY.md",
  project: "MEMORY.md",
  org: "MEMORY.md",
};

/** Every Markdown file of the template folder by its path. */
export async function readTemplates(templateDir: string): Promise<Templates> {
  try {
    const paths = await fs.readdir(templateDir, { recursive: true });
    const templates = new Map<string, string>();
    for (const path of paths.filter((one) => one.endsWith(".md")).sort())
      templates.set(path.replaceAll("\\", "/"), await fs.readFile(join(templateDir, path), "utf8"));
    return templates;
  } catch (error) {
    throw troubled(
      `Cannot read the workspace template in ${templateDir}. Install the package again.`,
      { cause: error },
    );
  }
}

const HOUR = 3_600_000;

/**
 * Makes the folders and the files that are absent; what is there stays as it is. What processes
 * left that died as they wrote goes.
 */
export async function scaffold(
  root: string,
  folder: Folder,
  given: { templates: Templates; scopes: readonly Scope[]; now: number },
): Promise<void> {
  const top = resolve(root);
  const hidden = join(top, ".tidemark");
  const swept = async (place: FilePlace, deep = true): Promise<void> => {
    const real = await locate(top, place).catch(() => undefined);
    if (real !== undefined) await sweep(real, deep);
  };
  const made = async (): Promise<void> => {
    await folder.create(ownFile(".gitignore"), "*\n");
    for (const scope of new Set([DEFAULT_SCOPE, ...given.scopes])) {
      const wanted = STARTING_FILES[scopeKind(scope)].split(" ");
      for (const [path, text] of given.templates)
        if (scope === DEFAULT_SCOPE || wanted.includes(path))
          await folder.create(fileOf(scope, path), text);
      await swept(fileOf(scope, "."), false);
      for (const path of ["learnings", "memory", "conversations", "notes", "records"])
        await swept(fileOf(scope, path));
      await swept(backupAt(scope, "."));
    }
    await swept(ownFile("."), false);
    const backups = await locate(top, ownFile("backups")).catch(() => undefined);
    if (backups !== undefined) await sweepDrafts(backups, given.now - HOUR);
  };
  try {
    makeFolders(top);
    makeFolders(ownPath(hidden), PRIVATE);
    if (((await fs.stat(hidden)).mode & 0o077) !== 0) await fs.chmod(hidden, 0o700);
    await folder.alone(made);
  } catch (error) {
    throw troubleWith("write", top, { base: "", path: ".tidemark" }, error);
  }
}
