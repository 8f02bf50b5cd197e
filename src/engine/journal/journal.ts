import { degraded } from "../../model/errors.ts";
import { membersIn } from "../../base/guards.ts";
import type { KeptValue } from "../../model/store.ts";
import type { Forgetting } from "../../workspace/forget.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { Core } from "../session/core.ts";
import { allValues } from "../../memory/saving/values.ts";
import { lineOf } from "../../memory/saving/replay.ts";
import type { ReceiptLine } from "../../workspace/lines/receipt-line.ts";
import type { LogLine } from "../../workspace/log/daily-log.ts";
import type { JournalEvent } from "../../memory/saving/commit.ts";
import { isRestricted, type Scope } from "../../model/identity.ts";

/**
 * How often each memory was used, as of the last close or tidy: the journal tells what is
 * remembered, not how often it is read.
 */
export async function keepUses(values: readonly KeptValue[], workspace: Workspace): Promise<void> {
  const used = values.filter(({ stored, until }) => until === undefined && stored.memory.uses > 0);
  const counts = Object.fromEntries(
    used.map(({ stored: { memory, usedAt } }) => [memory.id, [memory.uses, usedAt ?? 0]]),
  );
  await workspace.keep("uses", () => `${JSON.stringify(counts)}\n`);
}

/** More memories than this are not read through at close; tidy does it. */
const AT_CLOSE = 5_000;

/** The next process reads less if it knows how the files stood; it can do without. */
export async function leaveFiles({ store, workspace, emit, off }: Core): Promise<void> {
  if (off || workspace.root === undefined) return;
  try {
    const values = await allValues(store, undefined, AT_CLOSE);
    if (values.length < AT_CLOSE) await keepUses(values, workspace);
    await workspace.journal.settle();
  } catch (thrown) {
    emit(degraded("close", thrown));
  }
}

export async function readUses(
  workspace: Workspace,
): Promise<Map<string, { uses: number; usedAt: number }>> {
  const kept = new Map<string, { uses: number; usedAt: number }>();
  for (const [id, pair] of membersIn(await workspace.kept("uses").catch(() => undefined))) {
    const [uses, usedAt]: unknown[] = Array.isArray(pair) ? pair : [];
    if (typeof uses !== "number" || typeof usedAt !== "number") continue;
    if (Number.isInteger(uses) && uses > 0) kept.set(id, { uses, usedAt });
  }
  return kept;
}

/** Lines into the daily log of a scope, and out of the files what they say is forgotten. */
export async function tell(
  workspace: Workspace,
  scope: Scope,
  lines: readonly LogLine[],
  { receipt, ...how }: Forgetting & { receipt?: ReceiptLine } = {},
): Promise<void> {
  await workspace.log(lines, scope, receipt);
  const gone = lines.flatMap(({ event, id }) => (event === "forgotten" ? [id] : []));
  if (gone.length > 0) await workspace.forget(gone, scope, how);
}

/**
 * Events into the daily log of their scope, with their author where that is not one of its `own`.
 */
export async function journal(
  workspace: Workspace,
  events: readonly JournalEvent[],
  {
    author,
    own,
    receipt,
    expired,
  }: { author?: string; own?: readonly Scope[]; receipt?: ReceiptLine; expired?: boolean } = {},
): Promise<void> {
  const all = Map.groupBy(events, ({ row }) => row.memory.scope);
  for (const scope of new Set([...all.keys(), ...(receipt ? [receipt.scope] : [])])) {
    const mine = all.get(scope) ?? [];
    const isAudited = isRestricted(scope) || own?.includes(scope) === false;
    const lines = mine.map((event) => ({
      ...lineOf(event),
      author: isAudited ? author : undefined,
    }));
    await tell(workspace, scope, lines, {
      receipt: receipt?.scope === scope ? receipt : undefined,
      sayings: !mine.some(({ unborn }) => unborn),
      expired,
    });
  }
}
