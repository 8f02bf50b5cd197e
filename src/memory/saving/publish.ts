import { defined } from "../../core/base.ts";
import { refuse } from "../../core/errors-and-events.ts";
import { isOfGroup, type Scope } from "../../core/identity.ts";
import { authorOf, publishedKey } from "../../core/memory-types.ts";
import type { LookUp } from "../../storage/port.ts";
import { denied, mayTouch } from "./check.ts";
import { commit, ending, type MemoryRoom, type Plan, written } from "./commit.ts";

/** The draft of a copy that is published. Rejects with "not-found" or "config". */
export async function copyFor(room: MemoryRoom, id: string, scope: Scope) {
  const [old] = await room.store.find({ scopes: room.scopes, id });
  if (old === undefined || !isOfGroup(scope))
    refuse(
      `memory.publish: there must be a memory ${JSON.stringify(id)}, and \`to\` must be a team, ` +
        "a project or an organisation.",
      old ? "config" : "not-found",
    );
  const { content, kind, category, importance, tags, origin } = old.memory;
  const { agent } = await room.rights();
  const key = authorOf(old.memory) === undefined ? publishedKey(agent, id) : old.memory.key;
  const given = { content, kind, category, importance, tags, scope };
  return { given, ...defined({ key }), origin };
}

/** Ends a memory, with tags that say who did and why; false where there is none. */
export const retract = (
  room: MemoryRoom,
  which: LookUp,
  tags: readonly string[],
): Promise<boolean> =>
  commit(room, async (): Promise<Plan<boolean>> => {
    const [old] = await room.store.find(which);
    if (old === undefined) return { steps: [], result: false };
    const rights = await room.rights();
    if (!mayTouch("change", old.memory, rights)) throw denied("change", old.memory, rights);
    const memory = { ...old.memory, tags: [...old.memory.tags, ...tags] };
    const noted = { do: "amend", row: { ...old, memory }, was: memory.version } as const;
    return { steps: [written(noted), ending(old, room.now())], result: true };
  });
