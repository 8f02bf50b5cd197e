import type { TidemarkEvent } from "../../core/errors-and-events.ts";
import type { Job } from "../../core/history.ts";
import type { Ground, Kept, Who } from "../../session/ports.ts";
import type { Storage } from "../../storage/port.ts";

/** ms until a failed distilling is tried again; doubles with every failure, up to a day. */
const RETRY_AFTER = 30_000;

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
