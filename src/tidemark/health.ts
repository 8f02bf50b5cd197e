import { promises as fs } from "node:fs";
import { join } from "node:path";
import { queueOf } from "../compaction/journal/queue.ts";
import { untilAborted } from "../core/base.ts";
import { reasonOf } from "../core/errors-and-events.ts";
import type { Health, StorageCapabilities } from "../session/options/tidemark-api.ts";
import type { Ports, Weighing, Who } from "../session/ports.ts";
import { writeWhole } from "../workspace/disk/write-whole.ts";

export function capabilitiesOf({ store, files, options }: Ports): StorageCapabilities {
  const own = typeof options.store === "string" ? "postgres" : options.store && "own";
  const storage = own ?? (files === undefined ? "memory" : "sqlite");
  return {
    storage,
    data: store.dataRows !== undefined,
    vectors: store.vectors !== undefined,
    encrypted: options.key !== undefined,
    machines: storage === "postgres",
    files: files !== undefined,
  };
}

/** ms: a store that is well answers within. */
const LEAST_PATIENCE = 100;

/** Looks at the store and the pages, each for as long as a turn would wait. */
export async function healthOf(core: Ports & Weighing, open: () => Promise<Who>): Promise<Health> {
  const start = performance.now();
  const signal = AbortSignal.timeout(Math.max(LEAST_PATIENCE, core.marks.patience));
  const trouble = new Set<string>();
  const tried = (work: () => Promise<unknown>): Promise<boolean> =>
    untilAborted(work, signal).then(
      () => true,
      (thrown: unknown) => {
        trouble.add(reasonOf(thrown));
        return false;
      },
    );
  // It takes the lock of a writer and changes nothing: no cache of another process is emptied.
  const write = () => core.store.commit({ unpinned: { root: "", id: "" } });
  const { root } = core.workspace;
  const probe = join(root ?? "", ".tidemark", "probe");
  let [owed, waiting] = [0, 0];
  const [reads, writes, pages] = await Promise.all([
    tried(async () => {
      const who = await open();
      owed = (await core.store.debts()).length;
      waiting = (await queueOf(core.store, who.root)).length;
    }),
    tried(write),
    // Without a folder pages are rows.
    tried(
      root === undefined || core.off
        ? write
        : () => writeWhole(probe, "written").then(() => fs.rm(probe)),
    ),
  ]);
  return {
    ok: trouble.size === 0,
    ...{ reads, writes, pages, owed, waiting, trouble: [...trouble] },
    storage: capabilitiesOf(core).storage,
    ms: performance.now() - start,
  };
}
