import type { Conversation } from "../../conversations/sessions.ts";
import { breathe, createSerial, lru } from "../../core/base.ts";
import { telling } from "../../core/errors-and-events.ts";
import type { Session } from "../../core/history.ts";
import { holdsStatement } from "../../memory/extracting/gate.ts";
import { createIdle, IDLE_MS, within } from "../../session/options/background.ts";
import type { Outgoing } from "../../session/outgoing-request.ts";
import type { Kept, Ports, Settings, Who } from "../../session/ports.ts";
import { persistNotes, settled } from "../journal/save-facts.ts";
import { queuedNotice, restId } from "../journal/queue.ts";
import {
  factsByQuoting,
  readArchived,
  type ReadAsked,
  type Reading,
  readSome,
} from "./short-session-read.ts";

/** Sessions below the marks whose rest is waited for: nothing is held of them. */
const RESTS = 4_096;
/** A rest so many times as long is no short break. */
const BREAK = 12;
const IDENTITIES = 2_048;

interface Queueing {
  /** Whatever it says. */
  readonly anyway?: boolean;
  readonly notBefore?: number;
}

/** Queues a conversation with something to read; history holds what it says. */
async function queueRow(
  core: Ports,
  id: string,
  { anyway = false, notBefore = core.now() }: Queueing = {},
): Promise<boolean> {
  const { sessions, store, emit } = core;
  const found = await sessions.load(id);
  if (found === undefined || found.session.watermark >= found.entries.length) return false;
  if (!anyway && !(await isTelling(core, found))) return false;
  const [from, to] = [found.session.watermark, found.entries.length];
  const error = "it came to rest before a model had read it";
  const row = { id: restId(id), session: id, from, to, attempts: 0, error, notBefore };
  if (!(await store.commit({ queued: row }))) return false;
  emit(queuedNotice(id, to - from));
  return true;
}

/** Conversations too short for a fold, which a model reads once they have come to rest. */
export function createRests(core: Reading) {
  const { models, background } = core;
  const rests = createIdle(core.timer, IDLE_MS, RESTS);
  const breaks = createIdle(core.timer, IDLE_MS * BREAK, RESTS);
  /** Conversations that went on since they were queued. */
  const spoke = lru<string, { readonly id: string; readonly who: Who }>(RESTS);
  /** Identities whose conversations that were left were read. */
  const started = new Set<string>();
  /** By identity, one after another. */
  const reading = lru<string, ReturnType<typeof createSerial>>(IDENTITIES);

  const queue = (id: string, how?: Queueing) => queueRow(core, id, how);

  /** Has the model read what is queued, the newest first; answers how many pieces it read. */
  function read(who: Who, asked?: ReadAsked): Promise<number> {
    const alone = reading.get(who.root) ?? createSerial();
    reading.set(who.root, alone);
    return alone(() => readSome(core, who, asked));
  }

  /**
   * A conversation in a short break goes on: to be read at each would cost more than it tells.
   * Others are read in it.
   */
  async function rested(who: Who, id: string): Promise<void> {
    spoke.delete(id);
    if (models.asksAtRest(who) && (await queue(id)))
      breaks.touch(id, () => background.run(read(who)));
    await read(who, { except: id });
  }

  return {
    queue,
    read,
    /** One of another process, or whose timers stood still, is queued once it was quiet long. */
    async queueLeft(who: Who, { id, updatedAt }: Pick<Session, "id" | "updatedAt">): Promise<void> {
      const isQuiet = core.now() - updatedAt >= IDLE_MS * BREAK;
      if (!models.asksAtRest(who) || (spoke.get(id) !== undefined && !isQuiet)) return;
      spoke.delete(id);
      if (await queue(id, { notBefore: updatedAt + IDLE_MS })) started.delete(who.root);
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
      spoke.set(id, { id, who });
      // From the flush mark on it is distilled in its pause with the request that is cached.
      if (level.mark === "below") rests.touch(id, () => background.run(rested(who, id)));
    },
    /** Reads what was left, beside a turn of the identity. */
    async readAtStart(who: Who, except: string): Promise<void> {
      if (started.has(who.root) || !models.asksAtRest(who)) return;
      started.add(who.root);
      await read(who, { except });
    },
    /** Where the host wants that, what a model has not read is read now, for at most `ms`. */
    async readAtClose(who: Who, ms: number): Promise<void> {
      if (core.distil.atClose !== "model" || !models.asksAtRest(who)) return;
      const sessions = await core.store.sessions({ root: who.root });
      const open = sessions.filter(({ watermark, length }) => watermark < length);
      for (const { id, updatedAt } of open.slice(0, SESSIONS))
        await queue(id, { notBefore: updatedAt });
      await within(readAll(read, who), ms);
    },
    /** Queues the conversations that went on in this process: the next start reads them. */
    async queueAtClose(): Promise<void> {
      for (const { id, who } of spoke.values()) if (models.asksAtRest(who)) await queue(id);
    },
    stop: (): void => [rests, breaks].forEach((clock) => clock.stop()),
  };
}

export type Rests = ReturnType<typeof createRests>;

export type Unfolded = Reading & { readonly rests: Rests };

/** Conversations looked back on at once; more are left for the next time. */
const SESSIONS = 20;
/** Messages of one conversation read at once. */
const MESSAGES = 400;

/**
 * Facts of conversations that ended below the marks, taken without a model: the next session knows
 * what the last one said though no call was spent on it. Each message is read for this once; the
 * watermark of the model's distilling stays.
 */
export async function noteEarlier(core: Unfolded, who: Who, except?: string): Promise<void> {
  if (core.observes) return;
  const asked = { root: who.root, unnoted: true, limit: SESSIONS + 1 } as const;
  const sessions = (await core.store.sessions(asked)).filter(({ id }) => id !== except);
  for (const { id } of sessions.slice(0, SESSIONS))
    await note(core, who, id).catch(telling(core.emit, "notes"));
}

async function note(core: Unfolded, who: Who, id: string): Promise<void> {
  const found = await settled(core, id);
  if (found === undefined) return;
  const { session, entries } = found;
  const from = Math.max(session.noted, session.watermark);
  const to = Math.min(entries.length, from + MESSAGES);
  if (from >= to) return;
  const facts = await factsByQuoting(core, who, session, { from, to });
  await persistNotes(core, who, { of: found, from, to, facts });
  await core.rests.queueLeft(who, session);
}

/** An imported conversation is read by rules at once, where there is a model by it behind. */
export async function learnFrom(core: Unfolded, who: Who, id: string): Promise<void> {
  if (core.observes) return;
  // For whichever process has a model.
  await core.rests.queue(id);
  if (core.models.asksAtRest(who)) core.background.run(readAll(core.rests.read, who));
  else await note(core, who, id).catch(telling(core.emit, "notes"));
}

async function readAll(read: Rests["read"], who: Who): Promise<void> {
  while ((await read(who)) > 0);
}

/** From so many replies of a model with tools on there may be an outcome. */
const LEAST_WORK = 3;
/** Messages looked at in one go. */
const LOOK = 40;

/**
 * Is anything said that no model has read yet? Small talk and questions are worth no call; work is,
 * whatever the user says.
 */
async function isTelling(
  core: Kept & Settings,
  { session, entries }: Conversation,
): Promise<boolean> {
  const { watermark } = session;
  const replies = entries.slice(watermark).filter(({ role }) => role === "assistant").length;
  let works = false;
  for (let from = watermark; replies > 0 && from < entries.length; from += LOOK) {
    const range = { from, to: Math.min(entries.length, from + LOOK) };
    const { messages, dialect } = await readArchived(core, session, range);
    works ||= messages.some((message) => dialect.calls(message).length > 0);
    if ((works && replies >= LEAST_WORK) || holdsStatement(messages, dialect)) return true;
    await breathe();
  }
  return false;
}
