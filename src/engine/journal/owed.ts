import { type TidemarkEvent } from "../../model/events.ts";
import { type Job } from "../../model/history.ts";
import { type HistoryStore } from "../../model/history-store.ts";
import { type Core, type Who } from "../session/core.ts";
import { type Options } from "../options/types.ts";
import { distilOptions } from "../options/options.ts";
import { IDLE_MS } from "../runtime/background.ts";
import { RETRY_AFTER } from "./watermark.ts";

export const DAY = 86_400_000;

/** ms until the next try after so many. */
export const waitAfter = (attempts: number): number =>
  Math.min(DAY, RETRY_AFTER * 2 ** Math.max(0, attempts - 1));

/** What was queued later than now was queued by a clock that has been set back since. */
export const isDue = ({ notBefore, attempts }: Job, now: number): boolean =>
  notBefore <= now || notBefore - waitAfter(attempts) > now;

/** ms of quiet after which a conversation is at rest. */
export const quietMs = ({ options }: { readonly options: Options }): number =>
  distilOptions(options).idleAfter || IDLE_MS;

const REST = "rest:";

/** The row of a conversation at rest: it has one, by whichever process it is queued. */
export const restId = (session: string): string => `${REST}${session}`;

/** Is it a conversation to be read, and not a distilling to be done again? */
export const isRest = ({ id }: Pick<Job, "id">): boolean => id.startsWith(REST);

/** The conversations of an identity that wait to be read. */
export const atRest = async (history: HistoryStore, root: string): Promise<Job[]> =>
  (await history.jobs(root, Number.MAX_SAFE_INTEGER)).filter(isRest);

/** No longer queued, whatever became of it. */
export const letGo = (core: Core, { id, session }: Job): Promise<unknown> =>
  core.sessions.update(session, { doneJobs: [id] });

/** What is forgotten must not come back from what is yet to be read. */
export async function emptyQueue(core: Core, { root }: Pick<Who, "root">): Promise<void> {
  for (const job of await atRest(core.history, root)) await letGo(core, job);
}

export const queuedNotice = (session: string, messages: number): TidemarkEvent => ({
  type: "notice",
  about: "queued",
  text: "Messages wait for a model to distil them.",
  session,
  messages,
});
