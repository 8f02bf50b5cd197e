import { basename, dirname } from "node:path";
import { proposedIn } from "../../compaction/journal/proposal-list.ts";
import { asText, dictIn } from "../../core/base.ts";
import { asOurs, isTidemarkError, type Listen, telling } from "../../core/errors-and-events.ts";
import { checkIdentity, isOf, type Scope } from "../../core/identity.ts";
import type { Debt, OwedDebt } from "../../core/memory.ts";
import { allValues } from "../../memory/saving/commit.ts";
import { ownersOf } from "../../storage/sqlite/archive-rows.ts";
import { backupsOf } from "../../storage/sqlite/backup.ts";
import type { WorkspaceAt } from "../../storage/sqlite/database-file.ts";
import type { Owner } from "../../storage/whole.ts";
import { folderOf, ownFile, pageAt } from "../../workspace/disk/folder.ts";
import { keptNotes } from "../../workspace/documents/kept-notes.ts";
import { skillsIn } from "../../workspace/documents/skills.ts";
import { withoutAuthor } from "../../workspace/pages/log-and-page-copies.ts";
import { asidesOf, backupFolder, databaseOf } from "./mend.ts";
import type { AnyWorkspace } from "./places.ts";
import { forgetCopies } from "./tidy.ts";

interface Forgetting {
  readonly user: string;
  readonly dry?: boolean | undefined;
  readonly now: () => number;
  readonly emit: Listen;
}

/**
 * Deletes all a workspace has of a user: memories, pages, conversations with every agent, the
 * search index, copies. `dry`: only says what would go. No other process may have its folder open.
 * Rejects with "config", "workspace", "store" or "history".
 */
export async function forgetUser(
  place: AnyWorkspace,
  { user, dry = false, now, emit }: Forgetting,
) {
  checkIdentity({ user });
  const { store, whole, folder, files } = place;
  const scope = `user:${user}` as const;
  const own = folderOf(scope);
  const isOwn = (root: string): boolean => isOf({ user }, root);
  const folders = [{ base: dirname(own), path: basename(own) }, ownFile(`backups/${own}`)];
  return folder.alone(async () => {
    try {
      const owned = await whole.conversations(isOwn);
      const values = await allValues(store, [scope]);
      const ids = new Set(values.map(({ stored }) => stored.memory.id));
      const current = values.filter(({ until }) => until === undefined).length;
      const held = await Promise.all(folders.map((each) => folder.list(each)));
      const report = {
        memories: current,
        past: values.length - current,
        conversations: owned.sessions.length,
        messages: owned.messages,
        files: held.flat().length,
        /** Backups that are made anew, and damaged files put aside, which go. */
        copies: files === undefined ? 0 : copiesOf(files),
      };
      if (dry) return report;
      try {
        const { sessions } = owned;
        const memories = { ids: [...ids], scopes: [scope] };
        const gone = { memories, sessions, turns: sessions, pages: { scope } };
        const owed = owedWithout(scope, await store.debts());
        await store.commit(
          { gone, ...owed, notes: { [`page:${scope}`]: undefined } },
          { durable: true },
        );
        const tell = telling(emit, "skills");
        const kept = keptNotes(store, folder);
        const skills = skillsIn(folder, kept, tell);
        for (const skill of await skills.made())
          if (ids.has(skill.memory)) await skills.remove(skill);
        await proposedIn(kept).dropIf(
          ({ from, memory = "" }) => from.user === user || ids.has(memory),
        );
      } finally {
        for (const each of folders) await folder.remove(each);
        await whole.forgetNames({ scope, isOwn });
        await leaveOut(place, user);
        forgetCopies({ files, now, emit });
      }
      return report;
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

const copiesOf = (files: WorkspaceAt): number =>
  asidesOf(databaseOf(files)).length + backupsOf(backupFolder(files.workspace)).length;

/** No view of the user is owed any more; a line of others that is owed loses the name. */
function owedWithout(scope: Scope, owed: readonly OwedDebt[]) {
  const debts: Debt[] = [];
  const paid = owed.filter(({ id: _, ...debt }) => {
    const line = dictIn(debt.text ?? "");
    const authors = asText(line?.author).split("+");
    const named = authors.map((one) => (one === scope ? "user:forgotten" : one)).join("+");
    const isNamed = authors.includes(scope);
    if (debt.scope !== scope && isNamed)
      debts.push({ ...debt, text: JSON.stringify({ ...line, author: named }) });
    return debt.scope === scope || isNamed;
  });
  return { paid, debts };
}

/** An organisation's log names who wrote its lines: the line stays, the name goes. */
async function leaveOut({ reading, folder }: AnyWorkspace, user: string): Promise<void> {
  const named: string[] = [];
  await reading(async ({ pages }) => {
    for await (const { file, text = "" } of pages([]))
      if (file.endsWith(".md") && withoutAuthor(text, user) !== text) named.push(file);
  });
  for (const file of named)
    await folder.change(pageAt(file), (text) => text && withoutAuthor(text, user));
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
