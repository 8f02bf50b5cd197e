import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { type Listen } from "../../model/events.ts";
import { type Store } from "../../model/store.ts";
import { patiently } from "../../store/sqlite/busy.ts";
import { brokenBy } from "../../store/repair/integrity.ts";
import { openSqliteStore } from "../../store/open-index.ts";
import { exclusively } from "../../workspace/lock.ts";
import { rebuildIndex } from "./rebuild.ts";
import {
  asItIs,
  databaseOf,
  isMarked,
  setAside,
  suspicion,
  unmark,
  wasUsed,
  watcher,
} from "./salvage-files.ts";

/** The memory index of a workspace; one that is missing or cannot be read is made anew from the daily logs, and said. */
export async function openIndex(
  root: string | undefined,
  { now, emit }: { now: () => number; emit: Listen },
): Promise<Store> {
  if (root === undefined) return openSqliteStore(":memory:");
  const kept = databaseOf(root, "memory index");
  const open = (): Store => openSqliteStore(kept.path, { damaged: watcher(kept, emit) });
  if (wrongWith(root) === undefined) {
    try {
      return await patiently(open);
    } catch (thrown) {
      if (brokenBy(kept.path, thrown) === undefined) throw thrown;
    }
  }
  try {
    const told = await mendIndex(root, now);
    if (told !== undefined) emit({ type: "degraded", where: "memory index", error: told });
  } catch (thrown) {
    return asItIs(thrown, { open, emit, kept });
  }
  return patiently(open);
}

function wrongWith(root: string): string | undefined {
  const kept = databaseOf(root, "memory index");
  if (!existsSync(kept.path)) return wasUsed(kept) ? "gone" : undefined;
  return suspicion(kept) ?? (isMarked(kept) ? "it was seen to be damaged" : undefined);
}

/** Sets a damaged index aside and makes a new one. Answers what was done, in a sentence; nothing when it is sound. */
export async function mendIndex(root: string, now: () => number): Promise<string | undefined> {
  const kept = databaseOf(root, "memory index");
  return exclusively(resolve(root), async () => {
    const wrong = wrongWith(root) ?? (await reasonNotToOpen(kept.path));
    if (wrong === undefined) return undefined;
    const aside = existsSync(kept.path) ? setAside(kept, now()) : undefined;
    const { memories, unread } = await rebuildIndex({ workspace: root, now });
    const lost =
      unread.length === 0
        ? ""
        : ` ${unread.length} of their lines could not be read (the first: ${unread[0] ?? ""}).`;
    unmark(kept);
    return `${aside === undefined ? `The memory index ${kept.path} was gone` : `The memory index could not be read and was put aside as ${basename(aside)} (${wrong})`}; it was made anew from the daily logs, with ${memories} memories.${lost}`;
  });
}

async function reasonNotToOpen(path: string): Promise<string | undefined> {
  if (!existsSync(path)) return undefined;
  try {
    await patiently(() => openSqliteStore(path).close());
    return undefined;
  } catch (thrown) {
    const broken = brokenBy(path, thrown);
    if (broken === undefined) throw thrown;
    return broken;
  }
}
