import { TidemarkError } from "../../model/errors.ts";
import { type Scope } from "../../model/identity.ts";
import { type ForgetTarget, type Memory } from "../../model/memory.ts";
import { type Store } from "../../model/store.ts";
import { wholeCharacters } from "../../model/checks.ts";
import { type Plan, serially } from "./commit.ts";
import { allValues } from "./values.ts";
import { type MemoryRoom } from "./room.ts";

/** What is ended is no longer found; its words stay in the journal, and are asked for as of then. */
export async function planEnd(
  store: Store,
  memories: readonly Memory[],
  { writes, at }: { writes: readonly Scope[]; at: number },
): Promise<Plan<number>> {
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
      const over = (await allValues(store)).filter(
        ({ stored: { memory }, until }) =>
          until === undefined && memory.expiresAt !== undefined && memory.expiresAt <= now,
      );
      if (over.length > 0)
        await journal(over.map(({ stored: { memory } }) => ({ event: "forgotten", memory })));
      const gone = await store.removeExpired(now);
      // Everybody's goes; how much of it others had is theirs to know.
      return scopes === undefined
        ? gone
        : over.filter(({ stored: { memory } }) => scopes.includes(memory.scope)).length;
    }),
  );
