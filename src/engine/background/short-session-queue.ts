import { queuedNotice, atRest, restId } from "../journal/watermark.ts";
import { noteStill } from "../journal/log-events.ts";
import type { Conversation } from "../../history/sessions.ts";
import type { Session } from "../../model/history.ts";
import { IDLE_MS } from "../runtime/background.ts";
import type { Core, Who } from "../session/core.ts";
import type { Outgoing } from "../session/outgoing-request.ts";
import { asksAtRest } from "./choose-distiller.ts";
import { readQueue } from "./short-session-read.ts";

/** Calls of the model with their replies: of fewer, nothing is asked. */
const LEAST_EXCHANGES = 3;

/**
 * Queues a conversation with so many undistilled exchanges. The row says which; history holds it.
 */
export async function queueAtRest(
  core: Core,
  who: Who,
  id: string,
  { notBefore = core.now(), least = LEAST_EXCHANGES }: { notBefore?: number; least?: number } = {},
): Promise<boolean> {
  const found = asksAtRest(core, who) ? await core.sessions.load(id) : undefined;
  if (found === undefined || exchanges(found) < least) return false;
  return queue(core, found, notBefore);
}

async function queue(
  core: Core,
  { session: { id, watermark: from }, entries: { length: to } }: Conversation,
  notBefore = core.now(),
): Promise<boolean> {
  const error = "it came to rest before a model had read it";
  const row = { id: restId(id), session: id, from, to, attempts: 0, error, notBefore };
  if (!(await core.history.queue(row))) return false;
  core.emit(queuedNotice(id, to - from));
  return true;
}

const exchanges = ({ session, entries }: Conversation): number =>
  entries.slice(session.watermark).filter(({ role }) => role === "assistant").length;

/** The same of an imported one, for whichever process has a model. */
export async function queueImported(core: Core, id: string): Promise<void> {
  const found = await core.sessions.load(id);
  if (found !== undefined && exchanges(found) >= LEAST_EXCHANGES) await queue(core, found);
}

/** The same of one that another process left, or has: once it has been quiet for long enough. */
export async function queueLeft(
  core: Core,
  who: Who,
  left: Pick<Session, "id" | "updatedAt">,
): Promise<void> {
  if (core.process.spoke.get(left.id) !== undefined) return;
  await queueAtRest(core, who, left.id, { notBefore: left.updatedAt + IDLE_MS });
}

/** With the end of a turn the clock starts: a conversation that stays quiet is queued. */
export function noteTurn(outgoing: Outgoing): void {
  const { core, who, session, level } = outgoing;
  core.process.talked.set(who.root, who);
  noteStill(core, session.id);
  if (!asksAtRest(core, who)) return;
  const { id } = session;
  // The reply stands behind the line that was sent.
  const telling = exchanges(outgoing) + 1 >= LEAST_EXCHANGES;
  if (telling) core.process.spoke.set(id, { id, who });
  // From the flush mark on it is distilled in its pause with the request that is cached.
  if (level.mark !== "below" || !(telling || core.process.waiting.get(who.root) === true)) return;
  core.rests.touch(id, () => core.background.run(rested(core, who, id)));
}

/**
 * A conversation in a short break goes on: to be read at each would cost more than it tells. Others
 * are read in it.
 */
async function rested(core: Core, who: Who, id: string): Promise<void> {
  core.process.spoke.delete(id);
  if (await queueAtRest(core, who, id)) {
    core.process.waiting.set(who.root, true);
    core.breaks.touch(id, () => core.background.run(readInPause(core, who)));
  }
  await readInPause(core, who, id);
}

async function readInPause(core: Core, who: Who, except?: string): Promise<void> {
  await readQueue(core, who, except);
  if (core.closed) return;
  if ((await atRest(core.history, who.root)).length === 0) core.process.waiting.delete(who.root);
}

/** It speaks again. */
export function noteBegin(core: Core, session: string): void {
  core.rests.rest(session);
  core.breaks.rest(session);
}

/** Queues the conversations that went on in this process: the next start reads them. */
export async function queueAtClose(core: Core): Promise<void> {
  for (const { id, who } of core.process.spoke.values()) await queueAtRest(core, who, id);
}

/** Reads what earlier processes left, once an identity, beside its first turn in this one. */
export async function readAtStart(core: Core, who: Who, except: string): Promise<void> {
  const done = core.process.started;
  if (done.has(who.root) || !asksAtRest(core, who)) return;
  done.add(who.root);
  await readQueue(core, who, except);
}
