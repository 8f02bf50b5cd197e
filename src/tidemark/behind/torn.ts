import { type Scope } from "../../model/identity.ts";
import { type KeptValue } from "../../model/store.ts";
import { standing } from "../../memory/replay.ts";
import { byMemory, currentOf } from "../../memory/values.ts";
import { type LogLine } from "../../workspace/daily-log.ts";
import { isReceiptLike } from "../../workspace/unread-line.ts";
import { type Workspace } from "../../workspace/workspace.ts";
import { type Told } from "../keep/unread.ts";

/**
 * Takes back the lines of a distilling whose receipt never came: its writer died in the middle of the write. The messages are
 * distilled again, in other words maybe, and half of it must not stand beside that. Answers whether there were any.
 */
export async function takeBackTorn(
  workspace: Workspace,
  scope: Scope,
  { told, kept }: { told: Told; kept: () => Promise<readonly KeptValue[]> },
): Promise<boolean> {
  if (
    !told.lines.some(({ of }) => of !== undefined) ||
    (await tornOf(workspace, scope, { told, kept: await kept() })).length === 0
  )
    return false;
  // Who writes such lines holds the lock until the receipt stands: with it in hand, what has none never gets one.
  return workspace.alone(async () => {
    const torn = await tornOf(workspace, scope, {
      told: await workspace.journal.read(scope),
      kept: await kept(),
    });
    if (torn.length === 0) return false;
    await workspace.log(
      torn.map((line) => ({ ...line, event: line.event === "saved" ? "forgotten" : "withdrawn" })),
      scope,
    );
    const unborn = torn.flatMap(({ event, id }) => (event === "saved" ? [id] : []));
    if (unborn.length > 0) await workspace.forget(unborn, scope, { sayings: false });
    return true;
  });
}

/** Without a receipt, and without effect: a receipt a person took out of the file proves nothing against what is remembered. */
async function tornOf(
  workspace: Workspace,
  scope: Scope,
  { told: { lines, unread }, kept }: { told: Told; kept: readonly KeptValue[] },
): Promise<LogLine[]> {
  const rows = byMemory(kept);
  const gone = new Set(lines.flatMap(({ event, id }) => (event === "forgotten" ? [id] : [])));
  const idle = standing(lines).filter(
    (line) => line.of !== undefined && !gone.has(line.id) && !isTrue(line, rows.get(line.id) ?? []),
  );
  if (idle.length === 0) return [];
  const receipted = new Set(
    (await workspace.journal.receipts(scope, Math.min(...idle.map(({ at }) => at)))).map(
      ({ receipt }) => receipt.id,
    ),
  );
  // A receipt that cannot be read any more may have been theirs.
  const mayHave = unread.some(({ torn, raw }) => !torn && isReceiptLike(raw));
  return mayHave ? [] : idle.filter(({ of }) => of !== undefined && !receipted.has(of));
}

/** Does the index hold what the line tells, or something newer? */
function isTrue({ event, version = 1, at }: LogLine, own: readonly KeptValue[]): boolean {
  const current = currentOf(own)?.stored.memory;
  const newest = Math.max(0, ...own.map(({ stored }) => stored.memory.version));
  if (event === "superseded")
    return newest > 0 && (current === undefined || current.version > version);
  return (
    newest > version || (newest === version && (own.at(-1)?.stored.memory.updatedAt ?? 0) >= at)
  );
}
