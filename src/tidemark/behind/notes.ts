import { troubleOf } from "../../model/errors.ts";
import { type Session } from "../../model/history.ts";
import { type Core, type Who } from "../core.ts";
import { completeFor } from "./distilling.ts";
import { queueLeft } from "./rest.ts";
import { persist, persistNotes } from "../keep/persist.ts";
import { factsByQuoting } from "./ranges.ts";
import { settled } from "./settled.ts";
import { injectedText } from "../../prompt/recalled.ts";

/** Conversations looked back on at once; more are left for the next time. */
const SESSIONS = 20;
/** Messages of one conversation read at once. */
const MESSAGES = 400;

/**
 * Facts of conversations that ended below the marks, taken without a model: the next session knows what the last one said
 * though no call was spent on it. Each message is read for this once; the watermark of the model's distilling stays, but where
 * the model was due: then what it was to say is queued.
 */
export async function noteEarlier(core: Core, who: Who, except?: string): Promise<void> {
  if (core.off || core.options.mode === "observe") return;
  const sessions = (await core.history.unnoted(who.root, SESSIONS + 1)).filter(
    (id) => id !== except,
  );
  for (const session of sessions.slice(0, SESSIONS)) {
    try {
      await note(core, who, session);
    } catch (thrown) {
      core.emit({ type: "degraded", where: "notes", ...troubleOf(thrown) });
    }
  }
}

async function note(core: Core, who: Who, id: string): Promise<void> {
  const found = await settled(core, who, id);
  if (found === undefined) return;
  const session = { ...found.session, length: found.entries.length };
  const from = Math.max(session.noted, session.watermark);
  const to = Math.min(session.length, from + MESSAGES);
  if (from >= to) return;
  const of = { session: session.id, first: from, last: to, chain: found.entries[to - 1]?.chain };
  const facts = await factsByQuoting(core, who, session, { from, to });
  if (wasDue(core, who, session)) {
    const error = "the process ended before the distiller had answered";
    const receipt = await persist(core, who, {
      of: { ...of, first: session.watermark },
      facts,
      injected: injectedText(session.state),
      owed: { from: session.watermark, error, earlier: true },
    });
    return (
      receipt &&
      core.emit({ type: "queued", session: session.id, messages: to - session.watermark })
    );
  }
  await persistNotes(core, who, { of, facts, injected: injectedText(session.state) });
  await queueLeft(core, who, session);
}

/** ms after which nobody is at a conversation any more: a distiller has a minute, a quiet conversation a few. A clock that was set back cannot tell. */
const LEFT = 600_000;

/** Was the model to be asked about this conversation, and the process that was to ask it is gone? */
function wasDue(
  core: Core,
  who: Who,
  { state: { last }, watermark, length, updatedAt }: Session & { length: number },
): boolean {
  const past = last !== undefined && last.used >= core.marks.flush * last.limit;
  return (
    past &&
    completeFor(core, { who }) !== undefined &&
    length - watermark > 2 * core.marks.keepLast &&
    Math.abs(core.now() - updatedAt) > LEFT
  );
}
