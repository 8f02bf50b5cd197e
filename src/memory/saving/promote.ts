import type { Stored } from "../../model/changes.ts";
import { TidemarkError } from "../../model/errors.ts";
import type { Scope } from "../../model/identity.ts";
import type { Memory } from "../../model/memory.ts";
import { checkScope, denied } from "./check.ts";
import { commit, ending, type Plan } from "./commit.ts";
import { patched, type Written } from "./draft.ts";
import type { MemoryRoom } from "./room.ts";

/**
 * The memory that may be moved: in sight, and its mover's to change. Rejects with "not-found",
 * "scope-denied", or "conflict" where the words or the key stand there already.
 */
export async function promotable(room: MemoryRoom, id: string, to: Scope): Promise<Stored> {
  const rights = await room.rights();
  const [old] = await room.store.find({ scopes: room.scopes, id });
  if (old === undefined)
    throw new TidemarkError("not-found", `There is no memory ${JSON.stringify(id)} to promote.`);
  const { scope } = old.memory;
  if (!rights.may("change", scope)) throw denied("change", scope, rights);
  if (scope !== to && room.scopes.includes(to)) await checkPlace(room, old, to);
  return old;
}

async function checkPlace({ store }: MemoryRoom, old: Stored, to: Scope): Promise<void> {
  const { key } = old.memory;
  const equal = (await store.find({ scopes: [to], same: old.same })).find(
    ({ memory }) => memory.key === undefined || key === undefined,
  );
  const keyed = key === undefined ? [] : await store.find({ scopes: [to], key });
  const there = equal ?? keyed[0];
  if (there === undefined) return;
  const how =
    equal === undefined ? `holds another value under the key "${key}"` : "says this already";
  throw new TidemarkError(
    "conflict",
    `${to} ${how}, as memory ${there.memory.id}: update or forget that one, or leave this ` +
      "one where it is.",
  );
}

/**
 * Moves a memory to where the identity may promote to. It stays the same memory, of the same
 * origin; its past stays where it was.
 * `due` is asked at the last moment, when no other process can change anything, and rejects where
 * it is not to be moved.
 */
export async function promote(
  room: MemoryRoom,
  id: string,
  { scope, due }: { scope: Scope; due?: ((memory: Memory) => Promise<void>) | undefined },
): Promise<Memory> {
  const to = checkScope(scope, { ...room, rights: await room.rights() }, "promote");
  return commit(room, async (): Promise<Plan<Memory>> => {
    const old = await promotable(room, id, to);
    const { memory } = old;
    await due?.(memory);
    if (memory.scope === to) return { steps: [], result: memory };
    const at = Math.max(room.now(), old.validFrom);
    const moved = patched(old, { scope: to }, { ...room, now: at });
    const change = room.scopes.includes(to) ? moved : withoutKey(moved);
    const events = [{ did: "saved" as const, row: change.row }, ...ending(old, at).events];
    return { steps: [{ change, events }], result: change.row.memory };
  });
}

/** Keys of a scope out of sight are its owner's. */
function withoutKey(change: Written): Written {
  const { key: _owners, ...memory } = change.row.memory;
  return { ...change, row: { ...change.row, memory } };
}
