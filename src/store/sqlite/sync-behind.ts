import { open } from "node:fs/promises";

interface SyncBehind {
  /** What was written to the log so far is on disk soon; its writer goes on. */
  begin(): void;
  /** Until it is. */
  ended(): Promise<void>;
}

/**
 * Has a database's log reach the disk in the pool of threads. For what is not lost with the power, only done again: a disk
 * that takes ten milliseconds would take them from the turn that folds.
 */
export function syncBehind(path: string): SyncBehind {
  let running: Promise<void> = Promise.resolve();
  const sync = async (): Promise<void> => {
    // Windows flushes only what may be written to.
    const log = await open(`${path}-wal`, "r+");
    await log.sync().finally(() => log.close());
  };
  return {
    // Where it fails, or the log was just written back, the next commit that waits for the disk takes along what is left.
    begin: () => void (running = running.then(sync).catch(() => undefined)),
    ended: () => running,
  };
}
