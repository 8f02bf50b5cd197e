import { TidemarkError } from "../../model/errors.ts";
import { type Scope } from "../../model/identity.ts";
import { type ForgetTarget, type Memory, lessTrusted, type Origin } from "../../model/memory.ts";
import { wholeCharacters } from "../../model/checks.ts";
import { denied } from "./check.ts";
import { type KeptValue } from "../../model/store.ts";
import { commit, type JournalEvent, type Plan, serially } from "./commit.ts";
import { allValues, byMemory, currentOf, placesOf, valuesOf } from "./values.ts";
import { type CompleteRoom, maskedTexts, type MemoryRoom } from "./room.ts";

/** Takes memories out. Those of a more trusted voice end instead, where `asked` says that the user wants it. */
export async function forget(
  room: CompleteRoom,
  target: ForgetTarget,
  asked: (memory: Memory) => boolean,
): Promise<number> {
  const { store } = room;
  const writes = (await room.rights()).where("forget");
  // A memory is known by what was written down of it.
  const written = maskedTexts(checkTarget(target), await room.mask());
  let ending: readonly Memory[] = [];
  const removed = await serially(store, () =>
    room.alone(async () => {
      const find = async (asked: typeof written): Promise<Memory[]> =>
        (await store.find({ scopes: room.scopes, ...asked })).map(({ memory }) => memory);
      const met = await find(written);
      const led = (await Promise.all(sourcesOf(met).map((source) => find({ source })))).flat();
      const values = byMemory(
        await valuesOf(
          store,
          [...met, ...led].map(({ id }) => id),
        ),
      );
      // One that was moved out of sight is not here any more.
      const found = met.filter(
        ({ id, scope }) => values.get(id)?.at(-1)?.stored.memory.scope === scope,
      );
      const own = ownOf({ origin: room.origin, writes, asked }, found);
      ending = own.ending;
      if (own.removed.length === 0) return 0;
      const over = led.filter(
        ({ id, scope }) =>
          writes.includes(scope) &&
          currentOf(values.get(id) ?? []) === undefined &&
          !own.removed.some((one) => one.id === id),
      );
      const ids = [...own.removed, ...over].map(({ id }) => id);
      await room.journal(ids.flatMap((id) => goneFrom(values.get(id) ?? [])));
      await store.remove(ids, placesOf(ids.flatMap((id) => values.get(id) ?? [])));
      return own.removed.length;
    }),
  );
  if (ending.length === 0) return removed;
  return removed + (await commit(room, () => planEnd({ ...room, writes }, ending)));
}

/** What became of a task names by its key what led to it: that says the same, and goes too where it has ended. */
const sourcesOf = (memories: readonly Memory[]): string[] => [
  ...new Set(memories.flatMap(({ key }) => /^task\/\w+(?=\/)/.exec(key ?? "")?.[0] ?? [])),
];

/** A forgotten memory is gone from every place it was in. */
function goneFrom(values: readonly KeptValue[]): JournalEvent[] {
  const last = values.at(-1)?.stored.memory;
  if (last === undefined) return [];
  return placesOf(values).map((scope) => ({ event: "forgotten", memory: { ...last, scope } }));
}

/** Which of the memories found may be removed, and which may end because the user asks for it. */
function ownOf(
  {
    writes,
    origin,
    asked,
  }: { writes: readonly Scope[]; origin: Origin; asked: (memory: Memory) => boolean },
  found: readonly Memory[],
): { removed: readonly Memory[]; ending: readonly Memory[] } {
  const [first] = found;
  const writable = found.filter(({ scope }) => writes.includes(scope));
  if (first !== undefined && writable.length === 0)
    throw denied("forget from", first.scope, writes);
  const trusted = (memory: Memory): boolean => lessTrusted(origin, memory.origin);
  const removed = writable.filter((memory) => !trusted(memory));
  const ending = writable.filter((memory) => trusted(memory) && asked(memory));
  if (first !== undefined && removed.length === 0 && ending.length === 0)
    throw new TidemarkError(
      "scope-denied",
      `Memory ${first.id} is the word of the ${first.origin}, which words of origin "${origin}" may not end: only the user's own message may ask for that.`,
    );
  return { removed, ending };
}

/** What is ended is no longer found; its words stay in the journal, and are asked for as of then. */
async function planEnd(
  { store, writes, now }: Pick<CompleteRoom, "store" | "now"> & { writes: readonly Scope[] },
  memories: readonly Memory[],
): Promise<Plan<number>> {
  const at = now();
  const found = await Promise.all(memories.map(({ id }) => store.get(id, writes)));
  const rows = found.flatMap((row) => row ?? []);
  return {
    changes: rows.map(({ memory }) => ({ do: "end", id: memory.id, was: memory.version, at })),
    events: rows.map((row) => ({ event: "superseded", memory: row.memory, row, until: at })),
    result: rows.length,
  };
}

export function checkTarget(
  target: ForgetTarget,
): { id: string } | { key: string } | { source: string } {
  const given: unknown = target;
  if (typeof given === "string") return { id: given };
  if (typeof given === "object" && given !== null) {
    if ("key" in given && typeof given.key === "string")
      return { key: wholeCharacters(given.key, "key") };
    if ("source" in given && typeof given.source === "string")
      return { source: wholeCharacters(given.source, "source") };
  }
  throw new TidemarkError("config", "forget takes an id, { key } or { source }.");
}

/** Takes out what has expired, in every scope: from the journal, so that no rebuild brings it back, then from the index. */
export const tidyExpired = ({
  store,
  journal,
  now,
  scopes,
  alone = (work) => work(),
}: Pick<MemoryRoom, "store" | "journal" | "alone"> & {
  now: number;
  scopes?: readonly Scope[];
}): Promise<number> =>
  serially(store, () =>
    alone(async () => {
      const over = [...byMemory(await allValues(store)).values()].filter((values) => {
        const expiresAt = currentOf(values)?.stored.memory.expiresAt;
        return expiresAt !== undefined && expiresAt <= now;
      });
      if (over.length > 0) await journal(over.flatMap(goneFrom));
      const gone = await store.removeExpired(now);
      // Everybody's goes; how much of it others had is theirs to know.
      return scopes === undefined
        ? gone
        : over.filter((values) => {
            const scope = currentOf(values)?.stored.memory.scope;
            return scope !== undefined && scopes.includes(scope);
          }).length;
    }),
  );
