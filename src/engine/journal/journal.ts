import { degraded } from "../../model/errors.ts";
import { isRestricted, type Scope } from "../../model/identity.ts";
import type { Erased, MemoryEvent } from "../../memory/saving/commit.ts";
import { normalForm } from "../../text/cut.ts";
import {
  copiesOf,
  type Gone,
  keptCopies,
  readCopies,
  withoutGoneIn,
} from "../../workspace/pages/page-copies.ts";
import type { Ground, Kept, Ports } from "../session/core.ts";
import { settleMade } from "./ended-skills.ts";

/**
 * Memory events into the daily log of their scope, with their author where that is not one of its
 * `own`; and what was made of memories is settled. Trouble is told.
 */
export async function logMemories(
  core: Ports,
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

/** Takes memories that are to be forgotten off pages, out of logs and copies, and away. */
export async function eraseMemories(
  { store, workspace, emit, forgetCopies }: Ground & Kept,
  { ids, values, scopes, expired = false }: Erased,
  remove: () => Promise<unknown>,
): Promise<void> {
  const gone: Gone = {
    ids: new Set(ids),
    said: new Set(values.map(({ stored }) => normalForm(stored.memory.content))),
  };
  await workspace.alone(async () => {
    for (const scope of scopes) await workspace.forget(gone, scope, { expired });
    await remove();
  });
  // From here on it is forgotten, whatever else goes wrong.
  try {
    for (const name of scopes.map(copiesOf)) {
      const held = await store.note(name);
      const left = held && keptCopies(withoutGoneIn(readCopies(held), gone));
      if (left !== held) await store.commit({ notes: { [name]: left } });
    }
  } catch (thrown) {
    emit(degraded("MEMORY.md", thrown));
  }
  forgetCopies(ids);
}
