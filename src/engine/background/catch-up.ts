import { reasonOf, troubleOf } from "../../model/errors.ts";
import type { Job } from "../../model/history.ts";
import { isDue, isRest, queueOf, waitAfter, settled } from "../journal/watermark.ts";
import { persistNotes } from "../journal/receipt.ts";
import { isBudgetSpent } from "../runtime/budget.ts";
import type { Core, Who } from "../session/core.ts";
import { completeFor } from "./choose-distiller.ts";
import { factsByModel, tellRead } from "./short-session-read.ts";

/**
 * Does again what distilling left undone, one piece at a time; a failure waits twice as long as the
 * last.
 */
export async function workOff(
  core: Core,
  who: Who,
  { due = true, of = () => true }: { due?: boolean; of?: (job: Job) => boolean } = {},
): Promise<number> {
  const { process } = core;
  if (process.workingOff || core.closed || completeFor(core, { who }) === undefined) return 0;
  const { signal } = process.ending;
  process.workingOff = true;
  let done = 0;
  try {
    const jobs = (await queueOf(core.history, who.root)).filter(
      (job) => !isRest(job) && of(job) && (!due || isDue(job, core.now())),
    );
    for (const job of jobs) {
      if (core.closed || signal.aborted) break;
      if (await doAgain(core, who, job, signal)) done++;
    }
  } finally {
    process.workingOff = false;
  }
  return done;
}

/**
 * As `workOff`, for what was left before this process: once nothing is, turns below the marks start
 * no call of a model.
 */
export async function catchUp(core: Core, who: Who): Promise<void> {
  const done = core.process.caughtUp;
  if (done.has(who.root)) return;
  const earlier = (job: Job): boolean => !isRest(job) && !core.process.queued.has(job.id);
  await workOff(core, who, { of: earlier });
  if (!(await queueOf(core.history, who.root)).some(earlier)) done.add(who.root);
}

async function doAgain(core: Core, who: Who, job: Job, stopped: AbortSignal): Promise<boolean> {
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
