import { reasonOf, troubleOf } from "../../model/errors.ts";
import type { Job } from "../../model/history.ts";
import { isDue, isRest, queueOf, waitAfter, settled } from "../journal/watermark.ts";
import { persistNotes } from "../journal/receipt.ts";
import { isBudgetSpent } from "../runtime/budget.ts";
import type { Who } from "../session/core.ts";
import { factsByModel, type Reading, tellRead } from "./short-session-read.ts";

/** Distilling that was left undone is done again, one piece at a time. */
export function createCatchUp(core: Reading) {
  /** Identities whose queue of earlier processes is empty. */
  const caughtUp = new Set<string>();
  let isAtIt = false;

  /** A failure waits twice as long as the last. Answers how many pieces were done. */
  async function workOff(
    who: Who,
    { due = true, of = () => true }: { due?: boolean; of?: (job: Job) => boolean } = {},
  ): Promise<number> {
    if (isAtIt || core.closed || core.models.completeFor(who) === undefined) return 0;
    isAtIt = true;
    let done = 0;
    try {
      const jobs = (await queueOf(core.history, who.root)).filter(
        (job) => !isRest(job) && of(job) && (!due || isDue(job, core.now())),
      );
      for (const job of jobs) {
        if (core.closed || core.ending.signal.aborted) break;
        if (await doAgain(core, who, job)) done++;
      }
    } finally {
      isAtIt = false;
    }
    return done;
  }

  return {
    workOff,
    /**
     * The same for what was left before this process: once nothing is, turns below the marks start
     * no call of a model.
     */
    async catchUp(who: Who): Promise<void> {
      if (caughtUp.has(who.root)) return;
      const of = (job: Job): boolean => !isRest(job) && !core.queued.has(job.id);
      await workOff(who, { of });
      if (!(await queueOf(core.history, who.root)).some(of)) caughtUp.add(who.root);
    },
  };
}

export type CatchUp = ReturnType<typeof createCatchUp>;

async function doAgain(core: Reading, who: Who, job: Job): Promise<boolean> {
  const stopped = core.ending.signal;
  const of = await settled(core, job.session);
  // A process that died, or another one, may have done it.
  if (!of || !(await queueOf(core.history, who.root)).some(({ id }) => id === job.id)) return false;
  const started = core.now();
  // Where the conversation went on otherwise since, its new words are distilled with the rest.
  const range = { from: job.from, to: Math.min(job.to, of.entries.length) };
  try {
    const read = await factsByModel(core, of.session, { ...range, stopped });
    if (!(await persistNotes(core, who, { of, ...range, ...read, job: job.id }))) return false;
    tellRead(core, job.session, { ...read, facts: read.facts.length, started });
    return true;
  } catch (thrown) {
    // Told to stop, or out of budget, is no failure: the job is found later as it was.
    if (stopped.aborted || isBudgetSpent(thrown)) return false;
    const again: Job = {
      ...job,
      attempts: job.attempts + 1,
      error: reasonOf(thrown).slice(0, 500),
      notBefore: core.now() + waitAfter(job.attempts + 1),
    };
    await core.sessions.update(job.session, { jobs: [again] });
    core.emit({ type: "distil-failed", session: job.session, ...troubleOf(thrown) });
    return false;
  }
}
