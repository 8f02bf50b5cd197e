import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Listen } from "../model/events.ts";
import { type Store } from "../model/store.ts";
import { isDamage } from "../store/database.ts";
import { openSqliteStore } from "../store/sqlite.ts";
import { rebuildIndex } from "./rebuild.ts";

/** The memory index of a workspace; one that is missing or cannot be read is made anew from the daily logs, and said. */
export async function openIndex(root: string | undefined, { now, emit }: { now: () => number; emit: Listen }): Promise<Store> {
  if (root === undefined) return openSqliteStore(":memory:");
  const path = join(root, ".tidemark", "index.db");
  const lost = !existsSync(path) && existsSync(join(root, ".tidemark", "journal.json"));
  try {
    if (!lost) return openSqliteStore(path);
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
  }
  const { memories, aside } = await rebuildIndex({ workspace: root, now });
  emit({ type: "degraded", where: "memory index", error: `${aside === undefined ? `The memory index ${path} was gone` : `The memory index could not be read and was put aside as ${aside}`}; it was made anew from the daily logs, with ${memories} memories.` });
  return openSqliteStore(path);
}
