import { createSerial } from "../../base/async.ts";
import { lru } from "../../base/cache.ts";
import { queuedNotice, atRest, restId } from "../journal/watermark.ts";
import type { EventLog } from "../journal/log-events.ts";
import type { Session } from "../../model/history.ts";
import { createIdle, IDLE_MS } from "../runtime/background.ts";
import type { Ports, Who } from "../session/core.ts";
import type { Outgoing } from "../session/outgoing-request.ts";
import { type Reading, readSome } from "./short-session-read.ts";

/** Calls of the model with their replies: of fewer, nothing is asked. */
const LEAST_EXCHANGES = 3;
/** Sessions below the marks whose rest is waited for: nothing is held of them. */
const RESTS = 4_096;
/** A rest so many times as long is no short break. */
const BREAK = 12;
const IDENTITIES = 2_048;

const exchanges = ({
  session,
  entries,
}: Pick<Outgoing, "entries"> & { session: Pick<Session, "watermark"> }): number =>
  entries.slice(session.watermark).filter(({ role }) => role === "assistant").length;

interface Queueing {
  readonly least?: number;
  readonly notBefore?: number;
}

/** Queues a conversation with so many undistilled exchanges; history holds what they say. */
async function queueRow(
  { sessions, history, emit, now }: Ports,
  id: string,
  { least = LEAST_EXCHANGES, notBefore = now() }: Queueing = {},
): Promise<boolean> {
  const found = await sessions.load(id);
  if (found === undefined || exchanges(found) < least) return false;
  const [from, to] = [found.session.watermark, found.entries.length];
  const error = "it came to rest before a model had read it";
  const row = { id: restId(id), session: id, from, to, attempts: 0, error, notBefore };
  if (!(await history.commit({ queued: row }))) return false;
  emit(queuedNotice(id, to - from));
  return true;
}

/** Conversations too short for a fold, which a model reads once they have come to rest. */
export function createRests(core: Reading & { readonly log: EventLog }) {
  const { models, history, background } = core;
  const rests = createIdle(core.timer, IDLE_MS, RESTS);
  const breaks = createIdle(core.timer, IDLE_MS * BREAK, RESTS);
  /** Conversations that went on since they were queued. */
  const spoke = lru<string, { readonly id: string; readonly who: Who }>(RESTS);
  /** Identities of which some were queued: each of their pauses is one to read in. */
  const waiting = lru<string, true>(RESTS);
  /** Identities whose conversations of earlier processes were read. */
  const started = new Set<string>();
  /** By identity, one after another. */
  const reading = lru<string, ReturnType<typeof createSerial>>(IDENTITIES);

  const queue = (id: string, how?: Queueing) => queueRow(core, id, how);

  /** Has the model read conversations at rest, the newest first; answers how many it read. */
  function read(who: Who, except?: string): Promise<number> {
    const alone = reading.get(who.root) ?? createSerial();
    reading.set(who.root, alone);
    return alone(() => readSome(core, who, except));
  }

  async function readInPause(who: Who, except?: string): Promise<void> {
    await read(who, except);
    if (!core.closed && (await atRest(history, who.root)).length === 0) waiting.delete(who.root);
  }

  /**
   * A conversation in a short break goes on: to be read at each would cost more than it tells.
   * Others are read in it.
   */
  async function rested(who: Who, id: string): Promise<void> {
    spoke.delete(id);
    if (models.asksAtRest(who) && (await queue(id))) {
      waiting.set(who.root, true);
      breaks.touch(id, () => background.run(readInPause(who)));
    }
    await readInPause(who, id);
  }

  return {
    queue,
    read,
    /** One that another process left, or has, is queued once it was quiet for long enough. */
    async queueLeft(who: Who, { id, updatedAt }: Pick<Session, "id" | "updatedAt">): Promise<void> {
      if (spoke.get(id) === undefined && models.asksAtRest(who))
        await queue(id, { notBefore: updatedAt + IDLE_MS });
    },
    began(session: string): void {
      rests.rest(session);
      breaks.rest(session);
    },
    /** With the end of a turn the clock starts: a conversation that stays quiet is queued. */
    ended(outgoing: Outgoing): void {
      const { who, session, level } = outgoing;
      const { id } = session;
      if (!models.asksAtRest(who)) return;
      // The reply stands behind the line that was sent.
      const telling = exchanges(outgoing) + 1 >= LEAST_EXCHANGES;
      if (telling) spoke.set(id, { id, who });
      // From the flush mark on it is distilled in its pause with the request that is cached.
      if (level.mark !== "below" || !(telling || waiting.get(who.root) === true)) return;
      rests.touch(id, () => background.run(rested(who, id)));
    },
    /** Reads what earlier processes left, once an identity, beside its first turn in this one. */
    async readAtStart(who: Who, except: string): Promise<void> {
      if (started.has(who.root) || !models.asksAtRest(who)) return;
      started.add(who.root);
      await read(who, except);
    },
    /** Queues the conversations that went on in this process: the next start reads them. */
    async queueAtClose(): Promise<void> {
      for (const { id, who } of spoke.values()) if (models.asksAtRest(who)) await queue(id);
    },
    stop: (): void => [rests, breaks].forEach((clock) => clock.stop()),
  };
}

export type Rests = ReturnType<typeof createRests>;
