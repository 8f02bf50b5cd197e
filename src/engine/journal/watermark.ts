import { endOfRun } from "../../base/runs.ts";
import type { Conversation } from "../../history/sessions.ts";
import type { Job } from "../../model/history.ts";
import { digest } from "../../text/hash.ts";
import type { Receipted } from "../../workspace/log/receipts.ts";
import type { ReceiptLine } from "../../workspace/lines/receipt-line.ts";
import type { Core, Who } from "../session/core.ts";
import { showOnPages } from "./memory-page-sync.ts";
import { reconcileScope } from "./reconcile.ts";
import { foldIn, type Outgoing } from "../session/outgoing-request.ts";
import type { TidemarkEvent } from "../../model/events.ts";
import type { HistoryStore } from "../../model/history-store.ts";

/** ms until a failed distilling is tried again; doubles with every failure, up to a day. */
const RETRY_AFTER = 30_000;

/**
 * Names the messages before `last` of a session, in the journal that outlives them: without the
 * session, which is forgotten with its conversation, it gives no text away.
 */
export const lineDigest = (session: string, chain: string | undefined): string =>
  digest("receipt", session, chain ?? "").slice(0, LINE);
/** Characters of it, as many as an id has. */
const LINE = 22;

/**
 * A session with all reckoned as distilled whose facts are stored: by a process that died before it
 * could say so here, or by another branch of the conversation. What was distilled once is so not
 * asked for again, in other words, and what was forgotten in between does not come back.
 */
export async function settled(core: Core, who: Who, id: string): Promise<Conversation | undefined> {
  const found = await core.sessions.load(id);
  if (found === undefined) return undefined;
  const { watermark, noted, taken, done } = await reachedBy(core, who, found);
  const { session } = found;
  if (watermark <= session.watermark && noted <= session.noted && done.length === 0) return found;
  const all = [...taken, ...done];
  // The journal's word first: what it tells may not be in the index yet.
  if (all.length > 0) await reconcileScope(core, who.learns);
  await core.sessions.update(id, {
    watermark,
    noted: Math.max(noted, watermark),
    learnt: all.flatMap(({ receipt: { first, last }, memories }) =>
      memories.map((memory) => ({ memory, first, last })),
    ),
    jobs: taken.flatMap(({ receipt }) =>
      owedBy(core, id, receipt, "the process ended before the distiller had answered"),
    ),
    doneJobs: done.flatMap(({ receipt: { job } }) => job ?? []),
  });
  const memories = all.flatMap((one) => one.memories);
  if (memories.length > 0) await showOnPages(core, [who.learns]);
  return core.sessions.load(id);
}

export type Reached = Awaited<ReturnType<typeof reachedBy>>;

/**
 * How far a conversation has come by all that is written anywhere: with receipts that its own
 * record does not know of yet, those for queued work, which is `done`, and the work still to do.
 * Changes nothing.
 */
export async function reachedBy(core: Core, who: Who, found: Conversation) {
  const { session, entries } = found;
  const jobs = (await queueOf(core.history, who.root)).filter((job) => job.session === session.id);
  const since = entries[Math.min(session.watermark, ...jobs.map(({ from }) => from))]?.at;
  const receipts =
    since === undefined ? [] : await core.workspace.journal.receipts(who.learns, since);
  const own = reach(found, receipts);
  const ids = new Set(jobs.map(({ id }) => id));
  const done = receipts.filter(({ receipt: { job = "" } }) => ids.has(job));
  return {
    ...own,
    watermark: Math.max(own.watermark, await reachOfKin(core, found, receipts)),
    done,
    jobs: ids.difference(new Set(done.map(({ receipt }) => receipt.job))),
  };
}

/** The work a receipt leaves to the queue; under its name, so that it is queued once. */
export const owedBy = (
  { now }: Core,
  session: string,
  { id, owed, first: from, last: to }: ReceiptLine,
  error: string,
): Job[] =>
  owed === true
    ? [{ id, session, from, to, attempts: 1, error, notBefore: now() + RETRY_AFTER }]
    : [];

/**
 * How far queued work still reaches: where the conversation went on otherwise since, its new words
 * are distilled with the rest.
 */
export async function owedTo(
  core: Core,
  { learns }: Who,
  { session, entries }: Conversation,
  { id, from, to }: Job,
): Promise<number> {
  const since = entries[from]?.at;
  const receipts =
    since === undefined
      ? []
      : (await core.workspace.journal.receipts(learns, since)).map(({ receipt }) => receipt);
  const holds = ({ line, last }: ReceiptLine): boolean =>
    line === lineDigest(session.id, entries[last - 1]?.chain);
  const own = receipts.find((receipt) => receipt.id === id);
  if (own === undefined || holds(own)) return Math.min(to, entries.length);
  const later = receipts.filter(
    (receipt) =>
      receipt.quoted !== true &&
      receipt.job === undefined &&
      receipt.first > from &&
      holds(receipt),
  );
  return Math.min(to, session.watermark, ...later.map(({ first }) => first));
}

/** How far a session has come by its own word and by receipts for the line it still has. */
function reach({ session, entries }: Conversation, receipts: readonly Receipted[]) {
  const taken: Receipted[] = [];
  let { watermark, noted } = session;
  for (const one of receipts.toSorted(
    (a, b) => a.receipt.first - b.receipt.first || a.receipt.last - b.receipt.last,
  )) {
    const { first, last, line, quoted, job } = one.receipt;
    if (job !== undefined || line !== lineDigest(session.id, entries[last - 1]?.chain)) continue;
    const news =
      quoted === true
        ? first <= Math.max(watermark, noted) && last > noted
        : first <= watermark && last > watermark;
    if (!news) continue;
    taken.push(one);
    if (quoted !== true) watermark = last;
    noted = Math.max(noted, last);
  }
  return { watermark, noted, taken };
}

/** Branches share messages, which are distilled once one of the branches has distilled them. */
async function reachOfKin(
  core: Core,
  { session, entries }: Conversation,
  receipts: readonly Receipted[],
): Promise<number> {
  const next = entries[session.watermark];
  if (next === undefined) return session.watermark;
  let most = session.watermark;
  for (const { session: id } of await core.history.byChain([next.chain])) {
    const kin = id === session.id ? undefined : await core.sessions.load(id);
    if (kin === undefined || kin.session.root !== session.root) continue;
    const shared = endOfRun(
      session.watermark,
      (at) => at < entries.length && entries[at]?.chain === kin.entries[at]?.chain,
    );
    most = Math.max(most, Math.min(shared, reach(kin, receipts).watermark));
  }
  return most;
}

/**
 * Has the session been folded, or a fold of it undone, since it was looked at? A turn that is under
 * way for long looks back on what is gone.
 */
export async function isOnNewest(outgoing: Outgoing): Promise<boolean> {
  const { core, session } = outgoing;
  const found = await core.sessions.load(session.id);
  return found !== undefined && found.folds.at(-1)?.id === foldIn(outgoing)?.id;
}

/** As far as the session is distilled by now, here or in another process. */
export async function upToDate(outgoing: Outgoing): Promise<Outgoing> {
  const { core, who, session } = outgoing;
  const found = await settled(core, who, session.id);
  if (found === undefined || found.session.watermark === session.watermark) return outgoing;
  return { ...outgoing, session: { ...session, watermark: found.session.watermark } };
}

export const DAY = 86_400_000;

/** ms until the next try after so many. */
export const waitAfter = (attempts: number): number =>
  Math.min(DAY, RETRY_AFTER * 2 ** Math.max(0, attempts - 1));

/** A job queued later than now was queued by a clock that has been set back since. */
export const isDue = ({ notBefore, attempts }: Job, now: number): boolean =>
  notBefore <= now || notBefore - waitAfter(attempts) > now;

const REST = "rest:";

/** The row of a conversation at rest: it has one, by whichever process it is queued. */
export const restId = (session: string): string => `${REST}${session}`;

/** Is it a conversation to be read, and not a distilling to be done again? */
export const isRest = ({ id }: Job): boolean => id.startsWith(REST);

/** All that waits for an identity, due or not. */
export const queueOf = (history: HistoryStore, root: string): Promise<Job[]> => history.jobs(root);

/** The conversations of an identity that wait to be read. */
export const atRest = async (history: HistoryStore, root: string): Promise<Job[]> =>
  (await queueOf(history, root)).filter(isRest);

/** No longer queued, whatever became of it. */
export const letGo = (core: Core, { id, session }: Job): Promise<unknown> =>
  core.sessions.update(session, { doneJobs: [id] });

/** A forgotten message must not come back from a queue that is yet to be read. */
export async function emptyQueue(core: Core, { root }: Who): Promise<void> {
  for (const job of await atRest(core.history, root)) await letGo(core, job);
}

export const queuedNotice = (session: string, messages: number): TidemarkEvent => ({
  type: "notice",
  about: "queued",
  text: "Messages wait for a model to distil them.",
  session,
  messages,
});
