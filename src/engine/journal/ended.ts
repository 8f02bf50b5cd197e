import { degraded } from "../../model/errors.ts";
import { type Store } from "../../model/store.ts";
import { currentOf, valuesOf, byMemory } from "../../memory/saving/values.ts";
import { type Listen } from "../../model/events.ts";
import { type Workspace } from "../../workspace/workspace.ts";
import { proposedIn } from "./proposed.ts";

interface Room {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly emit: Listen;
}

/**
 * What was made of memories goes with them: skills, and what is proposed of them. `ids`: those that may be over; all that something
 * was made of where none are named, since a process may have died in between. Trouble is told.
 */
export async function settleEnded(
  { store, workspace, emit }: Room,
  ids?: readonly string[],
): Promise<void> {
  try {
    const proposed = proposedIn(workspace);
    const named = new Set([
      ...(await workspace.skills.made()),
      ...(await proposed.all()).flatMap(([, { memory }]) => memory ?? []),
    ]);
    const asked = ids === undefined ? [...named] : [...new Set(ids)].filter((id) => named.has(id));
    if (asked.length === 0) return;
    const kept = byMemory(await valuesOf(store, asked));
    const over = asked.filter((id) => currentOf(kept.get(id) ?? []) === undefined);
    if (over.length === 0) return;
    await workspace.skills.remove(over);
    await proposed.dropIf(({ memory = "" }) => over.includes(memory));
  } catch (thrown) {
    emit(degraded("skills", thrown));
  }
}
