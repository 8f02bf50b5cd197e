import { degraded, reasonOf, telling } from "../../model/errors.ts";
import type { Session } from "../../model/history.ts";
import { queuedNotice, settled } from "../journal/watermark.ts";
import { persist, persistNotes } from "../journal/receipt.ts";
import { within } from "../runtime/background.ts";
import type { Core, Who } from "../session/core.ts";
import { asksAtClose } from "./choose-distiller.ts";
import { queueLeft } from "./short-session-queue.ts";
import { factsByModel, factsByQuoting, tellRead } from "./short-session-read.ts";

/** Conversations looked back on at once; more are left for the next time. */
const SESSIONS = 20;
/** Messages of one conversation read at once. */
const MESSAGES = 400;

/**
 * Facts of conversations that ended below the marks, taken without a model: the next session knows
 * what the last one said though no call was spent on it. Each message is read for this once; the
 * watermark of the model's distilling stays.
 */
export async function noteEarlier(core: Core, who: Who, except?: string): Promise<void> {
  if (core.observes) return;
  const sessions = (await core.history.unnoted(who.root, SESSIONS + 1)).filter(
    (id) => id !== except,
  );
  for (const session of sessions.slice(0, SESSIONS))
    await note(core, who, session).catch(telling(core.emit, "notes"));
}

async function note(core: Core, who: Who, id: string): Promise<void> {
  const found = await settled(core, who, id);
  if (found === undefined) return;
  const { session, entries } = found;
  const from = Math.max(session.noted, session.watermark);
  const to = Math.min(entries.length, from + MESSAGES);
  if (from >= to) return;
  const facts = await factsByQuoting(core, who, session, { from, to });
  await persistNotes(core, who, { of: found, from, to, facts });
  await queueLeft(core, who, session);
}

/** Conversations asked about at a close; those before them are read without a model. */
const CLOSED_AT_ONCE = 20;

/**
 * What the conversations said that was not yet distilled, by the model, where the host wants that
 * and in at most `ms`. What it does not reach is quoted and queued for the next start.
 */
export async function flushAtClose(core: Core, who: Who, ms: number): Promise<void> {
  if (!asksAtClose(core, who)) return;
  const abort = new AbortController();
  const open = (await core.history.sessions(who.root)).filter(
    ({ imported, watermark, noted, length }) => !imported && Math.max(watermark, noted) < length,
  );
  const all = Promise.all(
    open.slice(0, CLOSED_AT_ONCE).map((session) => flush(core, who, session, abort.signal)),
  );
  await within(all, ms);
  abort.abort();
  await all;
}

async function flush(core: Core, who: Who, given: Session, stopped: AbortSignal): Promise<void> {
  const started = core.now();
  const found = await settled(core, who, given.id);
  if (
    found === undefined ||
    Math.max(found.session.watermark, found.session.noted) >= found.entries.length
  )
    return;
  const { session } = found;
  const range = { from: session.watermark, to: found.entries.length };
  const messages = range.to - range.from;
  try {
    const read = await factsByModel(core, session, { ...range, stopped });
    stopped.throwIfAborted();
    const receipt = await persist(core, who, { of: found, ...range, ...read });
    if (receipt === undefined) return;
    const { facts } = receipt;
    tellRead(core, session.id, { ...read, facts, started });
    core.emit({ type: "flushed", session: session.id, messages, facts });
  } catch (thrown) {
    try {
      const error = stopped.aborted
        ? "the close could not wait for the distiller"
        : reasonOf(thrown);
      const receipt = await persist(core, who, {
        of: found,
        ...range,
        facts: await factsByQuoting(core, who, session, range),
        owed: { from: range.from, error },
      });
      if (receipt) core.emit(queuedNotice(session.id, messages));
    } catch (again) {
      core.emit(degraded("close", again));
    }
  }
}
