import type { Conversation } from "../../conversations/sessions.ts";
import { breathe } from "../../core/base.ts";
import { holdsStatement } from "../../memory/extracting/statement.ts";
import type { Outgoing } from "../../session/outgoing-request.ts";
import type { Kept } from "../../session/ports.ts";
import { readArchived } from "./short-session-read.ts";

/** Replies of a model that works with tools: what became of more is told by the work itself. */
const LEAST_WORK = 3;
/** Messages looked at in one go. */
const LOOK = 40;
/**
 * Is anything said that no model has read yet? Small talk and questions are worth no call; work is,
 * whatever the user says.
 */
export async function isTelling(core: Kept, { session, entries }: Conversation): Promise<boolean> {
  let [works, replies] = [false, 0];
  for (let from = session.watermark; from < entries.length; from += LOOK) {
    const range = { from, to: Math.min(entries.length, from + LOOK) };
    const { messages, dialect } = await readArchived(core, session, range);
    works ||= messages.some((message) => dialect.calls(message).length > 0);
    replies += messages.filter((message) => dialect.speaker(message) === "assistant").length;
    if ((works && replies >= LEAST_WORK) || holdsStatement(messages, dialect)) return true;
    await breathe();
  }
  return false;
}

/** Was anything such said by now? The reply stands behind the line that was sent. */
export function mayTell({ entries, session, conversation, dialect }: Outgoing): boolean {
  const replies = entries.slice(session.watermark).filter(({ role }) => role === "assistant");
  const last = conversation.at(-1);
  return (
    replies.length + 1 >= LEAST_WORK ||
    (last !== undefined &&
      dialect.speaker(last) === "user" &&
      holdsStatement(conversation.slice(-2), dialect))
  );
}
