import { defined } from "../../core/base.ts";
import { TidemarkError } from "../../core/errors-and-events.ts";
import type { Scope } from "../../core/identity.ts";
import type { Debt, ForgetTarget, Memory, Stored } from "../../core/memory.ts";
import { digest, normalForm } from "../../core/text/cut.ts";
import type { KeptValue, Storage } from "../../storage/port.ts";
import { wholeMark } from "../../workspace/pages/page-lines.ts";
import { checkScope, checkVersion, denied, mayTouch } from "./check.ts";
import {
  allValues,
  byMemory,
  commit,
  currentOf,
  ending,
  isExpired,
  maskedTexts,
  type MemoryEvent,
  type MemoryRoom,
  placesOf,
  type Plan,
  type Put,
  serially,
  valuesOf,
  written,
} from "./commit.ts";
import { isArchived, released, unarchived } from "./consolidate.ts";
import { insert, patched, type Written } from "./draft.ts";
import { sameness } from "./same-and-category.ts";

/**
 * What becomes of a memory that is to be forgotten: it is "gone" for good, "over" with its past
 * kept, or "kept" as it is.
 */
export type Fate = "gone" | "over" | "kept";

interface Forgotten {
  readonly count: number;
  readonly kept: readonly Memory[];
  /** Every scope that words of them may stand in. */
  readonly places: readonly Scope[];
  readonly gone?: { readonly ids: readonly string[]; readonly debts: readonly Debt[] };
}

/** Takes memories out, as `fateOf` says; those it keeps are answered. */
export async function forget(
  room: MemoryRoom,
  target: ForgetTarget,
  { fateOf, version }: { fateOf: (memory: Memory) => Fate; version: number | undefined },
): Promise<{ count: number; kept: readonly Memory[] }> {
  const { store, scopes } = room;
  const rights = await room.rights();
  const writes = rights.where("forget");
  const mayGo = (memory: Memory): boolean => mayTouch("forget", memory, rights);
  // A memory is known by what was written down of it.
  const written = maskedTexts(typeof target === "string" ? { id: target } : target);
  const find = async (named: typeof written): Promise<Memory[]> =>
    (await store.find({ scopes, past: true, ...named })).map(({ memory }) => memory);
  const plan = async (): Promise<Plan<Forgotten>> => {
    const met = await find(written);
    const led = (await Promise.all(sourcesOf(met).map((source) => find({ source })))).flat();
    const values = byMemory(await valuesOf(store, idsOf([...met, ...led])));
    const own = (id: string): readonly KeptValue[] => values.get(id) ?? [];
    // One that was moved out of sight is not here any more.
    const found = met.filter(({ id, scope }) => own(id).at(-1)?.stored.memory.scope === scope);
    for (const memory of found) checkVersion(memory, version);
    const those = (fate: Fate): Memory[] => found.filter((memory) => fateOf(memory) === fate);
    const kept = those("kept");
    const [first] = found;
    if (first !== undefined && kept.length === 0 && !found.some(mayGo))
      throw denied("forget", first, rights);
    // A memory that is over is no longer found; its words stay in the past, and are asked for as
    // of then.
    const over = those("over").filter(mayGo);
    const rows = await Promise.all(
      over.map(({ id, scope }) => store.find({ scopes: [scope], id })),
    );
    const steps = rows.flat().map((row) => ending(row, room.now()));
    const removed = those("gone").filter(mayGo);
    const count = removed.length + steps.length;
    if (removed.length === 0) return { steps, result: { count, kept, places: writes } };
    const ended = led.filter((one) => mayGo(one) && currentOf(own(one.id)) === undefined);
    const ids = [...new Set(idsOf([...removed, ...ended]))];
    const all = ids.flatMap(own);
    const told = room.owed(removed.flatMap(({ id }) => goneFrom(own(id))));
    const gone = { ids, debts: [...erasing(ids, all, room.now()), ...told] };
    return { steps, result: { count, kept, places: placesOf(all), gone } };
  };
  const put: Put<Forgotten> = async (memories, late, { gone, places, count }) => {
    if (count === 0) return true;
    const { ids = [], debts = [] } = gone ?? {};
    const unit = { memories, gone: { memories: { ids, scopes: places } } };
    return store.commit({ ...unit, debts: [...debts, ...late] }, { durable: true });
  };
  const { count, kept, places } = await commit(room, plan, { put });
  // Tried again, too: the words may still stand where they could not be taken out.
  await room.pay(places);
  return { count, kept };
}

const idsOf = (memories: readonly Memory[]): string[] => memories.map(({ id }) => id);

/**
 * What became of a task names by its key what led to it: that says the same, and goes too where it
 * has ended.
 */
const sourcesOf = (memories: readonly Memory[]): string[] => [
  ...new Set(memories.flatMap(({ key }) => /^task\/\w+(?=\/)/.exec(key ?? "")?.[0] ?? [])),
];

/** That memories go from views and copies, in each place they were in; their words are digests. */
const erasing = (ids: readonly string[], values: readonly KeptValue[], at: number): Debt[] => {
  const said = values.map(({ stored }) => digest(normalForm(stored.memory.content)));
  const text = JSON.stringify({ ids, said });
  return placesOf(values).map((scope) => ({ kind: "erase", scope, at, text }));
};

/** A forgotten memory is gone from every place it was in. */
const goneFrom = (values: readonly KeptValue[]): MemoryEvent[] =>
  placesOf(values).flatMap((scope) =>
    values.slice(-1).map(({ stored }) => ({
      did: "forgotten",
      row: { ...stored, memory: { ...stored.memory, scope } },
    })),
  );

/** Takes out what has expired, in every scope. How many of `scopes` went. */
export const tidyExpired = (
  store: Storage,
  { scopes, now, dry }: { scopes: readonly Scope[]; now: number; dry?: boolean },
): Promise<number> =>
  serially(store, async () => {
    const over = (await allValues(store))
      .filter(({ stored, until }) => until === undefined && isExpired(stored, now))
      .map(({ stored }) => stored.memory);
    if (over.length > 0 && dry !== true) {
      const ids = idsOf(over);
      const debts = erasing(ids, await valuesOf(store, ids), now);
      await store.commit({ gone: { expired: now }, debts }, { durable: true });
    }
    // Everybody's goes; how much of it others had is theirs to know.
    return over.filter(({ scope }) => scopes.includes(scope)).length;
  });

/** How long what has ended can be brought back. */
const UNDO_MS = 30 * 86_400_000;
/** Characters of a mark on a page. */
const MARK = 4;

/**
 * Brings back what has ended within thirty days, by its id or by the mark its line had, as if it
 * had never ended; undefined where there is none. `archived`: what went to the archive, by its id,
 * however long ago; the abstract in its place ends.
 */
export async function undoEnd(
  room: MemoryRoom,
  name: string,
  { archived = false } = {},
): Promise<Memory | undefined> {
  const { store, now } = room;
  const reach = (await room.rights()).where("change");
  const isMeant = (id: string): boolean =>
    id === name || (name.length >= MARK && wholeMark(id).startsWith(name));
  return commit(room, async (): Promise<Plan<Memory | undefined>> => {
    const all = await allValues(store, reach);
    const values = all.filter(({ stored: { memory }, until = -Infinity }) =>
      archived
        ? memory.id === name && until > -Infinity && isArchived(memory)
        : until >= now() - UNDO_MS && isMeant(memory.id),
    );
    // Of several with one mark, what ended last.
    const [last] = values.sort((one, other) => (other.until ?? 0) - (one.until ?? 0));
    const ended = last?.stored;
    // It may have been moved where the asker does not see it: there it stands.
    if (ended === undefined || currentOf(await valuesOf(store, [ended.memory.id])) !== undefined)
      return { steps: [], result: undefined };
    const { key, ...memory } = ended.memory;
    const scopes = [memory.scope];
    const [there] = await store.find({ scopes, same: ended.same });
    if (there !== undefined) return { steps: [], result: there.memory };
    const taken = key !== undefined && (await store.find({ scopes, key })).length > 0;
    const at = Math.max(now(), ended.validFrom);
    const again: Memory = {
      ...memory,
      ...defined({ key: taken ? undefined : key }),
      tags: unarchived(memory.tags),
      updatedAt: at,
      version: memory.version + 1,
    };
    const row = { ...ended, memory: again, validFrom: at };
    const change = { do: "resume", row, was: memory.version } as const;
    const abstracts = all.flatMap((one) =>
      one.until === undefined ? released(one.stored, memory.id, at) : [],
    );
    const steps = [{ change, events: [{ did: "saved" as const, row }] }, ...abstracts];
    return { steps, result: again };
  });
}

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
  if (!mayTouch("change", old.memory, rights)) throw denied("change", old.memory, rights);
  if (scope !== to && isShared(scope) && !rights.may("decide", scope)) {
    const were = placesOf(await valuesOf(room.store, [id]));
    // Whose it was before may take it back.
    if (!were.some((own) => rights.may("promote", own))) throw denied("promote", { scope }, rights);
  }
  if (scope !== to && room.scopes.includes(to)) await checkPlace(room, old, to);
  return old;
}

const isShared = (scope: Scope): boolean => /^(?:team|project):/.test(scope);

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
 * it is not to be moved. `held`: the memory as it was, where it may have gone with its process.
 */
export async function promote(
  room: MemoryRoom,
  id: string,
  {
    scope,
    due,
    held,
  }: {
    scope: Scope;
    due?: ((memory: Memory) => Promise<void>) | undefined;
    held?: Memory | undefined;
  },
): Promise<Memory> {
  const to = checkScope(scope, { ...room, rights: await room.rights() }, { act: "promote" });
  return commit(room, async (): Promise<Plan<Memory>> => {
    if (held && (await room.store.find({ scopes: room.scopes, id })).length === 0) {
      const change = insert({ ...held, scope: to, same: sameness(held.content) }, id, {
        ...room,
        now: room.now(),
      });
      await checkPlace(room, change.row, to);
      await due?.(held);
      return { steps: [written(change)], result: change.row.memory };
    }
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
