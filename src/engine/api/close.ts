import { noteEarlier, readAtClose, type Unfolded } from "../background/read-unfolded.ts";
import type { ConversationPages } from "../background/conversation-pages.ts";
import type { Scheduler } from "../background/scheduler.ts";
import type { Directory } from "../journal/identities.ts";
import type { Viewed } from "../journal/journal.ts";
import { held } from "../runtime/background.ts";
import type { Embedded, Who } from "../session/core.ts";

/**
 * ms `close` waits for work under way while none of it ends; what is not done by then is taken up
 * at the next start.
 */
const DRAIN_MS = 5_000;
/** On a busy machine work goes on slowly, and is waited for in all so long. */
const SLOWEST_MS = 30_000;

/** And for pages of conversations, at least. */
const PAGES_MS = 1_000;

interface ClosingParts extends Viewed {
  closed: boolean;
  readonly scheduler: Scheduler;
  readonly pages: ConversationPages;
  readonly directory: Directory;
  readonly releaseLock: () => void;
}

/** How a workspace is closed, and what it says if no call came by. */
export function createClosing(core: Unfolded & Embedded & ClosingParts) {
  let closing: Promise<void> | undefined;
  let expecting: string | undefined;
  let sawCall = false;
  const missed = (): void => {
    if (expecting !== undefined && !sawCall) core.emit({ type: "passed", reason: expecting });
  };
  return {
    /** Told at the close if no call came through the adapter that stands by. */
    expectCalls: (reason: string): void => void (expecting ??= reason),
    sawCall: (): void => void (sawCall = true),
    /** Concurrent calls share one promise. */
    close: async (opener: () => Promise<Who>): Promise<void> =>
      (closing ??= core.closed
        ? Promise.resolve()
        : drain(core, opener, missed).finally(() => (closing = undefined))),
  };
}

export type Closing = ReturnType<typeof createClosing>;

async function drain(
  core: Parameters<typeof createClosing>[0],
  opener: () => Promise<Who>,
  missed: () => void,
): Promise<void> {
  const { embedding, background, scheduler, pages, rests } = core;
  embedding?.halt();
  for (const clock of [scheduler.quiet, rests, pages]) clock.stop();
  const until = performance.now() + DRAIN_MS;
  await background.settle(DRAIN_MS, SLOWEST_MS);
  const stop = (): void => {
    scheduler.stop();
    core.ending.abort();
  };
  stop();
  try {
    const late = Math.max(until, performance.now() + PAGES_MS);
    await held(pages.writeAtClose(() => performance.now() < late));
    const who = await opener();
    await held(readAtClose(core, who, Math.max(0, until - performance.now())));
    // The opener's conversations, and those of all who had a turn in this process.
    for (const one of new Set([...core.directory.spoken(), who])) await noteEarlier(core, one);
    await background.settle(DRAIN_MS);
    await rests.queueAtClose();
    missed();
    core.closed = true;
    embedding?.meaning.stop();
    await core.views.payGently();
    await embedding?.flush();
  } finally {
    core.closed = true;
    // Work that turns have started since ends with the rest.
    stop();
    // A file left open stands in the way of mending it.
    await core.store.close().finally(core.releaseLock);
  }
}
