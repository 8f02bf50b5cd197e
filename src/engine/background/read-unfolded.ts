import { telling } from "../../model/errors.ts";
import { settled } from "../journal/watermark.ts";
import { persistNotes } from "../journal/receipt.ts";
import type { Core, Who } from "../session/core.ts";
import { queueLeft } from "./short-session-queue.ts";
import { factsByQuoting } from "./short-session-read.ts";

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
