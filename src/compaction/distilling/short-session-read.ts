import { bodiesOf } from "../../conversations/entries.ts";
import { asSent } from "../../conversations/import.ts";
import { createSerial } from "../../core/base.ts";
import type { Conversation } from "../../conversations/sessions.ts";
import { troubleOf } from "../../core/errors-and-events.ts";
import type { Job, Session } from "../../core/history.ts";
import { dayIn } from "../../core/memory.ts";
import { estimateTokens } from "../../core/tokens/estimate.ts";
import { extractive } from "../../memory/extracting/extractive.ts";
import { BRIEF, type Distilled, type Fact, messageText } from "../../memory/extracting/task.ts";
import { capabilitiesOf } from "../../providers/common/models.ts";
import { dialectFor } from "../../providers/detect.ts";
import type { Kept, Ports, Settings, Who } from "../../session/ports.ts";
import { IDLE_MS } from "../../session/options/background.ts";
import { beating, DEAD, isBudgetSpent } from "../../session/own-calls.ts";
import { recalledBeside } from "../../session/recalled-text.ts";
import type { WindowRoom } from "../../session/count-tokens.ts";
import { persist, persistNotes, settled } from "../journal/save-facts.ts";
import { isDue, isRest, letGo, queueOf, waitAfter } from "../journal/queue.ts";
import type { Models } from "./choose-distiller.ts";
import { distil, distilTogether, knownFor, recordOf } from "./distil-task.ts";

/** With so many tokens read at one start or pause nothing more is begun. */
const TOKENS = 100_000;
/**
 * In one call so many conversations, and of so many tokens together: more take a model's attention.
 */
const TOGETHER = 12;
const TOGETHER_TOKENS = 16_000;
/** Tries of one conversation: each may have been paid for. */
const TRIES = 3;
/** What has failed is no sooner tried again, by whichever process. */
const PAUSE_MS = 180_000;

export type Reading = Ports & { readonly models: Models };

export interface ReadAsked {
  /** A conversation under way, which does not rest. */
  readonly except?: string;
  /** What has failed is tried again before its time, unless that is near. */
  readonly atOnce?: boolean;
}

/** Answers how many pieces were read. */
export async function readSome(core: Reading, who: Who, asked: ReadAsked = {}): Promise<number> {
  const { models } = core;
  const { signal } = core.ending;
  const jobs = models.asksAtRest(who) ? await newestFirst(core, who, asked) : [];
  let room = TOKENS;
  let read = 0;
  while (room > 0 && !signal.aborted && models.asksAtRest(who)) {
    const parts = await nextParts(core, jobs);
    if (parts.length === 0) break;
    const taken = await takenOf(core, parts);
    if (taken.length > 0 && !(await readTaken(core, who, taken))) break;
    room -= sumOf(parts);
    read += taken.length;
  }
  return read;
}

/** Those that may be read now. A conversation that was asked about too often is let go. */
async function newestFirst(
  core: Reading,
  who: Who,
  { except, atOnce = false }: ReadAsked,
): Promise<Job[]> {
  const now = core.now();
  const found: { job: Job; session: Session }[] = [];
  for (const job of await queueOf(core.store, who.root)) {
    const [session] = await core.store.sessions({ ids: [job.session] });
    if (session === undefined) continue;
    const due = isDue(job, now);
    const { updatedAt } = session;
    // Nothing was said since it was queued, or not for a while; a clock set back cannot tell.
    const rests =
      (job.attempts === 0 && updatedAt <= job.notBefore) || Math.abs(now - updatedAt) >= IDLE_MS;
    if (!isRest(job)) {
      // It is under way where it is soon another's.
      if (due || (atOnce && job.notBefore > now + DEAD)) found.push({ job, session });
    } else if (job.attempts >= TRIES && due) await letGo(core, job);
    else if (job.session !== except && due && rests) found.push({ job, session });
  }
  const newest = found.sort((one, other) => other.session.updatedAt - one.session.updatedAt);
  return newest.map(({ job }) => job);
}

/** A conversation as it is read. */
interface ReadPart extends Omit<ReadRange, "session"> {
  readonly job: Job;
  readonly of: Conversation;
  readonly task: Awaited<ReturnType<typeof readArchived>>;
  readonly tokens: number;
}

const sumOf = (parts: readonly ReadPart[]): number =>
  parts.reduce((sum, { tokens }) => sum + tokens, 0);

/**
 * The first of the jobs, which are taken off their list, that one call reads, the oldest first:
 * one, or short ones in one provider's form. One that has failed before is read alone: it may be
 * why.
 */
async function nextParts(core: Reading, jobs: Job[]): Promise<ReadPart[]> {
  const parts: ReadPart[] = [];
  for (let job = jobs[0]; job !== undefined && parts.length < TOGETHER; job = jobs[0]) {
    const of = await settled(core, job.session);
    const part = of && (await partOf(core, { job, of }));
    if (part !== undefined && !goesWith(part, parts)) break;
    jobs.shift();
    if (part === undefined || part.to === part.from) await letGo(core, job);
    else parts.unshift(part);
  }
  return parts;
}

function goesWith(part: ReadPart, others: readonly ReadPart[]): boolean {
  const { job, task } = part;
  const tokens = sumOf([part, ...others]);
  return others.every((other) => {
    const isFirst = [job, other.job].every((one) => isRest(one) && one.attempts === 0);
    const fits = task.dialect === other.task.dialect && tokens <= TOGETHER_TOKENS;
    return isFirst && fits && !sharesUnread(part, other);
  });
}

/** Branches of one conversation are read one after another: what they share is read once. */
function sharesUnread(part: ReadPart, other: ReadPart): boolean {
  const at = Math.max(part.from, other.from);
  const [own, its] = [part.of.entries[at], other.of.entries[at]];
  return own !== undefined && own.chain === its?.chain && own.at === its.at;
}

/** Jobs that are read in this process, which knows it without a clock. */
const underWay = new WeakMap<Reading["store"], Set<string>>();

/** Those that are read nowhere else. */
async function takenOf(core: Reading, parts: readonly ReadPart[]): Promise<ReadPart[]> {
  const taken: ReadPart[] = [];
  for (const part of parts) {
    const { job } = part;
    if (underWay.get(core.store)?.has(job.id)) continue;
    const next = { ...job, attempts: job.attempts + 1, notBefore: core.now() + DEAD };
    if (await core.store.commit({ taken: { job, next } })) taken.push({ ...part, job: next });
  }
  return taken;
}

/**
 * False where it failed: others would too. Without budget nothing was asked, and it waits as if it
 * had not been tried.
 */
async function readTaken(core: Reading, who: Who, parts: readonly ReadPart[]): Promise<boolean> {
  const inTurn = createSerial();
  let jobs = parts.map(({ job }) => job);
  const busy = underWay.get(core.store) ?? new Set();
  underWay.set(core.store, busy);
  for (const { id } of jobs) busy.add(id);
  /** How long others leave them alone; one that is done is there no more. */
  const move = (wait: (attempts: number) => number, spent = 0): Promise<unknown> =>
    inTurn(async () => {
      const moved = jobs.map(async (job) => {
        const attempts = job.attempts - spent;
        const next = { ...job, attempts, notBefore: core.now() + wait(attempts) };
        return (await core.store.commit({ taken: { job, next } })) ? next : job;
      });
      jobs = await Promise.all(moved);
    });
  const stop = beating(core.timer, () => move(() => DEAD));
  let isRead = true;
  let isUnpaid = false;
  try {
    await readParts(core, who, parts);
  } catch (thrown) {
    isRead = false;
    isUnpaid = isBudgetSpent(thrown);
    if (!isUnpaid && !core.ending.signal.aborted)
      for (const { session } of jobs)
        core.emit({ type: "distil-failed", session, ...troubleOf(thrown) });
  } finally {
    stop();
    for (const { id } of jobs) busy.delete(id);
  }
  if (isUnpaid) await move(() => 0, 1);
  else await move((attempts) => Math.max(PAUSE_MS, waitAfter(attempts)));
  return isRead;
}

/** The range that a fold has left, or all that is unread of a conversation at rest. */
async function partOf(core: Reading, { job, of }: Pick<ReadPart, "job" | "of">): Promise<ReadPart> {
  const { session, entries } = of;
  // Where the conversation went on otherwise since, its new words are distilled with the rest.
  const { from, to } = isRest(job)
    ? { from: session.watermark, to: entries.length }
    : { from: job.from, to: Math.min(job.to, entries.length) };
  const task = await readArchived(core, session, { from, to });
  const tokens = task.messages.reduce(
    (sum, message) => sum + estimateTokens(messageText(task.dialect, message, BRIEF)),
    0,
  );
  return { job, of, from, to, task, tokens };
}

async function readParts(core: Reading, who: Who, parts: readonly ReadPart[]): Promise<void> {
  const started = core.now();
  const stopped = core.ending.signal;
  const brief = parts.every(({ job }) => isRest(job));
  const read = await askedTogether(core, who, parts, { stopped, brief });
  const waits = new Set((await queueOf(core.store, who.root)).map(({ id }) => id));
  for (const [at, { job, of, from, to }] of parts.entries()) {
    const { facts, by, summary } = read[at] ?? {};
    // Forgotten while it was read.
    if (facts === undefined || !waits.has(job.id)) continue;
    const found = { of, from, to, facts, by };
    if (isRest(job)) {
      // Of a broken answer the facts are kept, and it is asked for again.
      const partly = summary === undefined;
      if ((await persist(core, who, { ...found, partly })) === undefined) continue;
      if (!partly) await letGo(core, job);
    } else if (!(await persistNotes(core, who, { ...found, job: job.id }))) continue;
    const [session, ms] = [of.session.id, core.now() - started];
    core.emit({ type: "distilled", session, by: "model", facts: facts.length, ms });
  }
}

/** Entries [from, to) of a session. */
interface ReadRange {
  readonly from: number;
  readonly to: number;
}

export async function readArchived(
  { store, options }: Kept & Settings,
  session: Session,
  { from, to }: ReadRange,
) {
  const stored = await bodiesOf(store, session.id, from, to);
  const messages = session.imported ? stored.map(asSent) : stored;
  const injected = recalledBeside(session.state, { from, upTo: to });
  return {
    messages,
    dialect: dialectFor({ messages }, session.state.last?.format),
    factsFrom: 0,
    injected,
    day: dayIn(session.updatedAt, options.zone),
  };
}

/** The window of the session's model holds at least this much; no more is known of it. */
function roomOf({ options }: Settings, { state }: Session): WindowRoom {
  const most = options.window?.tokens ?? capabilitiesOf("").window;
  const limit = state.last?.limit ?? most;
  return { window: Math.min(most, limit), limit };
}

/**
 * The facts of each conversation, by the model when it is this call's turn. `brief`: written out in
 * part. Rejects with "distil".
 */
async function askedTogether(
  core: Reading,
  who: Who,
  parts: readonly ReadPart[],
  { stopped, brief }: { stopped: AbortSignal; brief: boolean },
): Promise<Distilled[]> {
  const { models } = core;
  const [first] = parts;
  if (first === undefined) return [];
  const { dialect } = first.task;
  const { session } = first.of;
  return models.inTurn(stopped, async () => {
    const distiller = models.distillerFor(models.completeFor(session), {
      ...{ session: session.id, dialect, purpose: "read" },
      ...roomOf(core, session),
    });
    const tasks = parts.map(({ task }) => task);
    const said = tasks.flatMap(({ messages }) => messages);
    const how = { outer: stopped, brief, known: await knownFor(who, dialect, said) };
    return distilTogether(distiller, { dialect, tasks }, how);
  });
}

/** The same without a model. */
export async function factsByQuoting(
  core: Kept & Settings,
  who: Who,
  session: Session,
  range: ReadRange,
): Promise<readonly Fact[]> {
  const task = await readArchived(core, session, range);
  const known = await knownFor(who, task.dialect, task.messages, true);
  const asked = { ...task, record: await recordOf(who, session.id), known, summaryTokens: 0 };
  return (await distil(extractive, async (signal) => ({ ...asked, signal }))).facts;
}
