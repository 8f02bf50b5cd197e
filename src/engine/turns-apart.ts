import { join, resolve } from "node:path";
import { type Store } from "../model/store.ts";
import { patiently } from "../store/sqlite/busy.ts";
import { atRest } from "../store/sqlite/checkpointer.ts";
import { openSqliteStore } from "../store/open-index.ts";
import { forgetAllTurns } from "../store/turns/clear.ts";

/** The words of an encrypted history lie nowhere in the clear: its search index is made in memory, with the first search of a process. */
export function withTurnsApart(store: Store): Store {
  const apart = openSqliteStore(":memory:");
  return { ...store, turns: apart.turns, close: () => apart.close().finally(() => store.close()) };
}

/** What an earlier history in plain text left in the index of a workspace. */
export async function clearTurns(root: string): Promise<void> {
  const path = join(resolve(root), ".tidemark", "index.db");
  await atRest(path);
  await patiently(() => forgetAllTurns(path));
}
