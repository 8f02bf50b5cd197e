import { noteEarlier, readAtClose } from "../background/read-unfolded.ts";
import { writeAtClose } from "../background/conversation-pages.ts";
import { queueAtClose } from "../background/short-session-queue.ts";
import type { Scheduler } from "../background/scheduler.ts";
import { showLate } from "../journal/memory-page-sync.ts";
import { endSessions } from "../journal/log-events.ts";
import { held } from "../runtime/background.ts";
import type { Core, Who } from "../session/core.ts";

/**
 * ms `close` waits for work under way while none of it ends; what is not done by then is taken up
 * at the next start.
 */
const DRAIN_MS = 5_000;
/** On a busy machine work goes on slowly, and is waited for in all so long. */
const SLOWEST_MS = 30_000;

/** And for pages of conversations, at least. */
const PAGES_MS = 1_000;

/** Concurrent calls share one promise. */
export async function close(
  core: Core,
  scheduler: Scheduler,
  whoIs: () => Promise<Who>,
): Promise<void> {
  const { process } = core;
  return (process.closing ??= core.closed
    ? Promise.resolve()
    : drain(core, scheduler, whoIs).finally(() => (process.closing = undefined)));
}

async function drain(core: Core, scheduler: Scheduler, whoIs: () => Promise<Who>): Promise<void> {
  core.embedding?.halt();
  for (const clock of [core.idle, core.rests, core.breaks, core.pauses]) clock.stop();
  const until = performance.now() + DRAIN_MS;
  await core.background.settle(DRAIN_MS, SLOWEST_MS);
  const stop = (): void => {
    scheduler.stop();
    core.process.ending.abort();
  };
  stop();
  try {
    const pages = Math.max(until, performance.now() + PAGES_MS);
    await held(writeAtClose(core, () => performance.now() < pages));
    await held(readAtClose(core, await whoIs(), Math.max(0, until - performance.now())));
    await noteAll(core, await whoIs());
    await core.background.settle(DRAIN_MS);
    await queueAtClose(core);
    await endSessions(core);
    if (core.expecting !== undefined && !core.sawCall)
      core.emit({ type: "passed", reason: core.expecting });
    core.closed = true;
    core.embedding?.meaning.stop();
    await showLate(core);
    await core.embedded?.flush();
  } finally {
    core.closed = true;
    // Work that turns have started since ends with the rest.
    stop();
    // A file left open stands in the way of mending it.
    await core.store
      .close()
      .finally(() => core.history.close())
      .finally(core.releaseLock);
  }
}

/** The opener's conversations, and those of all who had a turn in this process. */
async function noteAll(core: Core, opener: Who): Promise<void> {
  const { talked } = core.process;
  talked.set(opener.root, opener);
  for (const who of talked.values()) await noteEarlier(core, who);
}
