// Time that is the work's own: by the clock, less what the thread waited for a processor that others had. Linux says how
// long that was; elsewhere it is taken for none. The clock's time is always told beside it.
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";

const SCHEDULER = "/proc/thread-self/schedstat";

function waited(): number {
  try {
    return Number(readFileSync(SCHEDULER, "utf8").split(" ")[1]) / 1e6;
  } catch {
    return 0;
  }
}

export function stopwatch(): () => { ms: number; own: number } {
  const [before, from] = [waited(), performance.now()];
  return () => {
    const ms = performance.now() - from;
    return { ms, own: Math.max(0, ms - (waited() - before)) };
  };
}
