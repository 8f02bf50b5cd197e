import { promises as fs } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { proposedIn } from "../../compaction/journal/proposal-list.ts";
import { asOurs, isTidemarkError, telling } from "../../core/errors-and-events.ts";
import { checkIdentity, isOf } from "../../core/identity.ts";
import { allValues } from "../../memory/saving/commit.ts";
import { type Owner, ownersOf } from "../../storage/sqlite/asked-of-a-file.ts";
import { backupsOf, forgetNames, ownedHistory } from "../../storage/sqlite/backup.ts";
import type { WorkspaceAt } from "../../storage/sqlite/connect.ts";
import { patiently } from "../../storage/sqlite/shared-file.ts";
import { diskFolder } from "../../workspace/disk/disk-folder.ts";
import { folderOf, locate } from "../../workspace/disk/folder.ts";
import { exclusively } from "../../workspace/disk/lock.ts";
import { writeWhole } from "../../workspace/disk/write-whole.ts";
import { keptNotes } from "../../workspace/documents/kept-notes.ts";
import { skillsIn } from "../../workspace/documents/skills.ts";
import { withoutAuthor } from "../../workspace/pages/log-and-page-copies.ts";
import { asidesOf, backupFolder, databaseOf, entriesIn, type UpkeepOf } from "./mend.ts";
import { openWorkspaceDatabase } from "./mended-database.ts";
import { forgetCopies } from "./tidy.ts";

/**
 * Deletes all a workspace has of a user: memories, pages, conversations with every agent, the
 * search index, copies. `dry`: only says what would go. No other process may have the workspace
 * open. Rejects with "config", "workspace", "store" or "history".
 */
export async function forgetUser({
  user,
  emit = () => {},
  dry = false,
  ...place
}: UpkeepOf & { user: string; dry?: boolean }) {
  checkIdentity({ user });
  const root = resolve(place.workspace);
  const host = { ...place, emit };
  const scope = `user:${user}` as const;
  const file = databaseOf(place);
  const own = folderOf(scope);
  const folders = [own, `.tidemark/backups/${own}`];
  const isOwn = (key: string): boolean => isOf({ user }, key);
  return exclusively(root, async () => {
    try {
      const store = await openWorkspaceDatabase(root, host);
      const owned = ownedHistory(file, isOwn);
      try {
        const values = await allValues(store, [scope]);
        const ids = new Set(values.map(({ stored }) => stored.memory.id));
        const current = values.filter(({ until }) => until === undefined).length;
        const asides = asidesOf(file);
        const pages = await Promise.all(folders.map((folder) => pagesIn(root, folder)));
        const report = {
          memories: current,
          past: values.length - current,
          conversations: owned.sessions.length,
          messages: owned.messages,
          files: pages.flat().length,
          /** Backups that are made anew, and damaged files put aside, which go. */
          copies: asides.length + backupsOf(backupFolder(root)).length,
        };
        if (dry) return report;
        const { sessions } = owned;
        const memories = { ids: [...ids], scopes: [scope] };
        await store.commit(
          { gone: { memories, sessions, turns: sessions, pages: { scope } } },
          { durable: true },
        );
        const tell = telling(emit, "skills");
        const folder = diskFolder(root, tell);
        const kept = keptNotes(store, folder);
        const skills = skillsIn(folder, kept, tell);
        for (const skill of await skills.made())
          if (ids.has(skill.memory)) await skills.remove(skill);
        await proposedIn(kept).dropIf(
          ({ from, memory = "" }) => from.user === user || ids.has(memory),
        );
        return report;
      } finally {
        await store.close();
        if (!dry) {
          await clear(root, folders);
          await patiently(() => forgetNames(file, { scope, meant: isOwn }));
          for (const path of await pagesIn(root, "")) await withoutName(join(root, path), user);
          forgetCopies({ ...host, files: place });
        }
      }
    } catch (thrown) {
      throw asOurs(
        thrown,
        "workspace",
        (reason) =>
          `Not all of user "${user}" could be forgotten: ${reason}. What is left goes ` +
          "when it is tried again.",
      );
    }
  });
}

/** Takes out a user's own folders. */
async function clear(root: string, folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    // A folder inside the workspace, never one that a link leads to.
    const place = await locate(root, { base: dirname(folder), path: basename(folder) });
    await fs.rm(place, { recursive: true, force: true });
  }
}

/**
 * Files under a folder, named from the root; without the databases' own folder unless it is asked
 * for.
 */
const pagesIn = async (root: string, folder: string): Promise<string[]> =>
  (await entriesIn(root, folder))
    .filter(
      ({ path, entry }) => entry.isFile() && (folder !== "" || !path.startsWith(".tidemark/")),
    )
    .map(({ path }) => path);

/** An organisation's log names who wrote its lines: the line stays, the name goes. */
async function withoutName(path: string, user: string): Promise<void> {
  if (!path.endsWith(".md")) return;
  const before = await fs.readFile(path, "utf8");
  const after = withoutAuthor(before, user);
  if (after !== before) await writeWhole(path, after);
}

/**
 * Whose memories and conversations a workspace holds, the latest first; none of a damaged one.
 * Throws where the key does not fit.
 */
export function ownersIn(at: WorkspaceAt, now: number): Owner[] {
  try {
    return ownersOf(databaseOf(at), now);
  } catch (thrown) {
    if (isTidemarkError(thrown)) throw thrown;
    // Opening it says what is wrong.
    return [];
  }
}

/** The users among them. */
export const usersIn = (at: WorkspaceAt, now: number) =>
  ownersIn(at, now).flatMap(({ scope, ...counted }) =>
    scope.startsWith("user:") ? [{ user: scope.slice("user:".length), ...counted }] : [],
  );
