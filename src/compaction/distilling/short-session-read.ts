import { bodiesOf } from "../../conversations/entries.ts";
import { asSent } from "../../conversations/import.ts";
import type { Conversation } from "../../conversations/sessions.ts";
import { troubleOf } from "../../core/errors-and-events.ts";
import type { Job, Session } from "../../core/history.ts";
import { dayOf } from "../../core/memory.ts";
import { estimateTokens } from "../../core/tokens/estimate.ts";
import { extractive } from "../../memory/extracting/extractive.ts";
import { refusedFor } from "../../memory/extracting/gate.ts";
import { BRIEF, type Distilled, type Fact, messageText } from "../../memory/extracting/task.ts";
import { capabilitiesOf } from "../../providers/common/models.ts";
import { dialectFor } from "../../providers/detect.ts";
import type { Ground, Kept, Ports, Settings, Who } from "../../session/ports.ts";
import { IDLE_MS } from "../../session/options/background.ts";
import { isBudgetSpent } from "../../session/own-calls.ts";
import { recalledBeside } from "../../session/recalled-text.ts";
import type { WindowRoom } from "../../session/window-and-thinking.ts";
import { persist } from "../journal/save-facts.ts";
import { atRest, DAY, letGo, settled, waitAfter } from "../journal/watermark.ts";
import { chunkTokens, type Models } from "./choose-distiller.ts";
import { distil, recordOf } from "./distil-task.ts";

/** Read at one start or pause: so many conversations, and of so many tokens together. */
const CONVERSATIONS = 2;
const TOKENS = 100_000;
/** Tokens that an instruction and its frame take of one request. */
const FRAME = 2_500;
const OLDEST = 7 * DAY;
/** Tries of one conversation: each may have been paid for. */
const TRIES = 3;
/** Longer than a call is waited for: until then no other process asks about the conversation. */
const TAKEN_MS = 180_000;

export type Reading = Ports & { readonly models: Models };

export async function readSome(
  core: Reading,
  who: Who,
  except: string | undefined,
): Promise<number> {
  const { models } = core;
  const { signal } = core.ending;
  let room = TOKENS;
  let read = 0;
  for (const job of models.asksAtRest(who) ? await newestFirst(core, who, except) : []) {
    if (read === CONVERSATIONS || signal.aborted || !models.asksAtRest(who)) break;
    const tokens = await readOne(core, who, job, room);
    if (tokens === undefined) break;
    room -= tokens;
    if (tokens > 0) read += 1;
  }
  return read;
}

/** Those that may be read now. What is too old, or was asked about too often, is let go. */
async function newestFirst(core: Reading, who: Who, except: string | undefined): Promise<Job[]> {
  const now = core.now();
  const found: { job: Job; session: Session }[] = [];
  for (const job of await atRest(core.store, who.root)) {
    const [session] = await core.store.sessions({ ids: [job.session] });
    if (session === undefined) continue;
    const due = isDue(core, job);
    const { imported, updatedAt } = session;
    const isOld = !imported && now - updatedAt > OLDEST;
    // Nothing was said since it was queued, or not for a while; a clock set back cannot tell.
    const rests =
      (job.attempts === 0 && updatedAt <= job.notBefore) || Math.abs(now - updatedAt) >= IDLE_MS;
    if (isOld || (job.attempts >= TRIES && due)) await letGo(core, job);
    else if (job.session !== except && due && rests) found.push({ job, session });
  }
  const newest = found.sort((one, other) => other.session.updatedAt - one.session.updatedAt);
  return newest.map(({ job }) => job);
}

/** A delay longer than any we give comes of a clock that has been set back since. */
function isDue(core: Ground, { notBefore }: Job): boolean {
  const left = notBefore - core.now();
  return left <= 0 || left > Math.max(DAY, IDLE_MS);
}

/** The tokens that were read; undefined where there is no room or no budget for it. */
async function readOne(
  core: Reading,
  who: Who,
  job: Job,
  room: number,
): Promise<number | undefined> {
  const of = await settled(core, job.session);
  if (of === undefined) return 0;
  const from = of.session.watermark;
  const { to, tokens } = await partOf(core, of, room);
  // A conversation that is longer is read in parts, a start each, where nothing else was read.
  if (to < of.entries.length && room < TOKENS) return undefined;
  if (to <= from) {
    await letGo(core, job);
    return 0;
  }
  const attempts = job.attempts + 1;
  const notBefore = core.now() + Math.max(TAKEN_MS, waitAfter(attempts));
  const taken: Job = { ...job, attempts, notBefore };
  if (!(await core.store.commit({ taken: { job, next: taken } }))) return 0;
  try {
    await readPart(core, who, taken, { of, from, to });
  } catch (thrown) {
    // Without budget nothing was asked.
    if (isBudgetSpent(thrown)) {
      await handBack(core, taken, job.attempts);
      return undefined;
    }
    if (!core.ending.signal.aborted)
      core.emit({ type: "distil-failed", session: job.session, ...troubleOf(thrown) });
  }
  return tokens;
}

/** What was taken waits for the next reading. */
const handBack = (core: Reading, job: Job, attempts: number): Promise<boolean> =>
  core.store.commit({ taken: { job, next: { attempts, notBefore: core.now() } } });

/** As many messages as one call reads. */
async function partOf(core: Kept & Settings, { session, entries }: Conversation, room: number) {
  const from = session.watermark;
  const { messages, dialect } = await readArchived(core, session, { from, to: entries.length });
  const most = Math.min(room - FRAME, chunkTokens(roomOf(core, session)));
  let tokens = 0;
  let to = from;
  for (const message of messages) {
    const size = estimateTokens(messageText(dialect, message, BRIEF));
    // One that is longer than a request is cut by the distiller; than all there is room for, not
    // read.
    if (tokens + size > most && (to > from || size > room)) break;
    tokens += size;
    to += 1;
  }
  return { to, tokens: tokens + FRAME };
}

async function readPart(
  core: Reading,
  who: Who,
  job: Job,
  { of, ...range }: ReadRange & { of: Conversation },
): Promise<void> {
  const { session, entries } = of;
  const started = core.now();
  const stopped = core.ending.signal;
  const read = await factsByModel(core, session, { ...range, stopped, brief: true });
  if (read.by === undefined) return void (await letGo(core, job));
  const { facts, by } = read;
  // Forgotten while it was read.
  if (!(await atRest(core.store, who.root)).some(({ id }) => id === job.id)) return;
  const receipt = await persist(core, who, { of, ...range, facts, by });
  if (receipt === undefined) return;
  if (range.to >= entries.length) await letGo(core, job);
  else await handBack(core, job, 0);
  tellRead(core, session.id, { ...read, facts: receipt.facts, started });
}

/** Tells what a reading of the archive has taught. */
export function tellRead(
  core: Ground,
  session: string,
  { facts, started, refused }: { facts: number; started: number } & Pick<Distilled, "refused">,
): void {
  const ms = core.now() - started;
  core.emit({ type: "distilled", session, by: "model", facts, ms, ...refusedFor({ refused }) });
}

/** Entries [from, to) of a session. */
interface ReadRange {
  readonly from: number;
  readonly to: number;
}

export async function readArchived({ store }: Kept, session: Session, { from, to }: ReadRange) {
  const stored = await bodiesOf(store, session.id, from, to);
  const messages = session.imported ? stored.map(asSent) : stored;
  const injected = recalledBeside(session.state, { from, upTo: to });
  return {
    messages,
    dialect: dialectFor({ messages }, session.state.last?.format),
    factsFrom: 0,
    injected,
  };
}

/** The window of the session's model holds at least this much; no more is known of it. */
function roomOf({ options }: Settings, { state }: Session): WindowRoom {
  const most = options.window?.tokens ?? capabilitiesOf("").window;
  const limit = state.last?.limit ?? most;
  return { window: Math.min(most, limit), limit };
}

/**
 * The facts of a range of the archive, `brief`: written out in part, by the model when it is this
 * call's turn. Rejects with "distil".
 */
export async function factsByModel(
  core: Reading,
  session: Session,
  { stopped, brief = false, ...range }: ReadRange & { stopped: AbortSignal; brief?: boolean },
): Promise<Pick<Distilled, "facts" | "refused"> & Partial<Pick<Distilled, "by">>> {
  const task = await readArchived(core, session, range);
  const day = dayOf(session.updatedAt);
  const { models } = core;
  return models.inTurn(stopped, session.id, async () => {
    const distiller = models.distillerFor(models.completeFor(session), {
      session: session.id,
      dialect: task.dialect,
      purpose: "read",
      ...roomOf(core, session),
    });
    return distil(
      distiller,
      async (signal) => ({ ...task, summaryTokens: 0, day, brief, signal }),
      stopped,
    );
  });
}

/** The same without a model. */
export async function factsByQuoting(
  core: Kept,
  who: Who,
  session: Session,
  range: ReadRange,
): Promise<readonly Fact[]> {
  const task = await readArchived(core, session, range);
  const record = await recordOf(who, session.id);
  return (
    await distil(extractive, async (signal) => ({ ...task, record, summaryTokens: 0, signal }))
  ).facts;
}
