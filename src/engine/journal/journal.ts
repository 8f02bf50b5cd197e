import { degraded } from "../../model/errors.ts";
import { isRestricted, type Scope } from "../../model/identity.ts";
import type { CommitRoom, MemoryEvent } from "../../memory/saving/commit.ts";
import { placesOf } from "../../memory/saving/values.ts";
import { normalForm } from "../../text/cut.ts";
import {
  copiesOf,
  type Gone,
  keptCopies,
  readCopies,
  withoutGoneIn,
} from "../../workspace/pages/page-copies.ts";
import type { Core } from "../session/core.ts";
import { settleMade } from "./ended-skills.ts";

/**
 * Memory events into the daily log of their scope, with their author where that is not one of its
 * `own`; and what was made of memories is settled. Trouble is told.
 */
export async function logMemories(
  core: Core,
  events: readonly MemoryEvent[],
  { author, own }: { author?: string; own?: readonly Scope[] } = {},
): Promise<void> {
  if (core.off) return;
  for (const [scope, mine] of Map.groupBy(events, ({ row }) => row.memory.scope)) {
    const isAudited = isRestricted(scope) || own?.includes(scope) === false;
    const lines = mine.map(({ did, row: { memory } }) => ({
      ...{ did, memory, author: isAudited ? author : undefined },
      at: did === "ended" || did === "forgotten" ? core.now() : memory.updatedAt,
    }));
    await core.workspace
      .log(lines, scope)
      .catch((thrown: unknown) => core.emit(degraded("daily log", thrown)));
  }
  const others = events.filter(
    ({ did, row }) =>
      did === "forgotten" ||
      did === "ended" ||
      (did === "changed" && row.memory.kind === "procedure"),
  );
  if (others.length > 0)
    await settleMade(
      core,
      others.map(({ row }) => row.memory.id),
    );
}

/** Takes memories that are to be forgotten off pages, and out of logs and copies. */
export async function eraseMemories(
  { store, workspace, forgetCopies }: Core,
  ...[values, options]: Parameters<CommitRoom["erase"]>
): Promise<void> {
  const said = new Set(values.map(({ stored }) => normalForm(stored.memory.content)));
  for (const scope of placesOf(values)) {
    const own = values.filter(({ stored }) => stored.memory.scope === scope);
    const gone: Gone = { ids: new Set(own.map(({ stored }) => stored.memory.id)), said };
    await workspace.alone(async () => {
      await workspace.forget(gone, scope, options);
      const name = copiesOf(scope);
      const held = await store.note(name);
      if (held !== undefined)
        await store.keepNote(name, keptCopies(withoutGoneIn(readCopies(held), gone)));
    });
  }
  forgetCopies([...new Set(values.map(({ stored }) => stored.memory.id))]);
}
