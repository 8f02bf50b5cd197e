// Time that is the work's own: by the clock, less what the thread waited for a processor that others had. Linux says how
// long that was; elsewhere it is taken for none. The clock's time is always told beside it.
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { round } from "../support.ts";

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

/** The longest the event loop was held up while `work` ran, ms: what a timer of 1 ms felt. */
export async function blocking(work: () => Promise<void>): Promise<{ clock: number; own: number }> {
  let [clock, own, done] = [0, 0, false];
  let stop = stopwatch();
  const tick = (): void => {
    const { ms, own: mine } = stop();
    clock = Math.max(clock, ms);
    own = Math.max(own, mine);
    stop = stopwatch();
    if (!done) setTimeout(tick, 1);
  };
  setTimeout(tick, 1);
  await work();
  await new Promise((resolve) => setTimeout(resolve, 2));
  done = true;
  return { clock: round(clock), own: round(own) };
}
