import { lineOf } from "../../memory/saving/replay.ts";
import { defined } from "../../base/defined.ts";
import { type Workspace } from "../../workspace/workspace.ts";
import { type ReceiptLine } from "../../workspace/receipt-line.ts";
import { type JournalEvent } from "../../memory/saving/commit.ts";
import { isRestricted } from "../../model/identity.ts";

/** Events into the daily log of their scope, and out of the files what was forgotten. */
export async function journal(
  workspace: Workspace,
  events: readonly JournalEvent[],
  { author, receipt }: { author: string; receipt?: ReceiptLine },
): Promise<void> {
  const scopes = new Set([
    ...events.map(({ memory }) => memory.scope),
    ...(receipt === undefined ? [] : [receipt.scope]),
  ]);
  for (const scope of scopes) {
    const mine = events.filter(({ memory }) => memory.scope === scope);
    await workspace.log(
      mine.map((event) => ({
        ...lineOf(event),
        ...defined({ author: isRestricted(scope) ? author : undefined }),
      })),
      scope,
      receipt?.scope === scope ? receipt : undefined,
    );
    const gone = mine
      .filter(({ event, unborn }) => event === "forgotten" && unborn !== true)
      .map(({ memory }) => memory.id);
    if (gone.length > 0) await workspace.forget(gone, scope);
    const unborn = mine.filter((event) => event.unborn === true).map(({ memory }) => memory.id);
    if (unborn.length > 0) await workspace.forget(unborn, scope, { sayings: false });
  }
}
