import { defined } from "../../base/guards.ts";
import { type Memory } from "../../model/memory.ts";
import { type KeptValue } from "../../model/store.ts";
import { normalForm } from "../../text/cut.ts";
import { wholeMark } from "../../workspace/pages/page-line.ts";
import { serially } from "./commit.ts";
import { type CompleteRoom } from "./room.ts";
import { allValues, byMemory, currentOf, valuesOf } from "./values.ts";

/** How long what has ended can be brought back. */
const UNDO_MS = 30 * 86_400_000;
/** Characters of a mark on a page. */
const MARK = 4;

type UndoRoom = Pick<CompleteRoom, "store" | "journal" | "alone" | "scopes" | "now">;

/** Memories that ended within thirty days, the latest first: none of them has words that stand again. */
async function endedIn({
  store,
  scopes,
  now,
}: UndoRoom): Promise<
  { readonly values: readonly KeptValue[]; readonly last: KeptValue; readonly until: number }[]
> {
  const found = [...byMemory(await allValues(store, scopes)).values()].flatMap((values) => {
    const last = values.at(-1);
    const until = last?.until;
    return last === undefined ||
      until === undefined ||
      currentOf(values) !== undefined ||
      until < now() - UNDO_MS
      ? []
      : [{ values, last, until }];
  });
  return found.sort((one, other) => other.until - one.until);
}

const says = ({ content }: Memory, words: string): boolean =>
  words.trim().length >= MARK && normalForm(content).includes(normalForm(words));
const only = <T>(some: readonly T[]): T | undefined => (some.length === 1 ? some[0] : undefined);

/** Brings back what has ended, by its id, by the mark its line had, or by words that no other that ended says, as if it had never ended; undefined where there is none. */
export const undoEnd = (room: UndoRoom, name: string): Promise<Memory | undefined> =>
  serially(room.store, () =>
    room.alone(async () => {
      const { store, journal, now } = room;
      const isMeant = ({ id }: Memory): boolean =>
        id === name || (name.length >= MARK && wholeMark(id).startsWith(name));
      const all = await endedIn(room);
      const ended =
        all.find(({ last }) => isMeant(last.stored.memory)) ??
        only(all.filter(({ last }) => says(last.stored.memory, name)));
      if (ended === undefined) return undefined;
      const { stored } = ended.last;
      // It was moved where the asker may not see it: there it stands.
      if (currentOf(await valuesOf(store, [stored.memory.id])) !== undefined) return undefined;
      const { key, ...memory } = stored.memory;
      const [there] = await store.same(stored.same, [memory.scope]);
      if (there !== undefined) return there.memory;
      const taken = key !== undefined && (await store.byKey(key, memory.scope)) !== undefined;
      const at = Math.max(now(), stored.validFrom);
      const again: Memory = {
        ...memory,
        ...defined({ key: taken ? undefined : key }),
        updatedAt: at,
        version: memory.version + 1,
      };
      const row = { ...stored, memory: again, validFrom: at };
      await journal([{ event: "updated", memory: again, row }]);
      await store.restore(
        [memory.id],
        [...ended.values.slice(0, -1), { stored, until: at }, { stored: row }],
        [memory.scope],
      );
      return again;
    }),
  );
