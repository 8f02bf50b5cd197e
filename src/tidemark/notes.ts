import { reasonOf } from "../model/errors.ts";
import { type Session } from "../model/history.ts";
import { type Core, type Who } from "./core.ts";
import { persistNotes } from "./persist.ts";
import { factsByQuoting } from "./ranges.ts";
import { injectedText } from "../prompt/recalled.ts";

/** Conversations looked back on at once; more are left for the next time. */
const SESSIONS = 20;
/** Messages of one conversation read at once. */
const MESSAGES = 400;

/**
 * Facts of conversations that ended below the marks, taken without a model: the next session knows what the last one said
 * though no call was spent on it. Each message is read for this once; the watermark of the model's distilling stays.
 */
export async function noteEarlier(core: Core, who: Who, except?: string): Promise<void> {
  if (core.off || core.options.mode === "observe") return;
  const sessions = (await core.history.sessions(who.root)).filter(({ id, noted, length, imported }) => id !== except && !imported && noted < length);
  for (const session of sessions.slice(0, SESSIONS)) {
    try {
      await note(core, who, session);
    } catch (thrown) {
      core.emit({ type: "degraded", where: "notes", error: reasonOf(thrown) });
    }
  }
}

async function note(core: Core, who: Who, session: Session & { length: number }): Promise<void> {
  const from = Math.max(session.noted, session.watermark);
  const to = Math.min(session.length, from + MESSAGES);
  const facts = await factsByQuoting(core, session, { from, to });
  await persistNotes(core, who, { session: session.id, of: { first: from, last: to }, upTo: to, facts, injected: injectedText(session.state) });
}
