import { defined } from "../../base/guards.ts";
import { refusedFor } from "../../distil/check/gate.ts";
import { reasonOf, troubleOf } from "../../model/errors.ts";
import { type Job } from "../../model/history.ts";
import { isBudgetSpent } from "../runtime/budget.ts";
import { type Core, type Who } from "../session/context.ts";
import { completeFor } from "./task.ts";
import { isDue, isRest, waitAfter } from "../journal/owed.ts";
import { persistNotes, isQueuedHere } from "../journal/receipt.ts";
import { factsByModel } from "./rest-read.ts";
import { owedTo, settled } from "../journal/watermark.ts";
import { injectedText } from "../../prompt/recalled.ts";

/** The work under way is given up; it stays queued. */
export const stopQueue = (core: Core): void => core.process.workingOff?.abort();

/** Does again what distilling left undone, one piece at a time; a failure waits twice as long as the last. */
export async function workOff(
  core: Core,
  who: Who,
  { due = true, of = () => true }: { due?: boolean; of?: (job: Job) => boolean } = {},
): Promise<number> {
  const { process } = core;
  if (process.workingOff !== undefined || core.closed || completeFor(core, { who }) === undefined)
    return 0;
  const abort = new AbortController();
  process.workingOff = abort;
  let done = 0;
  try {
    const all = (await core.history.jobs(who.root, Number.MAX_SAFE_INTEGER)).filter(
      (job) => !isRest(job) && of(job),
    );
    for (const job of due ? all.filter((one) => isDue(one, core.now())) : all) {
      if (core.closed || abort.signal.aborted) break;
      if (await doAgain(core, who, job, abort.signal)) done++;
    }
  } finally {
    process.workingOff = undefined;
  }
  return done;
}

/** As `workOff`, for what was left before this process: once nothing is, turns below the marks start no call of a model. */
export async function catchUp(core: Core, who: Who): Promise<void> {
  const done = core.process.caughtUp;
  if (done.has(who.root)) return;
  const earlier = (job: Job): boolean => !isRest(job) && !isQueuedHere(core, job.id);
  await workOff(core, who, { of: earlier });
  if (!(await core.history.jobs(who.root, Number.MAX_SAFE_INTEGER)).some(earlier))
    done.add(who.root);
}

async function doAgain(core: Core, who: Who, job: Job, stopped: AbortSignal): Promise<boolean> {
  const found = await settled(core, who, job.session);
  // A process that died, or another one, may have done it.
  if (
    !found ||
    !(await core.history.jobs(who.root, Number.MAX_SAFE_INTEGER)).some(({ id }) => id === job.id)
  )
    return false;
  const { session, entries } = found;
  const started = core.now();
  const range = { from: job.from, to: await owedTo(core, who, found, job) };
  try {
    const read =
      range.to > range.from ? await factsByModel(core, session, { ...range, stopped }) : undefined;
    const facts = read?.facts ?? [];
    await who.memories.ready(facts);
    if (
      !(await persistNotes(core, who, {
        of: {
          session: job.session,
          first: range.from,
          last: range.to,
          chain: entries[range.to - 1]?.chain,
        },
        facts,
        ...defined({ by: read === undefined ? undefined : ("model" as const) }),
        injected: injectedText(session.state),
        job: job.id,
      }))
    )
      return false;
    core.emit({
      type: "distilled",
      session: job.session,
      by: "model",
      facts: facts.length,
      ms: core.now() - started,
      ...(read && refusedFor(read)),
    });
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
