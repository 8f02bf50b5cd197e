import { defined } from "../../base/guards.ts";
import type { Memory } from "../../model/memory.ts";
import type { KeptValue, Stored } from "../../model/store.ts";
import { normalForm } from "../../text/cut.ts";
import { wholeMark } from "../../workspace/pages/page-line.ts";
import { type CommitRoom, serially } from "./commit.ts";
import type { MemoryRoom } from "./room.ts";
import { allValues, byMemory, currentOf, valuesOf } from "./values.ts";

/** How long what has ended can be brought back. */
const UNDO_MS = 30 * 86_400_000;
/** Characters of a mark on a page. */
const MARK = 4;

type UndoRoom = CommitRoom & Pick<MemoryRoom, "scopes" | "now">;

interface Ended {
  readonly values: readonly KeptValue[];
  /** The last of them. */
  readonly stored: Stored;
  readonly until: number;
}

/** Memories that ended within thirty days, the latest first. */
async function endedIn({ store, scopes, now }: UndoRoom): Promise<Ended[]> {
  const over = [...byMemory(await allValues(store, scopes)).values()].filter(
    (values) => currentOf(values) === undefined,
  );
  return over
    .flatMap((values) =>
      values.slice(-1).map(({ stored, until = 0 }) => ({ values, stored, until })),
    )
    .filter(({ until }) => until >= now() - UNDO_MS)
    .sort((one, other) => other.until - one.until);
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
        all.find(({ stored }) => isMeant(stored.memory)) ??
        only(all.filter(({ stored }) => says(stored.memory, name)));
      if (ended === undefined) return undefined;
      const { stored, values } = ended;
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
      await journal([{ event: "updated", row }]);
      await store.restore(
        [memory.id],
        [...values.slice(0, -1), { stored, until: at }, { stored: row }],
        [memory.scope],
      );
      return again;
    }),
  );
