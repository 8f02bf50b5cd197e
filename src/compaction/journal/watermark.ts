import type { Conversation } from "../../conversations/sessions.ts";
import { endOfRun } from "../../core/base.ts";
import type { TidemarkEvent } from "../../core/errors-and-events.ts";
import type { Job } from "../../core/history.ts";
import type { Ground, Kept, Who } from "../../session/ports.ts";
import { foldIn, type Outgoing } from "../../session/outgoing-request.ts";
import type { Storage } from "../../storage/port.ts";

/** ms until a failed distilling is tried again; doubles with every failure, up to a day. */
const RETRY_AFTER = 30_000;

/**
 * A session as far as it is distilled by now, in whichever of its conversation's branches: what was
 * distilled once is not asked for again, in other words.
 */
export async function settled(core: Kept, id: string): Promise<Conversation | undefined> {
  const found = await core.sessions.load(id);
  if (found === undefined) return undefined;
  const watermark = await reachOfKin(core, found);
  if (watermark <= found.session.watermark) return found;
  await core.sessions.update(id, { watermark, noted: watermark });
  return core.sessions.load(id);
}

/**
 * Branches share messages, which are distilled once one of the branches has distilled them. A
 * conversation that only opens as another did has said it anew.
 */
export async function reachOfKin(core: Kept, { session, entries }: Conversation): Promise<number> {
  const next = entries[session.watermark];
  if (next === undefined) return session.watermark;
  let most = session.watermark;
  for (const { id } of await core.store.sessions({ holding: next })) {
    const kin = await core.sessions.load(id);
    if (kin === undefined) continue;
    const shared = endOfRun(session.watermark, (at) => {
      const [own, other] = [entries[at], kin.entries[at]];
      return own !== undefined && own.chain === other?.chain && own.at === other.at;
    });
    most = Math.max(most, Math.min(shared, kin.session.watermark));
  }
  return most;
}

/**
 * Has the session been folded, or a fold of it undone, since it was looked at? A turn that is under
 * way for long looks back on what is gone.
 */
export async function isOnNewest({ sessions }: Kept, outgoing: Outgoing): Promise<boolean> {
  const found = await sessions.load(outgoing.session.id);
  return found !== undefined && found.folds.at(-1)?.id === foldIn(outgoing)?.id;
}

/** As far as the session is distilled by now, here or in another process. */
export async function upToDate(core: Kept, outgoing: Outgoing): Promise<Outgoing> {
  const { session } = outgoing;
  const found = await settled(core, session.id);
  if (found === undefined || found.session.watermark === session.watermark) return outgoing;
  return { ...outgoing, session: { ...session, watermark: found.session.watermark } };
}

export const DAY = 86_400_000;

/** ms until the next try after so many. */
export const waitAfter = (attempts: number): number =>
  Math.min(DAY, RETRY_AFTER * 2 ** Math.max(0, attempts - 1));

/** A delay longer than any we give comes of a clock that has been set back since. */
export const isDue = ({ notBefore }: Job, now: number): boolean =>
  notBefore <= now || notBefore > now + DAY;

const REST = "rest:";

/** The row of a conversation at rest: it has one, by whichever process it is queued. */
export const restId = (session: string): string => `${REST}${session}`;

/** Is it a conversation to be read, and not a distilling to be done again? */
export const isRest = ({ id }: Job): boolean => id.startsWith(REST);

/** All that waits for an identity, due or not. */
export const queueOf = async (history: Storage, root: string): Promise<readonly Job[]> =>
  (await history.belongings(root)).jobs;

/** No longer queued, whatever became of it. */
export const letGo = (core: Kept, { id, session }: Job): Promise<unknown> =>
  core.sessions.update(session, { doneJobs: [id] });

/** A forgotten message must not come back from a queue that is yet to be read. */
export async function emptyQueue(core: Kept, { root }: Who): Promise<void> {
  for (const job of await queueOf(core.store, root)) if (isRest(job)) await letGo(core, job);
}

export const queuedNotice = (session: string, messages: number): TidemarkEvent => ({
  type: "notice",
  about: "queued",
  text: "Messages wait for a model to distil them.",
  session,
  messages,
});

/** Work that a range leaves to the queue. */
export const owedBy = (
  { newId, now }: Ground,
  range: Pick<Job, "session" | "from" | "to">,
  error: string,
): Job => ({ id: newId(), ...range, attempts: 1, error, notBefore: now() + RETRY_AFTER });
