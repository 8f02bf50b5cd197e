import { fsync, fsyncSync } from "node:fs";
import { promisify } from "node:util";

const byThePool = promisify(fsync);

/** A disk is quick while none of its last syncs took so long, ms. */
const QUICK = 2;
const LAST = 4;

/**
 * Waits until a file is on disk. The way through the pool of threads and back takes half as long as a quick disk itself, so behind
 * so many quick syncs the loop waits for the next one at once, as it does for a commit. After a slow one the pool waits again.
 */
export function untilOnDisk({
  now = () => performance.now(),
  sync = fsyncSync,
  pool = byThePool,
} = {}): (file: number) => Promise<void> {
  let quick = 0;
  return async (file) => {
    const before = now();
    if (quick >= LAST) sync(file);
    else await pool(file);
    quick = now() - before < QUICK ? quick + 1 : 0;
  };
}
