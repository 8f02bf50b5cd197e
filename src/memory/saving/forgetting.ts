import type { KeptValue, Storage } from "../../model/storage.ts";
import type { Debt, Stored } from "../../model/changes.ts";
import { TidemarkError } from "../../model/errors.ts";
import { defined } from "../../base/guards.ts";
import type { Scope } from "../../model/identity.ts";
import type { Rights } from "../../model/rights.ts";
import { type ForgetTarget, type Memory, lessTrusted, type Origin } from "../../model/memory.ts";
import { denied } from "./check.ts";
import { normalForm } from "../../text/cut.ts";
import { digest } from "../../text/hash.ts";
import { wholeMark } from "../../workspace/lines/short-name.ts";
import { commit, ending, type MemoryEvent, type Plan, serially } from "./commit.ts";
import { allValues, byMemory, currentOf, isExpired, placesOf, valuesOf } from "./values.ts";
import { maskedTexts, type MemoryRoom } from "./room.ts";

/**
 * Takes memories out. Those of a more trusted voice end instead, where `asked` says that the user
 * wants it.
 */
export async function forget(
  room: MemoryRoom,
  target: ForgetTarget,
  asked: (memory: Memory) => boolean,
): Promise<number> {
  const { store, scopes } = room;
  const rights = await room.rights();
  const writes = rights.where("forget");
  // A memory is known by what was written down of it.
  const written = maskedTexts(typeof target === "string" ? { id: target } : target);
  let over: readonly Memory[] = [];
  let places = writes;
  const gone = await serially(store, async (): Promise<number> => {
    const find = async (named: typeof written): Promise<Memory[]> =>
      (await store.find({ scopes, past: true, ...named })).map(({ memory }) => memory);
    const met = await find(written);
    const led = (await Promise.all(sourcesOf(met).map((source) => find({ source })))).flat();
    const values = byMemory(await valuesOf(store, idsOf([...met, ...led])));
    const own = (id: string): readonly KeptValue[] => values.get(id) ?? [];
    // One that was moved out of sight is not here any more.
    const found = met.filter(({ id, scope }) => own(id).at(-1)?.stored.memory.scope === scope);
    const fates = fatesOf(found, rights, { ...room, asked });
    over = fates.ending;
    if (fates.removed.length === 0) return 0;
    const ended = led.filter(
      ({ id, scope }) => writes.includes(scope) && currentOf(own(id)) === undefined,
    );
    const ids = [...new Set(idsOf([...fates.removed, ...ended]))];
    const all = ids.flatMap(own);
    const told = room.owed(fates.removed.flatMap(({ id }) => goneFrom(own(id))));
    places = placesOf(all);
    const debts = [...erasing(ids, all, { at: room.now() }), ...told];
    await store.commit({ gone: { memories: { ids, scopes: places } }, debts }, { durable: true });
    return fates.removed.length;
  });
  // Tried again, too: the words may still stand where they could not be taken out.
  await room.pay(places);
  if (over.length === 0) return gone;
  return gone + (await commit(room, () => planEnd(room, writes, over)));
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
const erasing = (
  ids: readonly string[],
  values: readonly KeptValue[],
  { at, expired }: { at: number; expired?: true },
): Debt[] => {
  const said = values.map(({ stored }) => digest(normalForm(stored.memory.content)));
  const text = JSON.stringify({ ids, said, expired });
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

/** Which of the memories found may be removed, and which may end because the user asks for it. */
function fatesOf(
  found: readonly Memory[],
  rights: Rights,
  { origin, asked }: { origin: Origin; asked: (memory: Memory) => boolean },
): { removed: readonly Memory[]; ending: readonly Memory[] } {
  const [first] = found;
  if (first === undefined) return { removed: [], ending: [] };
  const writes = rights.where("forget");
  const writable = found.filter(({ scope }) => writes.includes(scope));
  if (writable.length === 0) throw denied("forget", first.scope, rights);
  const trusted = (memory: Memory): boolean => lessTrusted(origin, memory.origin);
  const removed = writable.filter((memory) => !trusted(memory));
  const ending = writable.filter((memory) => trusted(memory) && asked(memory));
  if (removed.length === 0 && ending.length === 0)
    throw new TidemarkError(
      "scope-denied",
      `Memory ${first.id} is the word of the ${first.origin}, which words of origin ` +
        `"${origin}" may not end: only the user's own message may ask for that.`,
    );
  return { removed, ending };
}

/**
 * What is ended is no longer found; its words stay in the past, and are asked for as of then.
 */
async function planEnd(
  { store, now }: MemoryRoom,
  writes: readonly Scope[],
  memories: readonly Memory[],
): Promise<Plan<number>> {
  const at = now();
  const found = await Promise.all(memories.map(({ id }) => store.find({ scopes: writes, id })));
  const steps = found.flat().map((row) => ending(row, at));
  return { steps, result: steps.length };
}

/** Takes out what has expired, in every scope. How many of `scopes` went. */
export const tidyExpired = (
  store: Storage,
  asked: { scopes: readonly Scope[]; now: number },
): Promise<number> =>
  serially(store, async () => {
    const over = [...byMemory(await allValues(store)).values()].flatMap((values) => {
      const current = currentOf(values)?.stored;
      return current !== undefined && isExpired(current, asked.now)
        ? [{ values, scope: current.memory.scope }]
        : [];
    });
    const values = over.flatMap((one) => one.values);
    const ids = values.map(({ stored }) => stored.memory.id);
    if (over.length > 0)
      await store.commit(
        {
          gone: { expired: asked.now },
          debts: erasing(ids, values, { at: asked.now, expired: true }),
        },
        { durable: true },
      );
    // Everybody's goes; how much of it others had is theirs to know.
    return over.filter(({ scope }) => asked.scopes.includes(scope)).length;
  });

/** How long what has ended can be brought back. */
const UNDO_MS = 30 * 86_400_000;
/** Characters of a mark on a page. */
const MARK = 4;

/** The last values of memories that ended within thirty days, the latest first. */
async function endedIn({ store, now }: MemoryRoom, scopes: readonly Scope[]): Promise<Stored[]> {
  return [...byMemory(await allValues(store, scopes)).values()]
    .flatMap((values) =>
      values.slice(-1).map(({ stored, until = -Infinity }) => ({ stored, until })),
    )
    .filter(({ until }) => until >= now() - UNDO_MS)
    .sort((one, other) => other.until - one.until)
    .map(({ stored }) => stored);
}

const says = ({ content }: Memory, words: string): boolean =>
  words.trim().length >= MARK && normalForm(content).includes(normalForm(words));
const only = <T>(some: readonly T[]): T | undefined => (some.length === 1 ? some[0] : undefined);

/**
 * Brings back what has ended, by its id, by the mark its line had, or by words that no other that
 * ended says, as if it had never ended; undefined where there is none.
 */
export async function undoEnd(room: MemoryRoom, name: string): Promise<Memory | undefined> {
  const reach = (await room.rights()).where("change");
  return commit(room, () => planUndo(room, reach, name));
}

async function planUndo(
  room: MemoryRoom,
  reach: readonly Scope[],
  name: string,
): Promise<Plan<Memory | undefined>> {
  const { store, now } = room;
  const isMeant = ({ id }: Memory): boolean =>
    id === name || (name.length >= MARK && wholeMark(id).startsWith(name));
  const all = await endedIn(room, reach);
  const ended =
    all.find((stored) => isMeant(stored.memory)) ??
    only(all.filter((stored) => says(stored.memory, name)));
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
    updatedAt: at,
    version: memory.version + 1,
  };
  const row = { ...ended, memory: again, validFrom: at };
  const change = { do: "resume", row, was: memory.version } as const;
  return { steps: [{ change, events: [{ did: "saved", row }] }], result: again };
}
