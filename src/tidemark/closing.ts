import type { Scheduler } from "../compaction/distilling/background-summaries.ts";
import { noteEarlier, type Unfolded } from "../compaction/distilling/short-session-queue.ts";
import type { Directory } from "../compaction/journal/identity-directory.ts";
import type { ConversationPages } from "../compaction/journal/log-and-conversation-pages.ts";
import type { Viewed } from "../compaction/journal/views.ts";
import { giveUpWaiting } from "../memory/saving/commit.ts";
import { held } from "../session/options/background.ts";
import type { Embedded, Who } from "../session/ports.ts";

/**
 * ms `close` waits for work under way while none of it ends; what is not done by then is taken up
 * at the next start.
 */
const DRAIN_MS = 5_000;
/** ms it takes in all, and of these what the last steps may take. */
const CLOSE_MS = 10_000;
const LAST_MS = 2_000;

interface ClosingParts extends Viewed {
  closed: boolean;
  readonly scheduler: Scheduler;
  readonly pages: ConversationPages;
  readonly directory: Directory;
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
    /** Concurrent calls share one promise. `before`: what still writes to the store. */
    close: async (
      opener: () => Promise<Who>,
      before: readonly Promise<void>[] = [],
    ): Promise<void> =>
      (closing ??= core.closed
        ? Promise.resolve()
        : drain(core, opener, { missed, before }).finally(() => (closing = undefined))),
  };
}

export type Closing = ReturnType<typeof createClosing>;

async function drain(
  core: Parameters<typeof createClosing>[0],
  opener: () => Promise<Who>,
  { missed, before }: { missed: () => void; before: readonly Promise<void>[] },
): Promise<void> {
  const { embedding, background, scheduler, pages, rests } = core;
  embedding?.halt();
  for (const clock of [scheduler.quiet, rests, pages]) clock.stop();
  const start = performance.now();
  const left = (): number => start + CLOSE_MS - LAST_MS - performance.now();
  if (!(await background.settle(DRAIN_MS, left()))) giveUpWaiting(core.store);
  const stop = (): void => {
    scheduler.stop();
    core.ending.abort();
  };
  if (core.distil.atClose !== undefined)
    await held(opener().then((who) => rests.readAtClose(who, Math.max(0, left()))));
  stop();
  try {
    await held(pages.writeAtClose(() => left() > 0));
    const who = await opener();
    // The opener's conversations, and those of all who had a turn in this process.
    for (const one of new Set([...core.directory.spoken(), who])) await noteEarlier(core, one);
    await background.settle(Math.max(0, left()));
    await rests.queueAtClose();
    missed();
    core.closed = true;
    embedding?.meaning.stop();
    // What is late is owed, and paid by the next process.
    if (left() > 0) await core.views.payGently();
  } finally {
    core.closed = true;
    // Work that turns have started since ends with the rest.
    stop();
    await Promise.allSettled(before);
    await core.store.close();
  }
}
